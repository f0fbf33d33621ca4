"""What rules said of a set that was new to them; once they have learnt from it, none can ask again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eval.causes import Truth, grade

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eval.causes import Case

FOLDER = Path(__file__).with_name("blind_sets")
_HEAD = ("mode", "race", "detector", "cause", "also", "said", "sure", "reports")


class Outcome(NamedTuple):
    """What is said first of some reports of a race, and what is true of it."""

    part: str
    mode: str
    race: str
    detector: str
    truth: Truth
    said: str
    sure: float
    reports: int

    @property
    def grade(self) -> str:
        return grade(self.said, self.truth)


def path_of(part: str) -> Path:
    return FOLDER / f"{part}.tsv"


def outcomes(part: str, found: Iterable[Case]) -> list[Outcome]:
    """The cases of a part, those that differ in nothing but their recording counted together."""
    count = Counter((c.mode, c.race, c.detector, c.truth, c.first, round(c.findings[0].confidence, 2)) for c in found)
    return [Outcome(part, *key, reports) for key, reports in sorted(count.items(), key=lambda one: _text(*one))]


def _text(key: tuple[str, str, str, Truth, str, float], reports: int) -> tuple[str, ...]:
    mode, race, detector, truth, said, sure = key
    also = " ".join(sorted(truth.also))
    return mode, race, detector, truth.cause, also, said, f"{sure:.2f}", str(reports)


def written(told: Iterable[Outcome]) -> str:
    rows = [_HEAD, *(_text(one[1:-1], one.reports) for one in told)]
    return "".join("\t".join(row) + "\n" for row in rows)


def read(part: str) -> Iterator[Outcome]:
    _, *rows = path_of(part).read_text(encoding="utf-8").splitlines()
    for row in rows:
        mode, race, detector, cause, also, said, sure, reports = row.split("\t")
        truth = Truth(cause, frozenset(also.split()))
        yield Outcome(part, mode, race, detector, truth, said, float(sure), int(reports))
