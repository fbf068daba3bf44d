"""What runs on a card, in nine minutes: docs/gpu.md."""
