"""The main job, `python -m examples.demo`: trains a network on `cpu` and on `cuda`."""
