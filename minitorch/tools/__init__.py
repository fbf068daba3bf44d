"""What the command line runs: doctor, lessons, emulate, check, ptx."""
