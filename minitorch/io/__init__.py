"""Owns what is kept in files: states of modules, npz and safetensors."""
