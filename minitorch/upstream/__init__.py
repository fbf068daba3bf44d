"""What only MiniTorch's tensors have: methods, and how their history is seen."""
