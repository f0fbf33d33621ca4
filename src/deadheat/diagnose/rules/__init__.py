"""One file per cause: how it shows and what to do about it; a rule knows no other rule and no file.

A module in this folder that has a `RULE` is found by the registry. Its docstring is its page in the
documentation.
"""
