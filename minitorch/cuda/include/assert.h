// <assert.h> for kernels: nothing to say, NVRTC has assert built in.
#pragma once
