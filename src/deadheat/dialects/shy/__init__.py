"""Opt-in detectors, as most of what they match is unrelated to races."""
