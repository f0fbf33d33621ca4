"""The cause of a race from one or all of its reports, chosen in several ways: `python -m eval.causes --by-race`."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from deadheat.diagnosis import cause_votes
from deadheat.diagnosis.finding import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from eval.causes import DiagnosedReport, Truth

    CauseChoice = Callable[[cause_votes.CauseVotes], str | None]
    ReportsByRace = dict[tuple[str, ...], list[DiagnosedReport]]
    GradeFunction = Callable[[str, Truth], str]

GRADES = ("exact", "as true", "general", UNKNOWN, "wrong")


# --- causes by race -------------------------------------------------------------------------------


def _most_frequent(votes: cause_votes.CauseVotes) -> str:
    return min(_known_causes(votes), key=lambda cause: (-votes[cause][0], cause), default=UNKNOWN)


def _greatest_sum(votes: cause_votes.CauseVotes) -> str:
    return min(_known_causes(votes), key=lambda cause: (-votes[cause][1], cause), default=UNKNOWN)


def _known_causes(votes: cause_votes.CauseVotes) -> list[str]:
    return [cause for cause in votes if cause != UNKNOWN]


def _deadheat_choice(votes: cause_votes.CauseVotes) -> str | None:
    return cause_votes.choose_cause(cause_votes.votes_as_rows(votes))


CHOICES: dict[str, CauseChoice] = {
    "most frequent": _most_frequent,
    "greatest sum of confidences": _greatest_sum,
    "deadheat's choice": _deadheat_choice,
}


def table_by_race(reports: Sequence[DiagnosedReport], modes: Iterable[str], grade: GradeFunction) -> Iterator[str]:
    """Each way to choose a race's cause, from the reports of one recording and from those of all."""
    yield "| input | reports of | cause | races | exact | also true | general form | unknown | wrong |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for mode in modes:
        per_recording: ReportsByRace = defaultdict(list)
        per_race: ReportsByRace = defaultdict(list)
        for report in reports:
            if report.mode == mode and report.detector != "drd":
                per_recording[report.race, report.detector, report.recording].append(report)
                per_race[report.race, report.detector].append(report)
        for title, races in (("one recording", per_recording), ("all recordings", per_race)):
            for choice, grades in _grade_choices(races, grade):
                cells = " | ".join(f"{100 * grades[g] / len(races):.1f} %" for g in GRADES)
                yield f"| {mode} | {title} | {choice} | {len(races)} | {cells} |"


def _grade_choices(races: ReportsByRace, grade: GradeFunction) -> Iterator[tuple[str, Counter[str] | dict[str, float]]]:
    average: dict[str, float] = defaultdict(float)
    most_confident: Counter[str] = Counter()
    for reports in races.values():
        for report in reports:
            average[report.grade] += 1 / len(reports)
        most_confident[grade(_most_confident(reports), reports[0].truth)] += 1
    yield "average over the reports", average
    yield "highest confidence", most_confident
    for name, choose in CHOICES.items():
        yield name, Counter(grade(choose(_votes(reports)) or UNKNOWN, reports[0].truth) for reports in races.values())


def _most_confident(reports: Sequence[DiagnosedReport]) -> str:
    findings = [report.findings[0] for report in reports if report.first_cause != UNKNOWN]
    return min([(-f.confidence, f.cause) for f in findings], default=(0.0, UNKNOWN))[1]


def _votes(reports: Iterable[DiagnosedReport]) -> cause_votes.CauseVotes:
    votes: cause_votes.CauseVotes = {}
    for report in reports:
        confidence = round(report.findings[0].confidence, 2)
        cause_votes.add_votes(votes, cause_votes.votes_of_report(report.first_cause, confidence, 1))
    return votes
