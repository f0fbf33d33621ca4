"""Dialects that wait to be asked for, as most of what they would read has nothing to do with a race.

They are read in bug reports that speak of a race, and where a user asks. A log costs them nothing: not
even the time to import them.
"""
