"""`verify`: runs old and new code in random order until the verdict on a fix is proven, or the time is over."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from deadheat.printable import visible_text
from deadheat.verification.campaign import Counts
from deadheat.verification.sequential import FixVerdict, Reason, Trial, Verification, Version
from deadheat.verification.trials import TrialRequest, judge_observation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deadheat.verification.racing_line_proof import LineProof
    from deadheat.verification.sequential import Assignment, Conclusion
    from deadheat.verification.sought_race import RenamedSearch, SoughtRace
    from deadheat.verification.trials import Configuration, TrialCode, TrialExecutor, TrialObservation


# after the proof it goes on until at most this share of the old rate is left, for this share of the time at most
REMAINING_GOAL, _SHARE_AFTER_PROOF = 0.1, 0.25


class VersionUnderTest(NamedTuple):
    """One side of a verification."""

    code: TrialCode
    renamed: Callable[[], RenamedSearch | None]  # finds the race after a renaming; slow to make


@dataclass
class Comparison:
    """A verification that runs."""

    sought: SoughtRace
    versions: Mapping[Version, VersionUnderTest]
    configuration: Configuration
    executor: TrialExecutor
    verification: Verification
    seconds: float
    on_trial: Callable[[Comparison], None]
    known_races: frozenset[str] = frozenset()  # other races that the old code showed before
    counts: dict[Version, Counts] = field(default_factory=lambda: {version: Counts() for version in Version})
    elapsed: float = 0.0
    was_interrupted: bool = False

    def run(self) -> None:
        """Run trials until the verdict is final or the time is over. An interruption ends it early."""
        started = time.monotonic()
        deadline = started + self.seconds
        try:
            while not self._is_decided() and time.monotonic() < deadline:
                while self.executor.has_room(self.configuration) and self._needs_more():
                    self._start()
                for request, observation in self.executor.wait(max(0.0, deadline - time.monotonic())):
                    self._record(request, observation)
                self.elapsed = time.monotonic() - started
        except KeyboardInterrupt:
            self.was_interrupted = True
        self.elapsed = time.monotonic() - started

    def _is_decided(self) -> bool:
        """Whether more trials tell nothing; *fixed* is checked for a while, because a rarer race may be left."""
        verdict, reason = self.verification.judge()
        if verdict is not FixVerdict.FIXED:
            return reason is not Reason.NOT_ENOUGH
        bound = self.verification.rule.remaining_bound(self.verification.counted_sightings)
        is_low = bound is not None and bound <= REMAINING_GOAL
        return is_low or self.elapsed >= self.seconds * _SHARE_AFTER_PROOF

    def _needs_more(self) -> bool:
        """Whether another trial may be needed, even if the old code fails as often as its trials so far allow."""
        if not self.executor.is_shared:
            return True
        has_sightings = self.verification.counted_sightings >= self.verification.rule.sightings_needed
        forecast = self.verification.forecast(REMAINING_GOAL if has_sightings else None)
        return len(self.executor) < max(1, forecast.fewest)

    def _start(self) -> None:
        assignment = self.verification.next_trial()
        self.executor.start(TrialRequest(assignment, self.versions[assignment.version].code, self.configuration))

    def _record(self, request: TrialRequest, observation: TrialObservation) -> None:
        assignment: Assignment = request.key  # type: ignore[assignment]
        result = judge_observation(observation, self.sought)
        if not result.races.is_this and result.races.others:
            # only a race that is not recognised may be renamed
            renamed = self.versions[assignment.version].renamed()
            result = judge_observation(observation, self.sought, renamed)
        self.counts[assignment.version].add(result)
        others = tuple(race for race in result.races.others if race not in self.known_races)
        trial = Trial(assignment.slot, result.outcome, result.seconds, result.is_complete, others)
        self.verification.record(trial)
        self.on_trial(self)


class Judgement(NamedTuple):
    """The verdict on a fix with the sentence that says why."""

    verdict: FixVerdict
    reason: str
    conclusion: Conclusion | None  # None: the trials did not begin


def judge_fix(conclusion: Conclusion | None, proof: LineProof | None, missing_tests: Sequence[str] = ()) -> Judgement:
    """The verdict of the trials, unless the racing lines of the new code, or one of several tests, do not run."""
    if (
        proof is not None
        and proof.is_vacuous
        and (conclusion is None or conclusion.verdict is not FixVerdict.STILL_RACES)
    ):
        lines = " and ".join(site.description for site in proof.missing)
        return Judgement(FixVerdict.VACUOUS, f"the racing lines of the new code do not run: {lines}", conclusion)
    assert conclusion is not None
    if conclusion.verdict is FixVerdict.FIXED and proof is not None and proof.missing:
        lines = " and ".join(site.description for site in proof.missing)
        return Judgement(
            FixVerdict.INCONCLUSIVE, f"a racing line was not seen to run in the new code: {lines}", conclusion
        )
    if conclusion.verdict is FixVerdict.FIXED and missing_tests:
        tests = " and ".join(map(visible_text, missing_tests))
        return Judgement(FixVerdict.VACUOUS, f"a test of this race is not in the new code: {tests}", conclusion)
    if conclusion.verdict is FixVerdict.FIXED and proof is not None and proof.is_gone:
        return Judgement(FixVerdict.INCONCLUSIVE, _NOTHING_LEFT, conclusion)
    return Judgement(conclusion.verdict, conclusion.reason.value, conclusion)


_NOTHING_LEFT = "the functions that raced are gone or empty, so it is not known if the new code still runs what raced"
