"""The programs that use the package; its tests need none of them."""
