"""A race of a lake as text for a terminal: in a list, and with its history, dossier, sightings and stacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deadheat import plugins
from deadheat.diagnosis.finding import UNKNOWN
from deadheat.output.dossier_sentences import SHORT_HASH_LENGTH, describe_best_fix
from deadheat.output.findings import format_place
from deadheat.output.layout import LabelledText, TextPainter, plain_sentence, wrap_text, wrap_words
from deadheat.output.race_counts import ReportPlace
from deadheat.output.race_text import RaceText
from deadheat.printable import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.model import Sighting
    from deadheat.output import OutputStyle

    Row = dict[str, Any]

_MAX_NAMES = 5
_ACTIVE = "active"


def race_lines(race: Row, style: OutputStyle) -> list[str]:
    """A race in a list: on one line for a pipe, wrapped for a terminal."""
    title, cause = visible_text(race["title"]), _cause_title(race["cause"])
    summary = "; ".join(filter(None, (_decision(race), describe_dossier_row(race))))
    facts = [race["race"], f"{race['status']:9}", f"{race['sightings']:7}x", race["last_seen"][:10], title]
    facts += [f"({cause})"] * bool(cause)
    summary = "; ".join(filter(None, (summary, *_describe_verification(race))))
    details = f"[{visible_text(summary)}]" if summary else ""
    if not style.is_wrapped:
        return ["  ".join([*facts, *([details] if details else [])])]
    paint = TextPainter(style.colour)
    first, *rest = wrap_words(facts, style.width, "", "    ", separator="  ")
    rest += wrap_text(details, style.width, "    ", "    ") if details else []
    return [first, *(paint(line, "dim") for line in rest)]


def _describe_verification(race: Row) -> Iterator[str]:
    """The newest verdict on a fix, and what the runs say if that is more than that the race goes on."""
    verification, standing = race.get("verification"), race.get("standing")
    if standing and standing["state"] != _ACTIVE:
        yield standing["sentence"]
    if verification and not (standing and standing["fix"]):
        yield verification["sentence"]


def _decision(race: Row) -> str:
    """What people have decided about a race."""
    return str(race["triage"]["description"]) if race.get("triage") else ""


def describe_dossier_row(row: Row) -> str:
    """Variable, version and fix of a race on one line."""
    pin, variable = row["pin"], row["variable"]
    parts = [_describe_variable(variable)] if variable else []
    parts += [_describe_window(pin)] if pin else []
    fix = describe_best_fix(row["fixed_by"], row["still_present"])
    return "; ".join([*parts, *([f"fix: {fix}"] if fix else [])])


def _describe_variable(variable: Row) -> str:
    return f"{variable['name']} of {variable['owner']}" if variable["owner"] else str(variable["name"])


def _describe_window(pin: Row) -> str:
    first, last = pin["first"][:SHORT_HASH_LENGTH], pin["last"][:SHORT_HASH_LENGTH]
    return f"{first} … {last} ({pin['commits']} commit{'s' * (pin['commits'] != 1)})"


def _cause_title(name: str | None) -> str:
    return plain_sentence(plugins.cause_title(name)) if name and name != UNKNOWN else ""


class LakeRaceText:
    """Formats a race of a lake with everything that is known about it."""

    def __init__(self, style: OutputStyle) -> None:
        self._style, self._paint = style, TextPainter(style.colour)
        self._labelled = LabelledText(style.width, self._paint)

    def lines(self, race: Row, dossier: Row | None, sightings: list[Row], example: Sighting) -> Iterator[str]:
        for line in wrap_text(visible_text(race["title"]), self._style.width):
            yield self._paint(line, "bold")
        facts = [f"race {race['race']}", plugins.display_name(race["detector"]), f"seen {_describe_count(race)}"]
        for line in wrap_words(facts, self._style.width, "", "", separator=" · "):
            yield self._paint(line, "dim")
        yield ""
        yield from self._fact_lines(race, dossier)
        yield from self._sighting_lines(sightings)
        yield ""
        yield from RaceText(self._style).stack_lines(example.report)

    def _fact_lines(self, race: Row, dossier: Row | None) -> Iterator[str]:
        states = ", ".join(f"{state['status']} {state['day']}" for state in race["history"])
        for label, sentence in (
            ("status", f"{race['status']} ({states})"),
            ("by runs", (race.get("standing") or {}).get("sentence", "")),
            ("decision", _decision(race)),
            ("cause", _describe_causes(race, dossier)),
            *_dossier_facts(dossier),
            ("runs", str(race["run_count"] or len(race["runs"]) or "")),
            ("tests", _join_names(race["tests"])),
            ("family", race["family"] or ""),
            ("aliases", _join_names(race["aliases"])),
        ):
            yield from self._labelled.sentences(label, [sentence] if sentence else [])
        verified = (f"{row['at'][:10]}: {row['sentence']}" for row in race.get("verifications", ()))
        yield from self._labelled.sentences("verified", verified)
        if dossier and (command := dossier["reproduce"]) and command["command"]:
            yield from self._labelled.commands("reproduce", map(visible_text, command["command"].split("\n")))

    def _sighting_lines(self, sightings: list[Row]) -> Iterator[str]:
        rows = []
        for row in sightings:
            where = " ".join(row[key] for key in ("repo", "branch", "job", "run") if row[key])
            facts = [f"{row['observed_at']:%Y-%m-%d %H:%M}", self._describe_place(row), where]
            words = [visible_text(fact) for fact in facts if fact]
            rows += wrap_words(words, self._labelled.text_width, "", "  ", separator="  ")
        yield from self._labelled.lines("sightings", rows)

    def _describe_place(self, row: Row) -> str:
        """The document, and the line if it is still there. In a stream of log records, the time says where it is."""
        uri = str(row["uri"])
        line_of = None if uri.startswith("records:") else self._style.line_of
        return format_place(ReportPlace(uri, row["offset"]), line_of)


def _dossier_facts(dossier: Row | None) -> Iterator[tuple[str, str]]:
    """Variable, version and fix, with their labels."""
    if dossier is None:
        return
    if variable := dossier["variable"]:
        where = f" ({variable['file']}:{variable['line']})" if variable["file"] else ""
        yield "variable", f"{_describe_variable(variable)}{where}"
    if pin := dossier["pin"]:
        days = " to ".join(dict.fromkeys((pin["first_day"], pin["last_day"])))
        yield "version", f"{_describe_window(pin)}, {days}; {pin['frames_fit']} of {pin['frames']} frames fit"
    yield "fixed by", describe_best_fix(dossier["fixed_by"], dossier["still_present"])


def _describe_causes(race: Row, dossier: Row | None) -> str:
    """The cause with the code if a dossier has one, else that of the reports, and theirs if they differ."""
    if dossier and dossier.get("cause"):
        return f"{_describe_cause(dossier['cause'])}, with the code"
    counts = [f"{_describe_cause(cause)} of {_times(cause['sightings'])}" for cause in race["causes"]]
    details = f"; by report: {', '.join(counts)}" if len(counts) > 1 else ""
    first = _describe_cause(race["causes"][0]) if len(counts) == 1 else _cause_title(race["cause"]) or race["cause"]
    return f"{first}{details}" if first else ""


def _describe_cause(cause: Row) -> str:
    """`A lock on one side only (97%)`; an unknown cause has no confidence."""
    title = _cause_title(cause["cause"])
    return f"{title} ({cause['confidence']:.0%})" if title else str(cause["cause"])


def _times(count: int) -> str:
    return f"{count} sighting{'s' * (count != 1)}"


def _describe_count(race: Row) -> str:
    """`3 times, 2026-05-01 to 2026-05-04`."""
    days = " to ".join(dict.fromkeys((race["first_seen"][:10], race["last_seen"][:10])))
    count = race["sightings"]
    return f"{'once' if count == 1 else f'{count} times'}, {days}"


def _join_names(names: list[str]) -> str:
    omitted = len(names) - _MAX_NAMES
    return ", ".join(names[:_MAX_NAMES]) + (f" and {omitted} more" if omitted > 0 else "")
