"""Diagnosis: every cause is found where it is, says why, and never contradicts another one aloud."""

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
def read(path: Path) -> list[tuple[Report, PinnedCode]]:
    """The reports of an archive, each with its code."""
    files = parse_archive(path.read_text(encoding="utf-8"))
    text = files.pop("report.txt")
    sources = ProgramSource({name: content.encode() for name, content in files.items()})
    reports = [sighting.report for sighting in deadheat.scan(text)]
    return [(report, pinned_code(sources, report)) for report in reports]


def told(finding: Finding) -> dict[str, Any]:
    plain: dict[str, Any] = {"cause": finding.cause, "confidence": round(finding.confidence, 2)}
    plain["evidence"] = list(map(str, finding.evidence))
    plain["remedy"] = str(finding.remedy)
    return plain | ({"test_only": True} if finding.test_only else {})


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_cause(path: Path, rewrite: bool) -> None:
    """What is said of a small program's race, alone and with its code; a person reads the diff."""
    found = [
        {"alone": told(diagnose(report)[0]), "with source": told(diagnose(report, code)[0])}
        for report, code in read(path)
    ]
    expected = path.with_suffix(".json")
    if rewrite:
        expected.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    assert found == json.loads(expected.read_text())
    assert path.parent.name in {one["with source"]["cause"] for one in found}


def test_every_cause_has_its_case() -> None:
    assert {path.parent.name for path in ARCHIVES} == {rule.cause for rule in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.cause)
def test_every_rule_explains_itself(rule: Any) -> None:
    import sys

    text = sys.modules[rule.find.__module__].__doc__ or ""
    assert [section for section in SECTIONS if f"\n## {section}\n" not in text] == []
    assert rule.find.__module__.rpartition(".")[2] == rule.cause.replace("-", "_")
    assert {other.cause for other in RULES} >= {*rule.general_causes}


# -- laws ------------------------------------------------------------------------------------------


@cache
def reports() -> list[tuple[str, Report]]:
    """Every golden case, and of each program of the corpus a recording or two."""
    found = [(case.name, s.report) for case in all_cases() for s in case.sightings()]
    for folder in sorted(store.unpacked_set("main").glob("*/*/recorded")):
        for path in [*folder.glob("go1.2[17].txt"), *folder.glob("*clang.txt"), *folder.glob("helgrind.txt")]:
            name = f"{folder.parent.name}/{path.stem}"
            text = path.read_text(encoding="utf-8")
            found += [(name, s.report) for s in deadheat.scan(text)]
    return found


def scenes() -> Iterator[tuple[str, Report, PinnedCode | None]]:
    yield from ((name, report, None) for name, report in reports())
    for path in ARCHIVES:
        for report, code in read(path):
            yield path.stem, report, None
            yield path.stem, report, code


@pytest.mark.twice
def test_no_rule_fails_and_every_finding_says_why() -> None:
    for name, report, code in scenes():
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
def test_a_rule_that_is_not_asked_would_have_found_nothing() -> None:
    for name, report, code in scenes():
        scene = RaceContext(report, code)
        if report.kind in RACE_KINDS:
            shown = report_features(scene)
            missed = [r.cause for r in RULES if not r.features & shown and r.find(scene) is not None]
            assert missed == [], name


@pytest.mark.long
def test_the_brief_answer_is_the_whole_one_cut_short() -> None:
    for name, report in reports():
        whole = [f.as_cause() for f in diagnose(report) if f.confidence >= 0.2][:3]
        assert list(causes_of_report(report)) == whole, name


def wider(cause: str) -> set[str]:
    (general,) = (rule.general_causes for rule in RULES if rule.cause == cause)
    return {*general, *(wide for one in general for wide in wider(one))}


@pytest.mark.long
def test_two_rules_never_both_claim_it_and_disagree() -> None:
    for name, report, code in scenes():
        scene = RaceContext(report, code)
        hits = [(rule.cause, hit) for rule in RULES if (hit := rule.find(scene)) is not None]
        sure = [cause for cause, hit in hits if hit.confidence >= 0.9]
        for one in sure:
            rest = [c for c in sure if c != one and c not in wider(one) and one not in wider(c)]
            assert rest == [], (name, one)


@pytest.mark.long
def test_what_is_said_does_not_depend_on_the_order_of_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [(report, code, diagnose(report, code)) for _, report, code in scenes()]
    shuffled = list(RULES)
    random.Random(7).shuffle(shuffled)
    monkeypatch.setattr(plugins, "all_rules", lambda: tuple(shuffled))
    assert [diagnose(report, code) for report, code, _ in before] == [f for _, _, f in before]


@pytest.mark.long
def test_the_order_of_the_sides_changes_no_cause() -> None:
    """Detectors tell the later access first: that may settle a cause, but never make it another."""
    for name, report, _ in scenes():
        turned = report._replace(accesses=report.accesses[::-1])
        if len(report.accesses) == 2 and report.kind == "data-race":
            said = {diagnose(turned)[0].cause, diagnose(report)[0].cause}
            assert len(said - {UNKNOWN}) <= 1, name


# -- what is left ----------------------------------------------------------------------------------


def test_where_nothing_is_known_it_is_said_what_would_settle_it() -> None:
    found = diagnose(Report("go", "data-race", ()))
    assert found[0].cause == UNKNOWN
    assert any("other access" in text for text in found[0].open_questions)
    assert causes_of_report(Report("go", "data-race", ()))[0].evidence == found[0].open_questions


def test_a_rule_that_fails_is_seen_and_does_not_cost_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    report, _ = read(ROOT / "concurrent-map" / "tags.txtar")[0]
    good = diagnose(report)

    def fails(_: RaceContext) -> None:
        raise ValueError("boom")

    broken = tuple(replace(rule, find=fails) if rule.cause == "mixed-atomic" else rule for rule in RULES)
    monkeypatch.setattr(plugins, "all_rules", lambda: broken)
    found = diagnose(report)
    assert found[:-1] == good
    assert found[-1].crashed == "mixed-atomic"
    assert [c.cause for c in causes_of_report(report)][-1] == RULE_CRASHED
    assert "boom" in causes_of_report(report)[-1].evidence[0]


def test_causes_stand_in_the_json() -> None:
    text = parse_archive((ROOT / "concurrent-map" / "tags.txtar").read_text())["report.txt"]
    sighting = deadheat.scan(text)[0]
    plain = deadheat.sighting_to_wire(sighting)
    assert plain["causes"][0]["cause"] == "concurrent-map"
    assert plain["causes"][0]["confidence"] >= MIN_CONFIDENCE
    assert "tags.go:16" in plain["causes"][0]["evidence"][0]


@pytest.mark.long
def test_a_side_without_a_frame_is_no_obstacle() -> None:
    for name, report, _ in scenes():
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


class Counted:
    """A source that counts what it is asked."""

    def __init__(self, code: PinnedCode) -> None:
        self.code, self.asked = code, 0
        self.shared_variable, self.shares_loop_variables, self.is_set_in_literal = (
            code.shared_variable,
            code.shares_loop_variables,
            code.is_set_in_literal,
        )
        self.is_only_cleared = code.is_only_cleared

    def function_at(self, *told: Any) -> Any:
        self.asked += 1
        return self.code.function_at(*told)

    def find_function(self, *told: Any) -> Any:
        self.asked += 1
        return self.code.find_function(*told)

    def find_thread_start(self, *told: Any) -> Any:
        self.asked += 1
        return self.code.find_thread_start(*told)

    def find_callers(self, *told: Any) -> Any:
        self.asked += 1
        return self.code.find_callers(*told)

    def find_field_uses(self, *told: Any) -> Any:
        self.asked += 1
        return self.code.find_field_uses(*told)

    def find_stores(self, *told: Any) -> Any:
        self.asked += 1
        return self.code.find_stores(*told)

    def find_copy(self, *told: Any) -> Any:
        self.asked += 1
        return self.code.find_copy(*told)


@pytest.mark.parametrize(
    "line",
    [
        "  timer_stop{0}(g); pool_put{0}(g); f{0}_take(g);",
        "  if (g > {0}) g++;",
        "  while (g) {{ if (g) {{ sem_post(&g{0}); usleep({0}); }} }}",
    ],
)
def test_a_hostile_source_is_asked_no_more_than_a_tame_one(line: str) -> None:
    """Every question costs as much as its function is long: their number must not grow with it."""
    asked = []
    for many in (50, 200):
        filling = [line.format(at) for at in range(many)]
        rows = ["static void work(void) {", *filling, "  g = 1;", "}", "void *tick_main(void *a) {"]
        rows += ["  work();", "  return a;", "}", "int main(void) {"]
        rows += ["  pthread_create(&t, 0, tick_main, 0);", *filling, "  return g;", "}"]
        at = {"write": "  g = 1;", "call": "  work();", "read": "  return g;"}
        at["start"] = "  pthread_create(&t, 0, tick_main, 0);"
        text = HOSTILE.format(**{name: rows.index(row) + 1 for name, row in at.items()})
        (sighting,) = deadheat.scan(text)
        files = ProgramSource({"a.c": "\n".join(rows).encode()})
        code = Counted(pinned_code(files, sighting.report))
        found = diagnose(sighting.report, code)
        assert not any(f.crashed for f in found)
        asked.append(code.asked)
    assert asked[1] <= max(asked[0], 180)


def test_what_a_report_made_is_gone_with_it() -> None:
    """A scene and its sides hold each other: millions of them must not wait for the collector."""
    some = [report for _, report in reports()[::9]]
    for report in some:
        causes_of_report(report)  # whatever is kept for later is there now
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
def test_whether_something_went_well_is_no_check_that_it_is_there(asked: str, absent: bool) -> None:
    assert asks_if_absent(asked) is absent
