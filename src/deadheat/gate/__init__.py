"""Compares races with a baseline of known races; no file access, no clock."""
