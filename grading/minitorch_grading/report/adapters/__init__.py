"""Results for Gradescope, and JUnit XML; each file names where its facts were read."""
