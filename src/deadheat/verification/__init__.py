"""Verification by running: is a race still there, is a fix right, which commit changed it.

The statistics are pure functions and small classes without I/O, clock or hidden randomness.

rates.py          failure rates: intervals, predictive probabilities, runs that are needed
sequential.py     old against new code: the verdict, with an error bound that holds whenever one stops
bandit.py         which configuration of a run shows the race most often per second
bisection.py      which commit introduced or fixed it, from noisy runs
silence.py        is a race quiet, back, or did its fix not hold

A verification, where `run` starts a process of the assigned version and returns its `Trial`:

    verification = Verification(Rule(confidence=0.99), seed, trials=former_trials)
    while verification.judge()[1] is Reason.NOT_ENOUGH and not is_time_over():
        verification.record(run(verification.next_trial()))
    conclusion = verification.conclude()

A bisection, where `run` appends an observation, or adds the commit to `unbuildable`:

    suspects = Suspects(Change.FIXED, len(commits), prior, racing=(pinned,))
    while step := next_step(suspects, observations, costs, unbuildable):
        run(step)
    answer = best_answer(suspects, observations, unbuildable)
"""
