"""A small shop, for tests in real editors."""
