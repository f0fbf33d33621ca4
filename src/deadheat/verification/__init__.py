"""Verification by running: is a race still there, is a fix right, which commit changed it.

The statistics are pure functions and small classes without I/O, clock or hidden randomness.

rates.py          failure rates: intervals, predictive probabilities, runs that are needed
sequential.py     old against new code: the verdict, with an error bound that holds whenever one stops
bandit.py         which configuration of a run shows the race most often per second
bisection.py      which commit introduced or fixed it, from noisy runs
silence.py        is a race quiet, back, or did its fix not hold
"""
