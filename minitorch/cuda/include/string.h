// <string.h> for kernels: nothing to say, NVRTC has memcpy and memset built in.
#pragma once
