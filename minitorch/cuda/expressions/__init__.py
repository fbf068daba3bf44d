"""Owns kernels made of expressions: ElementwiseKernel and ReductionKernel."""
