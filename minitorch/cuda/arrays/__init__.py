"""Arrays in device memory, and the host memory that devices reach."""
