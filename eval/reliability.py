"""How often answers are right, and whether their confidences are, with intervals bootstrapped by repository."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.finding import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_RESAMPLES, _SEED = 1_000, 20_260
_INTERVAL = 0.025, 0.975
_BINS = 10
# an answer with this confidence should rarely be wrong
_CONFIDENT = 0.8
# thresholds of confidence are chosen so that no more of all answers are wrong
_WRONG_LIMITS = 0.03, 0.05


class Answer(NamedTuple):
    """What was said about a race, most confident first, and every cause that is acceptable."""

    repo: str
    detector: str
    causes: tuple[tuple[str, float], ...]
    accepted: frozenset[str]

    @property
    def confidence(self) -> float:
        """The confidence of the first cause; 0 if none is named."""
        return self.causes[0][1] if self.is_answered else 0.0

    @property
    def is_answered(self) -> bool:
        return bool(self.causes) and self.causes[0][0] != UNKNOWN

    @property
    def is_right(self) -> bool:
        return self.is_answered and self.causes[0][0] in self.accepted

    @property
    def is_wrong(self) -> bool:
        return self.is_answered and not self.is_right

    @property
    def is_right_within_two(self) -> bool:
        named = [cause for cause, _ in self.causes if cause != UNKNOWN]
        return not self.accepted.isdisjoint(named[:2])


def right_share(answers: Sequence[Answer]) -> float:
    return _share(answers, lambda answer: answer.is_right)


def wrong_share(answers: Sequence[Answer]) -> float:
    return _share(answers, lambda answer: answer.is_wrong)


def right_within_two_share(answers: Sequence[Answer]) -> float:
    return _share(answers, lambda answer: answer.is_right_within_two)


def wrong_share_of_confident(answers: Sequence[Answer]) -> float:
    confident = [answer for answer in answers if answer.is_answered and answer.confidence >= _CONFIDENT]
    return _share(confident, lambda answer: answer.is_wrong)


def calibration_error(answers: Sequence[Answer]) -> float:
    """The expected calibration error: the mean distance between confidence and share of right answers, in ten bins."""
    bins: dict[int, list[Answer]] = defaultdict(list)
    answered = [answer for answer in answers if answer.is_answered]
    for answer in answered:
        bins[min(int(answer.confidence * _BINS), _BINS - 1)].append(answer)
    distance = sum(abs(sum(a.confidence - a.is_right for a in members)) for members in bins.values())
    return distance / len(answered) if answered else 0.0


def answered_and_right(answers: Sequence[Answer], wrong_limit: float) -> tuple[float, float]:
    """The shares of answered and of right answers if those below a confidence are withheld.

    It is the least confidence at which at most `wrong_limit` of all answers are wrong. Equal confidences stay together.
    """
    by_confidence: dict[float, list[Answer]] = defaultdict(list)
    for answer in answers:
        if answer.is_answered:
            by_confidence[answer.confidence].append(answer)
    given = right = wrong = 0
    best = 0, 0
    for confidence in sorted(by_confidence, reverse=True):
        given += len(by_confidence[confidence])
        right += sum(answer.is_right for answer in by_confidence[confidence])
        wrong += sum(answer.is_wrong for answer in by_confidence[confidence])
        if wrong <= wrong_limit * len(answers):
            best = given, right
    return (best[0] / len(answers), best[1] / len(answers)) if answers else (0.0, 0.0)


def bootstrap_interval(answers: Sequence[Answer], measure: Callable[[Sequence[Answer]], float]) -> tuple[float, float]:
    """The 95 % interval of a measure if repositories are drawn anew: races of one repository are alike."""
    by_repo: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_repo[answer.repo].append(answer)
    groups, generator = list(by_repo.values()), random.Random(_SEED)
    values = sorted(
        measure([answer for group in generator.choices(groups, k=len(groups)) for answer in group])
        for _ in range(_RESAMPLES if groups else 0)
    )
    return (values[int(_INTERVAL[0] * len(values))], values[int(_INTERVAL[1] * len(values))]) if values else (0.0, 0.0)


def reliability_table(answers_by_row: Iterable[tuple[str, Sequence[Answer]]]) -> Iterator[str]:
    """One row for each named set of answers."""
    yield (
        "| answers | races | repositories | right | wrong | right within two | wrong of those at 0.8 and more"
        " | calibration error | answered / right at 3 % wrong of all | at 5 % |"
    )
    yield "|---" * 10 + "|"
    for name, answers in answers_by_row:
        confident = sum(answer.confidence >= _CONFIDENT for answer in answers)
        limits = [answered_and_right(answers, limit) for limit in _WRONG_LIMITS]
        cells = [
            name,
            str(len(answers)),
            str(len({answer.repo for answer in answers})),
            *[_percent_with_interval(answers, m) for m in (right_share, wrong_share, right_within_two_share)],
            f"{_percent_with_interval(answers, wrong_share_of_confident)} of {confident}",
            f"{calibration_error(answers):.3f}",
            *[f"{100 * given:.0f} / {100 * right:.0f} %" for given, right in limits],
        ]
        yield f"| {' | '.join(cells)} |"


def _percent_with_interval(answers: Sequence[Answer], measure: Callable[[Sequence[Answer]], float]) -> str:
    low, high = bootstrap_interval(answers, measure)
    return f"{100 * measure(answers):.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def _share(answers: Sequence[Answer], holds: Callable[[Answer], bool]) -> float:
    return sum(map(holds, answers)) / len(answers) if answers else 0.0
