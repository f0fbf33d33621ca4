"""A race's cause from all its reports, and from one: how often each is right; for eval.causes."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from deadheat.diagnosis import ranking
from deadheat.diagnosis.finding import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from eval.causes import Case, Truth

    # of what is said of a race, what is chosen
    Way = Callable[[ranking.CauseVotes], str | None]
    # the reports of which a race consists, by whatever tells it from others
    Races = dict[tuple[str, ...], list[Case]]

GRADES = ("exact", "as true", "general", UNKNOWN, "wrong")


def _oftenest(votes: ranking.CauseVotes) -> str:
    return min(_named(votes), key=lambda cause: (-votes[cause][0], cause), default=UNKNOWN)


def _sum(votes: ranking.CauseVotes) -> str:
    return min(_named(votes), key=lambda cause: (-votes[cause][1], cause), default=UNKNOWN)


def _named(votes: ranking.CauseVotes) -> list[str]:
    return [cause for cause in votes if cause != UNKNOWN]


def _chosen(votes: ranking.CauseVotes) -> str | None:
    return ranking.choose_cause(ranking.votes_as_rows(votes))


WAYS: dict[str, Way] = {"what most reports say": _oftenest, "the greatest sum": _sum, "as it is chosen": _chosen}


def table(found: Sequence[Case], modes: Iterable[str], grade: Callable[[str, Truth], str]) -> Iterator[str]:
    """Each way over the reports of one recording, and over those of all."""
    yield (
        "| what is read | the race's reports | its cause | races | exact | as true | general form | unknown | wrong |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for mode in modes:
        some = [case for case in found if case.mode == mode and case.detector != "drd"]
        for title, races in (("of one recording", _apart(some)), ("of all", _together(some))):
            for way, grades in _graded(races, grade):
                cells = " | ".join(f"{100 * grades[g] / len(races):.1f} %" for g in GRADES)
                yield f"| {mode} | {title} | {way} | {len(races)} | {cells} |"


def _apart(found: Iterable[Case]) -> Races:
    races: Races = defaultdict(list)
    for case in found:
        races[case.race, case.detector, case.recording].append(case)
    return races


def _together(found: Iterable[Case]) -> Races:
    races: Races = defaultdict(list)
    for case in found:
        races[case.race, case.detector].append(case)
    return races


def _graded(races: Races, grade: Callable[[str, Truth], str]) -> Iterator[tuple[str, Counter[str] | dict[str, float]]]:
    alone: dict[str, float] = defaultdict(float)
    surest: Counter[str] = Counter()
    for cases in races.values():
        for case in cases:
            alone[case.grade] += 1 / len(cases)
        surest[grade(_surest(cases), cases[0].truth)] += 1
    yield "that of any one", alone
    yield "that of the surest", surest
    for name, way in WAYS.items():
        told = [grade(way(_votes(cases)) or UNKNOWN, cases[0].truth) for cases in races.values()]
        yield name, Counter(told)


def _surest(cases: Sequence[Case]) -> str:
    named = [case.findings[0] for case in cases if case.first != UNKNOWN]
    return min([(-f.confidence, f.cause) for f in named], default=(0.0, UNKNOWN))[1]


def _votes(cases: Iterable[Case]) -> ranking.CauseVotes:
    votes: ranking.CauseVotes = {}
    for case in cases:
        ranking.add_votes(votes, ranking.votes_of_report(case.first, round(case.findings[0].confidence, 2), 1))
    return votes
