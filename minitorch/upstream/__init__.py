"""What only MiniTorch's dialect has: its methods of tensors, its view of their history."""
