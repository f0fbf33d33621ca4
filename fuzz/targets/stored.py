"""What deadheat reads back: results, baselines, suppression files, and the rows and intents of a lake."""

from __future__ import annotations

import json
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import deadheat
from deadheat import api, baseline
from deadheat._version import PARSER_VERSION
from deadheat.baseline import BaselineLineError
from deadheat.baseline.judgement import BaselineGate, NewEntryDetails
from deadheat.errors import DeadheatError
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.grouping.race_assignment import group_sightings
from deadheat.lake import report_row, sighting_rows, transactions
from deadheat.lake.transactions import Intent
from deadheat.sources.archive_limits import parse_limits
from deadheat.sources.ci_metadata import PathPattern, parse_time
from fuzz.checks import read_sightings
from fuzz.mutations import mutate_json, mutate_lines
from fuzz.seeds import case_texts, clean_reports
from fuzz.targets import FuzzTarget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Sighting

_TODAY = "2026-05-01"


@cache
def _sightings() -> tuple[Sighting, ...]:
    return tuple(sighting for report in clean_reports() for sighting in read_sightings(report))


def _check(is_expected: bool) -> None:
    """An assertion about an expected exception."""
    assert is_expected


def read_result(data: bytes) -> None:
    """A line of `scan --format jsonl` is read completely, or refused."""
    try:
        sighting = deadheat.sighting_from_wire(json.loads(data))
    except (ValueError, RecursionError):
        return
    text = json.dumps(deadheat.sighting_to_wire(sighting))
    again = deadheat.sighting_from_wire(json.loads(text))
    assert json.dumps(deadheat.sighting_to_wire(again)) == text


def read_baseline(data: bytes) -> None:
    """A baseline is refused with the number of a line, or is used and written again."""
    try:
        known = baseline.parse_baseline(data.decode("utf-8", "surrogateescape"))
    except BaselineLineError as error:
        _check(0 < error.number <= data.count(b"\n") + 1)
        return
    text = baseline.format_baseline(known)
    again = baseline.parse_baseline(text)
    assert baseline.format_baseline(again) == text
    run = group_sightings(_sightings())
    gate = BaselineGate(known, run.facts, _TODAY)
    for sighting in _sightings():
        gate.judge_race(sighting)
    gate.absent_races()
    updated = baseline.format_baseline(gate.updated_baseline(_sightings(), NewEntryDetails(_TODAY)))
    assert baseline.format_baseline(baseline.parse_baseline(updated)) == updated


def read_suppressions(data: bytes) -> None:
    """Each line of a suppression file is a rule, a comment, or named as a fault."""
    text = data.decode("utf-8", "surrogateescape")
    mutes, faults = baseline.parse_suppressions(text)
    lines = [line.strip() for line in text.splitlines()]
    assert len(mutes) + len(faults) == sum(bool(line) and not line.startswith("#") for line in lines)
    for mute in mutes:
        for sighting in _sightings():
            list(baseline.matching_mutes([mute], sighting))


def read_intent(data: bytes) -> None:
    """An intent of a lake is read completely, or ignored."""
    lake: Any = SimpleNamespace(
        storage=SimpleNamespace(read_bytes=lambda _: data, read_json=lambda _: json.loads(data))
    )
    if (intent := transactions._read_intent(lake, "a.json")) is not None:
        assert Intent.from_json(json.loads(json.dumps(intent.to_json()))) == intent


def store_sightings(data: bytes) -> None:
    """Rows of the lake give back the reports that they were made of."""
    sightings = read_sightings(data)
    rows = [sighting_rows.sighting_row(sighting) for sighting in sightings]
    if not rows:
        return
    versions: tuple[Any, ...] = b"", [], PARSER_VERSION, FINGERPRINT_VERSION
    table = report_row.reports_table([(*row.report.row, *versions) for row in rows])
    reports = {str(report["digest"]): report for report in table.to_pylist()}
    for sighting, row in zip(sightings, sighting_rows.add_variants(rows), strict=True):
        restored = sighting_rows.sighting_from_row(row.row, reports[row.report.digest])
        assert _summary(restored) == _summary(sighting)


def _summary(sighting: Sighting) -> Any:
    """What a row keeps of a sighting: all but the race, the test of a duplicate, and lone surrogates."""
    wire = deadheat.sighting_to_wire(sighting)
    for field in ("race", "causes", "test"):
        del wire[field]
    return report_row.replace_surrogates(json.loads(json.dumps(wire)))


def read_arguments(data: bytes) -> None:
    """Arguments of the command line are accepted, or refused with what to do."""
    text = data.decode("utf-8", "surrogateescape")
    for parse in (parse_time, parse_limits, PathPattern):
        try:
            parsed = parse(text)
        except DeadheatError as error:
            _check(bool(error.do))
            continue
        if isinstance(parsed, PathPattern):
            parsed(f"shop/main/12/{text}")


def _result_seeds() -> Iterable[bytes]:
    for sighting in _sightings():
        yield json.dumps(deadheat.sighting_to_wire(api.diagnose_sighting(sighting))).encode()


def _baseline_seeds() -> Iterable[bytes]:
    run = group_sightings(_sightings())
    gate = BaselineGate(baseline.Baseline(), run.facts, _TODAY)
    text = baseline.format_baseline(
        gate.updated_baseline(_sightings(), NewEntryDetails(_TODAY, "known", "me", "2026-12-31"))
    )
    yield text.encode()
    yield from text.encode().splitlines()
    aliases = [
        f"47d9f89a {link}" for link in ("0f3e5a7c", "=main", "?0f3e5a7c", "!0f3e5a7c", "<0f3e5a7c", "#a0f3e5a7c")
    ]
    yield json.dumps({"race": "47d9f89a", "title": "x", "aliases": aliases}).encode()
    yield b'# comment\n\n{"mute": "race:*Cart*", "reason": "known", "owner": "me", "expires": "2026-12-31"}\n'


def _suppression_seeds() -> Iterable[bytes]:
    yield b"# known\nrace:^main.*Cart$\n\nthread:x\nrace_top:foo*bar\nid:47d9f89aa0\ncalled_from_lib:x\nsignal:b\n"


def _intent_seeds() -> Iterable[bytes]:
    change = {
        "add": [["a.parquet", 12, '{"numRecords": 3}', "2026-05-01"]],
        "remove": ["b.parquet"],
        "data_change": True,
    }
    for query in (None, ["q", 3]):
        yield json.dumps(
            {"batch": "b", "state": 3, "changes": {"ingests": change}, "covered": 0, "replaces": False, "query": query}
        ).encode()


def _argument_seeds() -> Iterable[bytes]:
    yield from (
        b"2026-05-01T12:00:00Z",
        b"1760000000",
        b"bytes=20G,depth=8",
        b"seconds=500",
        b"{repo}/{branch}/{run}/*.log",
        b"**/{time}",
    )


TARGETS = (
    FuzzTarget("results", read_result, _result_seeds, (mutate_json,), 5, 1 << 14),
    FuzzTarget("baseline", read_baseline, _baseline_seeds, (mutate_json, mutate_lines), 3),
    FuzzTarget("suppressions", read_suppressions, _suppression_seeds, (), 3, 512),
    FuzzTarget("lake-intents", read_intent, _intent_seeds, (mutate_json,), 3, 1024),
    FuzzTarget("lake-rows", store_sightings, case_texts, (mutate_lines,), 3),
    FuzzTarget("arguments", read_arguments, _argument_seeds, (), 3, 128),
)
