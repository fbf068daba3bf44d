"""The process that launches kernels for the judge."""
