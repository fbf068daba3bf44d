"""Nothing: makes the tests a package, so that they can share `samples`."""
