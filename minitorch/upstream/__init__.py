"""Parts that only MiniTorch's dialect has: tensor methods and history."""
