"""Tests that need a browser: live figures as a reader sees and drives them."""
