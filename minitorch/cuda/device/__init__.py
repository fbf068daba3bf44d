"""The device and what is queued on it: streams, events, versions, NVRTC."""
