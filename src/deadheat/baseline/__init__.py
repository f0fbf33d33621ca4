"""The baseline file: known races and mutes as sorted JSON lines that people can review.

A line stores what grouping needs to recognise the race in another run: its variants, their alternate
keys, and whether their callers matter.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from deadheat.grouping import races
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION, FORMER_VERSION, former_report_fingerprint
from deadheat.grouping.keys import is_one_sided
from deadheat.grouping.links import Link, LinkKind
from deadheat.grouping.races import Variant
from deadheat.printable import format_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.model import Frame, Report, Sighting

_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")  # 2026-12-31
_RACE_ID = re.compile(r"[0-9a-f]{8,40}")  # 47d9f89aa0ce7b72
# "v3/47d9f89aa0ce7b72/0f3e5a7c9b1d2e4f/0": version, fingerprint, callers, ordinal;
# "/50d3d4" if ambiguous, "/-" if of one-sided reports
# a race of version 2 is known by the former base of its reports
_KNOWN_VERSIONS = (FORMER_VERSION, FINGERPRINT_VERSION)
_VARIANT_NAME = re.compile(r"v(\d{1,4})/([0-9a-f]{8,40})/([0-9a-f]{0,40})/(\d{1,4})(?:/([0-9a-f]{0,40}-?))?")


# the suppression type of each kind of report; all others are "race"
_SUPPRESSION_TYPES = {
    "thread-leak": "thread",
    "lock-order-inversion": "deadlock",
    "signal-unsafe-call": "signal",
    "errno-in-signal": "signal",
    "destroy-locked-mutex": "mutex",
    "double-lock": "mutex",
    "unlock-unlocked-mutex": "mutex",
    "invalid-mutex-access": "mutex",
    "mutex-held-wrong-context": "mutex",
    "read-lock-of-write-locked-mutex": "mutex",
    "read-unlock-of-write-locked-mutex": "mutex",
}


_TOP_FRAME_TYPE = "race_top"


_PATTERN_TYPES = frozenset(("race", _TOP_FRAME_TYPE, "id", *_SUPPRESSION_TYPES.values()))


# ThreadSanitizer types that cannot be decided from the report alone
_UNSUPPORTED_TYPES = frozenset(("called_from_lib",))


_MIN_ID_LENGTH = 6


class Mute(NamedTuple):
    """A mute rule with its reason, owner and expiry date."""

    pattern: str
    reason: str = ""
    owner: str = ""
    expires: str = ""  # a date as in 2026-12-31


def pattern_error(pattern: str) -> str:
    """The error in a pattern; empty if it is valid."""
    kind, colon, name = pattern.partition(":")
    if not colon or kind not in _PATTERN_TYPES:
        return f"{pattern!r} does not begin with one of {', '.join(sorted(_PATTERN_TYPES))} and a colon"
    if kind == "id" and (len(name) < _MIN_ID_LENGTH or name.strip("0123456789abcdef")):
        return f"{pattern!r} needs a race id of at least {_MIN_ID_LENGTH} hexadecimal digits"
    return "" if name.strip("*^$ ") else f"{pattern!r} would mute everything"


def parse_suppressions(text: str) -> tuple[list[Mute], list[str]]:
    """The rules of a suppression file, and the errors in its other lines.

    The comment above a rule is its reason, up to the next blank line.
    """
    mutes: list[Mute] = []
    faults: list[str] = []
    reason: list[str] = []
    above = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if line.startswith("#"):
            # a comment after a rule starts a new reason
            reason = [*(reason if above.startswith("#") else []), line.lstrip("# ")]
        elif not line:
            reason = []
        elif line.partition(":")[0] in _UNSUPPORTED_TYPES:
            faults.append(f"line {number}: {line.partition(':')[0]} is not supported, ignored")
        elif error := pattern_error(line):
            faults.append(f"line {number}: {error}, ignored")
        else:
            mutes.append(Mute(line, " ".join(reason)))
        above = line
    return mutes, faults


def matching_mutes(mutes: Iterable[Mute], sighting: Sighting) -> Iterator[Mute]:
    """The rules that mute this race."""
    report = sighting.report
    suppression_type = _SUPPRESSION_TYPES.get(report.kind, "race")
    names = list(_all_report_names(report))
    text = "\n".join(names)
    for mute in mutes:
        kind, _, name = mute.pattern.partition(":")
        if kind == "id":
            ids = sighting.verdict.race, former_report_fingerprint(report)
            is_match = any(one.startswith(name) for one in ids)
        elif suppression_type != ("race" if kind == _TOP_FRAME_TYPE else kind):
            is_match = False
        elif kind == _TOP_FRAME_TYPE:
            is_match = any(_pattern_matches(name, other) for other in _top_frame_names(report))
        else:  # most rules have a part that is nowhere in the report
            is_match = all(part in text for part in name.removeprefix("^").removesuffix("$").split("*"))
            is_match = is_match and any(_pattern_matches(name, other) for other in names)
        if is_match:
            yield mute


def _top_frame_names(report: Report) -> Iterator[str]:
    for access in report.accesses:
        for frame in access.stack[:1]:
            yield from _frame_names(frame)


def _all_report_names(report: Report) -> Iterator[str]:
    stacks = [access.stack for access in report.accesses]
    stacks += [actor.created_at for actor in report.actors]
    stacks += [stack for edge in report.cycle for stack in (edge.stack, edge.held_stack)]
    for stack in stacks:
        for frame in stack:
            if not frame.stale:
                yield from _frame_names(frame)
    if report.location is not None:
        yield from filter(None, (report.location.name, report.location.file))


def _frame_names(frame: Frame) -> Iterator[str]:
    yield from (frame.function, frame.file, frame.path)
    if frame.package:  # with the full import path, as the Go detector prints it
        yield f"{frame.package}.{frame.function.partition('.')[2]}"


def _pattern_matches(pattern: str, text: str) -> bool:
    """Matches in one pass: each part is searched after the previous one."""
    anchored_start, anchored_end = pattern.startswith("^"), pattern.endswith("$")
    parts = pattern.removeprefix("^").removesuffix("$").split("*")
    if anchored_start and not text.startswith(parts[0]):
        return False
    position = len(parts[0]) if anchored_start else 0
    last = len(parts) - 1
    for number, part in enumerate(parts):
        if number == 0 and anchored_start and (last or not anchored_end):
            continue
        if number == last and anchored_end:
            is_exact = anchored_start and not last
            return text == part if is_exact else len(text) - len(part) >= position and text.endswith(part)
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return True


class BaselineLineError(ValueError):
    """An invalid line of a baseline file."""

    def __init__(self, number: int, what: str) -> None:
        self.number, self.what = number, what
        super().__init__(f"line {number}: {what}")


@dataclass(frozen=True, slots=True)
class KnownRace:
    """A race in the baseline."""

    race: str
    title: str = ""
    reason: str = ""
    owner: str = ""
    expires: str = ""  # last day on which it is known
    since: str = ""
    sites: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()  # ids of races that were merged into it
    variants: tuple[Variant, ...] = ()
    aliases: tuple[str, ...] = ()  # "ID ALIAS": alternate, required or provided keys of its variants
    split: tuple[str, ...] = ()  # fingerprints that are separated by caller
    stale: bool = False  # written with another fingerprint version
    package: str = ""  # whose Go test printed it
    test: str = ""
    other_test: str = ""  # of the second side, if it differs


@dataclass(frozen=True, slots=True)
class Baseline:
    known: tuple[KnownRace, ...] = ()
    mutes: tuple[Mute, ...] = ()


def known_race_evidence(known: tuple[KnownRace, ...]) -> races.GroupingFacts:
    """The known races as evidence that grouping can join with that of a run."""
    evidence = races.empty_facts()
    for entry in known:
        main_id = main_variant(entry).id
        for variant in variants_of(entry):
            evidence.variants[variant.id] = variant
            evidence.links.add((main_id, variant.id))
        for pair in entry.aliases:
            name, _, alias = pair.partition(" ")
            if alias and name in evidence.variants:
                link = Link.decode(alias)
                if link.kind is LinkKind.SHARED_NAME:
                    evidence.shared_names.add((name, link.key))
                else:
                    evidence.aliases.add((name, link))
        evidence.split_by_caller.update(entry.split)
    return evidence


def variants_of(entry: KnownRace) -> tuple[Variant, ...]:
    """The variants; a line written by hand has only the race id, which is usually the fingerprint."""
    return entry.variants or (Variant(entry.race, ""),)


def main_variant(entry: KnownRace) -> Variant:
    """A variant that others can be linked to: one of two-sided reports, if there is one."""
    return min(variants_of(entry), key=lambda variant: is_one_sided(variant.id))


def format_baseline(baseline: Baseline) -> str:
    """The text of the file: mutes first, then races by title."""
    mutes = sorted(baseline.mutes)
    known = sorted(baseline.known, key=lambda known_race: (known_race.title, known_race.race))
    records = [*map(_mute_to_json, mutes), *map(_known_race_to_json, known)]
    return "".join(format_json(record) + "\n" for record in records)


# optional: a baseline of an earlier version has none of them
_ORIGIN_FIELDS = ("package", "test", "other_test")


def _mute_to_json(mute: Mute) -> dict[str, Any]:
    return {"mute": mute.pattern, **_reason_fields(mute)}


def _known_race_to_json(entry: KnownRace) -> dict[str, Any]:
    names = [_format_variant(variant) for variant in entry.variants]
    return {
        "race": entry.race,
        "title": entry.title,
        **_reason_fields(entry),
        "since": entry.since,
        "sites": list(entry.sites),
        **{name: value for name in _ORIGIN_FIELDS if (value := getattr(entry, name))},
        **({"merged": list(entry.merged)} if entry.merged else {}),
        "names": sorted(names),
        "aliases": sorted(entry.aliases),
        **({"split": sorted(entry.split)} if entry.split else {}),
    }


def _format_variant(variant: Variant) -> str:
    name = f"v{FINGERPRINT_VERSION}/{variant.fingerprint}/{variant.caller_digest}/{variant.ordinal}"
    return f"{name}/{variant.ambiguity}" if variant.ambiguity else name


def _reason_fields(entry: KnownRace | Mute) -> dict[str, Any]:
    return {"reason": entry.reason, "owner": entry.owner, "expires": entry.expires or None}


def parse_baseline(text: str) -> Baseline:
    """The inverse of `format_baseline`; skips blank lines and lines starting with `#` or `//`."""
    known: list[KnownRace] = []
    mutes: list[Mute] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith(("#", "//")):
            continue
        record = _parse_json_line(number, line)
        if "mute" in record:
            mutes.append(_parse_mute(number, record))
        else:
            known.append(_parse_known_race(number, record))
    return Baseline(tuple(known), tuple(mutes))


def _parse_json_line(number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        conflict = line.startswith(("<<<<<<<", "=======", ">>>>>>>"))
        error = "is a merge conflict marker" if conflict else "is not valid JSON"
        raise BaselineLineError(number, error) from None
    if not isinstance(record, dict) or not {"race", "mute"} & record.keys():
        raise BaselineLineError(number, 'has neither "race" nor "mute"')
    return record


def _parse_mute(number: int, record: dict[str, Any]) -> Mute:
    pattern = _text_field(number, record, "mute")
    if error := pattern_error(pattern):
        raise BaselineLineError(number, error)
    if not _text_field(number, record, "reason").strip():
        raise BaselineLineError(number, f"the mute {pattern!r} has no reason")
    return Mute(pattern, *_parse_reason_fields(number, record))


def _parse_known_race(number: int, record: dict[str, Any]) -> KnownRace:
    race = _text_field(number, record, "race")
    if not _RACE_ID.fullmatch(race):
        raise BaselineLineError(number, f"{race!r} is not a race id")
    names = [_VARIANT_NAME.fullmatch(name) for name in _text_list_field(number, record, "names")]
    current = [match for match in names if match is not None and int(match[1]) in _KNOWN_VERSIONS]
    reason, owner, expires = _parse_reason_fields(number, record)
    return KnownRace(
        race,
        _text_field(number, record, "title"),
        reason,
        owner,
        expires,
        _text_field(number, record, "since"),
        _text_list_field(number, record, "sites"),
        _text_list_field(number, record, "merged"),
        tuple(Variant(match[2], match[3], int(match[4]), match[5] or "") for match in current),
        _alias_field(number, record),
        _text_list_field(number, record, "split"),
        bool(names) and not current,
        *(_text_field(number, record, name) for name in _ORIGIN_FIELDS),
    )


def _parse_reason_fields(number: int, record: dict[str, Any]) -> tuple[str, str, str]:
    expires = _text_field(number, record, "expires")
    if expires and not is_date(expires):
        raise BaselineLineError(number, f"{expires!r} is not a date such as 2026-12-31")
    return _text_field(number, record, "reason"), _text_field(number, record, "owner"), expires


def is_date(text: str) -> bool:
    return _DATE.fullmatch(text) is not None


def _text_field(number: int, record: dict[str, Any], key: str) -> str:
    value = record.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BaselineLineError(number, f'"{key}" is not a string')
    return value


def _alias_field(number: int, record: dict[str, Any]) -> tuple[str, ...]:
    aliases = _text_list_field(number, record, "aliases")
    for alias in aliases:
        try:
            Link.decode(alias.partition(" ")[2])
        except (ValueError, IndexError):
            raise BaselineLineError(number, f"{alias!r} is not an alias") from None
    return aliases


def _text_list_field(number: int, record: dict[str, Any], key: str) -> tuple[str, ...]:
    def items() -> Iterator[str]:
        for value in values:
            if not isinstance(value, str):
                raise BaselineLineError(number, f'"{key}" is not a list of strings')
            yield value

    values = record.get(key) or []
    if not isinstance(values, list):
        raise BaselineLineError(number, f'"{key}" is not a list of strings')
    return tuple(items())
