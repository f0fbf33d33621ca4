"""Diagnosis: every cause is found in its example, gives its evidence, and contradicts no other cause."""

from __future__ import annotations

import gc
import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from corpus import store
from corpus.txtar import parse_archive
from deadheat import plugins
from deadheat.diagnosis import RULE_CRASHED, causes_of_report, diagnose
from deadheat.diagnosis.context import RACE_KINDS, RaceContext
from deadheat.diagnosis.facts.condition_checks import asks_if_absent
from deadheat.diagnosis.finding import UNKNOWN, Finding
from deadheat.diagnosis.ranking import MIN_CONFIDENCE
from deadheat.diagnosis.rule import report_features
from deadheat.model import Access, Report
from eval.program_source import ProgramSource, pinned_code
from tests.cases import all_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.repo.code_diagnosis import PinnedCode

ROOT = Path(__file__).parent / "causes"
ARCHIVES = sorted(ROOT.glob("*/*.txtar"))
RULES = plugins.all_rules()
SECTIONS = ("What it sees", "Why it races", "Example", "Remedy", "When it is wrong")


@cache
def read_archive(path: Path) -> list[tuple[Report, PinnedCode]]:
    """The reports of an archive, each with its code."""
    files = parse_archive(path.read_text(encoding="utf-8"))
    text = files.pop("report.txt")
    sources = ProgramSource({name: content.encode() for name, content in files.items()})
    reports = [sighting.report for sighting in deadheat.scan(text)]
    return [(report, pinned_code(sources, report)) for report in reports]


def finding_row(finding: Finding) -> dict[str, Any]:
    row: dict[str, Any] = {"cause": finding.cause, "confidence": round(finding.confidence, 2)}
    row["evidence"] = list(map(str, finding.evidence))
    row["remedy"] = str(finding.remedy)
    return row | ({"test_only": True} if finding.test_only else {})


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_cause_of_an_example_program(path: Path, rewrite: bool) -> None:
    """The first finding without and with source; `--rewrite` updates the expected file."""
    rows = [
        {"alone": finding_row(diagnose(report)[0]), "with source": finding_row(diagnose(report, code)[0])}
        for report, code in read_archive(path)
    ]
    expected = path.with_suffix(".json")
    if rewrite:
        expected.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    assert rows == json.loads(expected.read_text())
    assert path.parent.name in {one["with source"]["cause"] for one in rows}


def test_every_cause_has_an_example() -> None:
    assert {path.parent.name for path in ARCHIVES} == {rule.cause for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.cause)
def test_every_rule_is_documented(rule: Any) -> None:
    import sys

    text = sys.modules[rule.find.__module__].__doc__ or ""
    assert [section for section in SECTIONS if f"\n## {section}\n" not in text] == []
    assert rule.find.__module__.rpartition(".")[2] == rule.cause.replace("-", "_")
    assert {other.cause for other in RULES} >= {*rule.general_causes}


# -- invariants ------------------------------------------------------------------------------------


@cache
def all_reports() -> list[tuple[str, Report]]:
    """Reports of every golden case, and of one or two recordings of each corpus program."""
    named_reports = [(case.name, s.report) for case in all_cases() for s in case.sightings()]
    for folder in sorted(store.unpacked_set("main").glob("*/*/recorded")):
        for path in [*folder.glob("go1.2[17].txt"), *folder.glob("*clang.txt"), *folder.glob("helgrind.txt")]:
            name = f"{folder.parent.name}/{path.stem}"
            text = path.read_text(encoding="utf-8")
            named_reports += [(name, s.report) for s in deadheat.scan(text)]
    return named_reports


def all_contexts() -> Iterator[tuple[str, Report, PinnedCode | None]]:
    yield from ((name, report, None) for name, report in all_reports())
    for path in ARCHIVES:
        for report, code in read_archive(path):
            yield path.stem, report, None
            yield path.stem, report, code


@pytest.mark.compiled_too
def test_no_rule_fails_and_every_finding_has_evidence() -> None:
    for name, report, code in all_contexts():
        for finding in diagnose(report, code):
            assert finding.crashed is None, (name, finding)
            assert 0 <= finding.confidence <= 1, (name, finding)
            if finding.cause == UNKNOWN:
                assert finding.open_questions or code is not None or report.kind != "data-race", name
                continue
            assert finding.evidence, (name, finding.cause)
            assert finding.remedy is not None, (name, finding.cause)
            assert finding.remedy.change, (name, finding.cause)
            assert finding.remedy.check, (name, finding.cause)


@pytest.mark.long
def test_rule_skipped_for_missing_features_would_find_nothing() -> None:
    for name, report, code in all_contexts():
        context = RaceContext(report, code)
        if report.kind in RACE_KINDS:
            shown = report_features(context)
            missed = [r.cause for r in RULES if not r.features & shown and r.find(context) is not None]
            assert missed == [], name


@pytest.mark.long
def test_short_list_of_causes_is_the_beginning_of_the_full_diagnosis() -> None:
    for name, report in all_reports():
        expected = [f.as_cause() for f in diagnose(report) if f.confidence >= 0.2][:3]
        assert list(causes_of_report(report)) == expected, name


def transitive_general_causes(cause: str) -> set[str]:
    (general,) = (rule.general_causes for rule in RULES if rule.cause == cause)
    return {*general, *(wide for one in general for wide in transitive_general_causes(one))}


@pytest.mark.long
def test_no_two_unrelated_rules_are_both_certain() -> None:
    for name, report, code in all_contexts():
        context = RaceContext(report, code)
        hits = [(rule.cause, hit) for rule in RULES if (hit := rule.find(context)) is not None]
        sure = [cause for cause, hit in hits if hit.confidence >= 0.9]
        for one in sure:
            rest = [
                c
                for c in sure
                if c != one and c not in transitive_general_causes(one) and one not in transitive_general_causes(c)
            ]
            assert rest == [], (name, one)


@pytest.mark.long
def test_order_of_rules_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [(report, code, diagnose(report, code)) for _, report, code in all_contexts()]
    shuffled = list(RULES)
    random.Random(7).shuffle(shuffled)
    monkeypatch.setattr(plugins, "all_rules", lambda: tuple(shuffled))
    assert [diagnose(report, code) for report, code, _ in before] == [f for _, _, f in before]


@pytest.mark.long
def test_order_of_accesses_changes_no_cause() -> None:
    """The order of the accesses may decide a cause, but never change it to another one."""
    for name, report, _ in all_contexts():
        reversed_report = report._replace(accesses=report.accesses[::-1])
        if len(report.accesses) == 2 and report.kind == "data-race":
            causes = {diagnose(reversed_report)[0].cause, diagnose(report)[0].cause}
            assert len(causes - {UNKNOWN}) <= 1, name


# -- other behaviour -------------------------------------------------------------------------------


def test_unknown_cause_has_open_questions() -> None:
    findings = diagnose(Report("go", "data-race", ()))
    assert findings[0].cause == UNKNOWN
    assert any("other access" in text for text in findings[0].open_questions)
    assert causes_of_report(Report("go", "data-race", ()))[0].evidence == findings[0].open_questions


def test_crashed_rule_is_reported_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    report, _ = read_archive(ROOT / "concurrent-map" / "tags.txtar")[0]
    good = diagnose(report)

    def fails(_: RaceContext) -> None:
        raise ValueError("boom")

    broken = tuple(replace(rule, find=fails) if rule.cause == "mixed-atomic" else rule for rule in RULES)
    monkeypatch.setattr(plugins, "all_rules", lambda: broken)
    findings = diagnose(report)
    assert findings[:-1] == good
    assert findings[-1].crashed == "mixed-atomic"
    assert [c.cause for c in causes_of_report(report)][-1] == RULE_CRASHED
    assert "boom" in causes_of_report(report)[-1].evidence[0]


def test_causes_are_part_of_the_json() -> None:
    text = parse_archive((ROOT / "concurrent-map" / "tags.txtar").read_text())["report.txt"]
    sighting = deadheat.scan(text)[0]
    row = deadheat.sighting_to_wire(sighting)
    assert row["causes"][0]["cause"] == "concurrent-map"
    assert row["causes"][0]["confidence"] >= MIN_CONFIDENCE
    assert "tags.go:16" in row["causes"][0]["evidence"][0]


@pytest.mark.long
def test_access_without_frames_is_diagnosed() -> None:
    for name, report, _ in all_contexts():
        bare = [access._replace(stack=(), site=None) for access in report.accesses]
        assert diagnose(report._replace(accesses=tuple(bare))), name
        one: tuple[Access, ...] = report.accesses[:1]
        assert all(f.crashed is None for f in diagnose(report._replace(accesses=one))), name


HOSTILE = """WARNING: ThreadSanitizer: data race (pid=1)
  Write of size 4 at 0x7b0400000010 by thread T1:
    #0 work /src/shop/a.c:{write}:5 (shop+0x1)
    #1 tick_main /src/shop/a.c:{call}:5 (shop+0x2)

  Previous read of size 4 at 0x7b0400000010 by main thread:
    #0 main /src/shop/a.c:{read}:5 (shop+0x3)

  Thread T1 (tid=3, running) created by main thread at:
    #0 pthread_create <null> (shop+0x4)
    #1 main /src/shop/a.c:{start}:3 (shop+0x5)

SUMMARY: ThreadSanitizer: data race /src/shop/a.c:{write}:5 in work
"""


class QueryCounter:
    """A source that counts its queries."""

    def __init__(self, code: PinnedCode) -> None:
        self.code, self.queries = code, 0

    def __getattr__(self, name: str) -> Any:
        self.queries += name == "function_at" or name.startswith("find_")
        return getattr(self.code, name)


@pytest.mark.parametrize(
    "line",
    [
        "  timer_stop{0}(g); pool_put{0}(g); f{0}_take(g);",
        "  if (g > {0}) g++;",
        "  while (g) {{ if (g) {{ sem_post(&g{0}); usleep({0}); }} }}",
    ],
)
def test_number_of_source_queries_is_bounded_on_hostile_source(line: str) -> None:
    """Each query takes time in proportion to the function: their number must not grow with it."""
    asked = []
    for size in (50, 200):
        filling = [line.format(at) for at in range(size)]
        rows = ["static void work(void) {", *filling, "  g = 1;", "}", "void *tick_main(void *a) {"]
        rows += ["  work();", "  return a;", "}", "int main(void) {"]
        rows += ["  pthread_create(&t, 0, tick_main, 0);", *filling, "  return g;", "}"]
        at = {"write": "  g = 1;", "call": "  work();", "read": "  return g;"}
        at["start"] = "  pthread_create(&t, 0, tick_main, 0);"
        text = HOSTILE.format(**{name: rows.index(row) + 1 for name, row in at.items()})
        (sighting,) = deadheat.scan(text)
        files = ProgramSource({"a.c": "\n".join(rows).encode()})
        code: Any = QueryCounter(pinned_code(files, sighting.report))
        findings = diagnose(sighting.report, code)
        assert not any(f.crashed for f in findings)
        asked.append(code.queries)
    assert asked[1] <= max(asked[0], 180)


def test_diagnosis_leaves_no_reference_cycles() -> None:
    """A context and its sides refer to each other: millions of them must not wait for the garbage collector."""
    some = [report for _, report in all_reports()[::9]]
    for report in some:
        causes_of_report(report)  # fill the caches
    gc.collect()
    gc.disable()
    try:
        for report in some:
            causes_of_report(report)
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("asked", "absent"),
    [
        ("c.conn == nil", True),
        ("e := c.load(); e == nil", True),
        ("out, err := d.decode(m); err == nil", False),
        ("readErr == nil", False),
        ("--refs == 0", False),
    ],
)
def test_check_for_success_is_not_a_check_for_absence(asked: str, absent: bool) -> None:
    assert asks_if_absent(asked) is absent
