"""Kernels made of expressions: ElementwiseKernel and ReductionKernel."""
