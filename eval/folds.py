"""Which claims carry over: each rule's, on each part of the corpus by itself; for eval.causes."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from eval.causes import Case

_LANGUAGES = {True: "Go", False: "others"}


class Claim(NamedTuple):
    """What is said first: two ways to a cause mostly differ in how sure they are."""

    cause: str
    confidence: float
    language: str


class Tally(NamedTuple):
    """In how many races a claim was made, and in how many it was right or wrong."""

    said: float = 0.0
    right: float = 0.0
    wrong: float = 0.0

    def plus(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))

    def __str__(self) -> str:
        return f"{self.said:.1f} / {self.right:.1f} / {self.wrong:.1f}" if self.said else ""


def tallies(found: Iterable[Case]) -> dict[Claim, Tally]:
    """How the claims about one part's races did; every race weighs the same."""
    some = [case for case in found if case.detector != "drd"]
    reports = Counter(case.race for case in some)
    told: dict[Claim, Tally] = defaultdict(Tally)
    for case in some:
        first = case.findings[0]
        claim = Claim(first.cause, round(first.confidence, 2), _LANGUAGES[case.detector.startswith("go")])
        share = 1 / reports[case.race]
        right, wrong = case.grade in ("exact", "as true"), case.grade == "wrong"
        told[claim] = told[claim].plus(Tally(share, share * right, share * wrong))
    return told


def table(parts: Mapping[str, Sequence[Case]]) -> Iterator[str]:
    """A row per claim: said / right / wrong in each part, what is neither being the general form."""
    told = {part: tallies(found) for part, found in parts.items()}
    yield f"| said first | sure | language | all | {' | '.join(parts)} |"
    yield "|---" * (len(parts) + 4) + "|"
    for claim in sorted({claim for each in told.values() for claim in each}):
        each = [told[part].get(claim, Tally()) for part in parts]
        total = Tally()
        for one in each:
            total = total.plus(one)
        cells = " | ".join(map(str, each))
        yield f"| {claim.cause} | {claim.confidence:.2f} | {claim.language} | {total} | {cells} |"
