"""What is kept in files: states of modules, safetensors, PyTorch's pth."""
