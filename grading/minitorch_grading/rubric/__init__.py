"""What an assignment asks for, what was handed in, and secret inputs."""
