"""Notifications about races: which, for whom, as which text, and their delivery."""
