// <stdlib.h> for kernels: nothing to say, NVRTC has malloc, free and abs built in.
#pragma once
