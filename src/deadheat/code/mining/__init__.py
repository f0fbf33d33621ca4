"""Detects commits that fixed a race; does not depend on Spark or the lake."""
