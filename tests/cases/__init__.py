"""The kernel cases: small right and wrong kernels and what must be said of them."""
