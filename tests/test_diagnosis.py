"""Diagnosis: facts of example programs, the table of causes, and what holds for every report."""

from __future__ import annotations

import ast
import gc
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from corpus import store
from corpus.txtar import parse_archive
from deadheat import plugins
from deadheat.diagnosis import COLLECTOR_CRASHED, causes_of_report, diagnose, ranker
from deadheat.diagnosis.answer import Wording
from deadheat.diagnosis.cause import LANGUAGES, MEANS
from deadheat.diagnosis.context import RaceContext
from deadheat.diagnosis.facts import collection
from deadheat.diagnosis.facts.fact import About, Fact, FactBase
from deadheat.diagnosis.finding import MIN_CONFIDENCE, UNKNOWN, Finding
from deadheat.model import Access, Report
from eval.program_source import ProgramSource, pinned_code
from tests.cases import all_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.repo.code_diagnosis import PinnedCode

ROOT = Path(__file__).parent / "causes"
SOURCES = Path(__file__).parent.parent / "src" / "deadheat" / "diagnosis" / "causes"
ARCHIVES = sorted(ROOT.glob("*/*.txtar"))
CAUSES = plugins.causes_by_name()
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
    row["remedies"] = [str(remedy) for remedy in (finding.remedy, *finding.more_remedies) if remedy]
    return row | ({"test_only": True} if finding.test_only else {})


def facts_of(report: Report, code: PinnedCode | None) -> FactBase:
    facts, crashes = collection.collect_facts(RaceContext(report, code))
    assert crashes == []
    return facts


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_facts_and_causes_of_an_example_program(path: Path, rewrite: bool) -> None:
    """The facts, and the first causes without and with source; `--rewrite` updates the expected file."""
    rows = [
        {
            "facts": sorted(facts_of(report, code).features),
            "alone": finding_row(diagnose(report)[0]),
            "with source": [finding_row(finding) for finding in diagnose(report, code)[:2]],
        }
        for report, code in read_archive(path)
    ]
    expected = path.with_suffix(".json")
    if rewrite:
        expected.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    assert rows == json.loads(expected.read_text())


# -- the table of causes ---------------------------------------------------------------------------


def test_every_cause_has_an_example() -> None:
    assert {path.parent.name for path in ARCHIVES} == {*CAUSES}


@pytest.mark.parametrize("name", CAUSES)
def test_every_cause_is_documented_and_refers_to_known_causes(name: str) -> None:
    definition = CAUSES[name]
    (path,) = SOURCES.glob(f"*/{name.replace('-', '_')}.py")
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert [section for section in SECTIONS if f"\n## {section}\n" not in text] == []
    assert text.partition("\n")[0].rstrip(".") == definition.title
    assert {*CAUSES} >= {*definition.general_causes}


@pytest.mark.parametrize("name", CAUSES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cause_has_a_remedy_in_the_words_of_each_language(name: str, language: str) -> None:
    options = CAUSES[name].remedies
    assert not options[-1].needs
    assert not options[-1].unless
    assert options[-1].languages == LANGUAGES
    wording = Wording(RaceContext(Report("go", "data-race", ())), FactBase(()))
    wording.names |= MEANS[language]
    foreign = ("sync.", "goroutine", "WaitGroup") if language != "go" else ("std::", "pthread")
    for option in (one for one in options if language in one.languages):
        text = f"{wording.fill(option.change)} {wording.fill(option.primitive)} {wording.fill(CAUSES[name].sentence)}"
        assert "{" not in text.replace("{}", ""), text
        # causes of Go's own constructs keep their words
        if CAUSES[name].family not in ("tests", "group synchronisation", "channels") and name != "recovery-path":
            assert [word for word in foreign if word in text] == [], text


def test_a_fact_about_something_else_is_no_fact_about_the_variable() -> None:
    lock = "the check is made again under the lock"
    assert FactBase([Fact(lock)]).holds(lock)
    assert not FactBase([Fact(lock, about=About.OTHER)]).holds(lock)
    definition = CAUSES["double-checked-locking"]
    facts = [Fact(name) for name in ("code is available", "only one side holds a lock")]
    assert definition.is_possible(FactBase([*facts, Fact(lock)]).features)
    assert not definition.is_possible(FactBase([*facts, Fact(lock, about=About.OTHER)]).features)


def test_weights_are_of_known_causes_and_facts_that_a_collector_can_find() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in SOURCES.parent.glob("facts/*.py"))
    for mode in (ranker.WITH_SOURCE, ranker.REPORT_ONLY):
        model = ranker.load_model(mode)
        assert {*CAUSES} >= {cause for weights in (model.bias, *model.weights.values()) for cause in weights}
        plain = {name.partition(" (")[0] for name in model.weights}
        unknown = [name for name in plain if not any(part in source for part in (name, *_parts(name)))]
        assert unknown == []
        assert list(model.thresholds) == sorted(model.thresholds)
        assert list(model.probabilities) == sorted(model.probabilities)


def _parts(name: str) -> list[str]:
    """A name without the role or kind at its beginning or end, which the collectors insert."""
    words = name.split(" ")
    return [" ".join(words[1:]), " ".join(words[2:]), " ".join(words[:-1]), " ".join(words[2:-1]), words[0]]


def test_a_share_becomes_the_probability_of_its_step() -> None:
    model = ranker.Model({}, {}, (0.0, 0.4, 0.7), (0.2, 0.5, 0.9))
    assert [ranker.calibrated(model, share) for share in (0.0, 0.39, 0.4, 0.69, 0.7, 1.0)] == [
        0.2,
        0.2,
        0.5,
        0.5,
        0.9,
        0.9,
    ]


def test_weights_of_facts_add_up() -> None:
    model = ranker.Model({"a": 1.0}, {"x": {"b": 3.0, "c": -1.0}, "y": {"b": -1.0}}, (0.0,), (0.5,))
    assert [cause for cause, _ in ranker.cause_shares(model, {"x", "y"}, ["a", "b", "c"])] == ["b", "a", "c"]
    assert sum(share for _, share in ranker.cause_shares(model, {"x", "z"}, ["a", "b"])) == pytest.approx(1)
    assert ranker.cause_shares(model, {"x"}, []) == []


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
def test_no_collector_fails_and_every_finding_has_evidence() -> None:
    for name, report, code in all_contexts():
        for finding in diagnose(report, code):
            assert finding.crashed is None, (name, finding)
            assert 0 <= finding.confidence <= 1, (name, finding)
            if finding.cause == UNKNOWN:
                assert finding.open_questions or code is not None or report.kind != "data-race", name
                continue
            assert finding.evidence, (name, finding.cause)
            assert all("{" not in str(item) or code is not None for item in finding.evidence[:1]), (
                name,
                finding.evidence,
            )
            assert finding.remedy is not None, (name, finding.cause)
            assert finding.remedy.change, (name, finding.cause)
            assert finding.remedy.check, (name, finding.cause)


@pytest.mark.long
def test_short_list_of_causes_is_that_of_the_full_diagnosis() -> None:
    for name, report in all_reports():
        assert list(causes_of_report(report)) == [finding.as_cause() for finding in diagnose(report)], name


@pytest.mark.long
def test_order_of_accesses_changes_no_cause() -> None:
    """The order of the accesses may decide between two causes that are about equally likely, but nothing else."""
    for name, report, code in all_contexts():
        if len(report.accesses) == 2 and report.kind == "data-race":
            here, there = (diagnose(r, code)[0] for r in (report, report._replace(accesses=report.accesses[::-1])))
            is_same = here.cause == there.cause or UNKNOWN in (here.cause, there.cause)
            assert is_same or min(here.confidence, there.confidence) < 0.8, name


# -- other behaviour -------------------------------------------------------------------------------


def test_unknown_cause_has_open_questions() -> None:
    findings = diagnose(Report("go", "data-race", ()))
    assert findings[0].cause == UNKNOWN
    assert any("other access" in text for text in findings[0].open_questions)
    assert causes_of_report(Report("go", "data-race", ()))[0].evidence == findings[0].open_questions


def test_crashed_collector_is_reported_and_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    report, _ = read_archive(ROOT / "concurrent-map" / "tags.txtar")[0]
    good = diagnose(report)

    def facts_that_fail(_: RaceContext) -> Iterator[Fact]:
        yield Fact("language: go")
        raise ValueError("boom")

    monkeypatch.setattr(collection, "COLLECTORS", (*collection.COLLECTORS, facts_that_fail))
    findings = diagnose(report)
    assert findings[:-1] == good
    assert findings[-1].crashed == "facts_that_fail"
    assert [c.cause for c in causes_of_report(report)][-1] == COLLECTOR_CRASHED
    assert "boom" in causes_of_report(report)[-1].evidence[0]


def test_causes_are_part_of_the_json() -> None:
    text = parse_archive((ROOT / "concurrent-map" / "tags.txtar").read_text())["report.txt"]
    sighting = deadheat.scan(text)[0]
    row = deadheat.sighting_to_wire(sighting)
    assert row["causes"][0]["cause"] == "concurrent-map"
    assert row["causes"][0]["confidence"] >= MIN_CONFIDENCE
    assert any("tags.go:16" in sentence for sentence in row["causes"][0]["evidence"])


def test_the_answer_begins_with_the_order_that_is_missing() -> None:
    report, code = read_archive(ROOT / "concurrent-map" / "tags.txtar")[0]
    sentence = diagnose(report, code)[0].missing_order
    assert sentence.startswith("Nothing orders the write of ")
    assert "tags.go:16" in sentence
    assert "holds no lock" in sentence


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
