"""The way from a source to an image: options, debug builds, machine code."""
