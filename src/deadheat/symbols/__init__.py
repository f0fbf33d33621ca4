"""Interprets printed symbols and paths, one module per language."""
