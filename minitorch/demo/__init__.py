"""The main job, `python -m minitorch.demo`: trains a network on `cpu` and on `cuda`."""
