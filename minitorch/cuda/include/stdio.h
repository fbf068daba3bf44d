// <stdio.h> for kernels: nothing to say, NVRTC has printf built in.
#pragma once
