"""What is kept in files: states of modules, npz, safetensors, PyTorch's pth."""
