"""Verification by running: is a race still there, is a fix right, which commit changed it.

The runner starts processes:

campaign.py           `reproduce`: trials of one version, spread over configurations
comparison.py         `verify`: trials of old and new code
commit_search.py      `bisect`: trials of many versions
commit_range.py       its commits, and which of them are suspected
search_records.py     its trials in a file, so that it goes on where it was interrupted
code_under_test.py    what to run, and how a version is built
worktrees.py          commits, patches and uncommitted files in folders of our own
go_toolchain.py, go_tests.py, go_output.py    Go: toolchain, test binary, results
trials.py             one trial; `TrialExecutor` is where trials run
code_packages.py, remote_trials.py    versions as files, and their trials on another computer (`deadheat.spark.trials`)
processes.py, launcher.py    processes with limits, without network
sought_race.py        tells the race that is sought from others
racing_line_proof.py  do the racing lines of the new code run
campaign_report.py, statement.py, commit_search_report.py    results as JSON, text and Markdown
record.py             what a lake keeps of a result

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
