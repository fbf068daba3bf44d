"""What only MiniTorch's dialect has: its backends, its methods of tensors."""
