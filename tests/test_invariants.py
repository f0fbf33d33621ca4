"""Invariants over all cases and recorded reports, under every kind of damage."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

import deadheat
from corpus import store
from deadheat import plugins
from deadheat.api import read_sightings
from deadheat.diagnosis import causes_of_report
from deadheat.model import Origin
from deadheat.output import race_counts
from deadheat.output.json_formats import JsonLinesCollector
from deadheat.sources.files import can_be_split
from deadheat.text.window import StreamSource
from tests.cases import ROOT as CASES
from tests.cases import SHARED, all_cases, operations_and_sites
from tests.damage import DAMAGES, Damage, damage_named
from tests.damage.compositions import PAIRS
from tests.damage.writers import interleave, other_process

if TYPE_CHECKING:
    from deadheat.model import Sighting

pytestmark = pytest.mark.long
CORPUS = store.unpacked_set("main")
BAR = "==================\n"


@cache
def clean_reports() -> tuple[str, ...]:
    """Undamaged race reports of the cases, and a sample of the recorded ones."""
    texts = [case.raw for case in all_cases() if case.name.startswith("go/")]
    recorded = sorted(CORPUS.glob("go/*/recorded/go1.*[0-9].txt"))
    texts += [path.read_bytes() for path in recorded[::7]]
    reports = dict.fromkeys(text for raw in texts for text in _undamaged(raw))
    return tuple(reports)


def _undamaged(raw: bytes) -> list[str]:
    spans = [s.span for s in deadheat.scan(raw, diagnose=False) if not s.report.damage and not s.span.stream]
    texts = [raw[span.offset : span.end] for span in spans]
    return [BAR + text.decode() for text in texts if text.startswith(b"WARNING") and text.isascii()]


@cache
def clean_faults() -> tuple[str, ...]:
    """Undamaged fatal errors and panics with their dumps, one per text."""
    recorded = sorted(CORPUS.glob("go/*/recorded/go1.[0-9][0-9].txt"))
    texts: dict[str, None] = {}
    for path in [*recorded, *sorted(CASES.glob("go_fatal/*.txt"))]:
        raw = path.read_bytes()
        for s in deadheat.scan(raw, diagnose=False):
            if s.report.detector == "go-fatal" and not s.report.damage and not s.span.stream:
                texts[raw[s.span.offset : s.span.end].decode()] = None
    candidates = [text for text in texts if text.startswith(("fatal error: ", "panic"))]
    return tuple(text for text in candidates if len(deadheat.scan(text, diagnose=False)) == 1)


def test_enough_clean_reports_exist() -> None:
    assert len(clean_reports()) >= 100
    assert len(clean_faults()) >= 40
    assert len(clean_errors()) >= 25


# the runtime prints type arguments as "Map[...]"
ARGUMENTS = re.compile(r"\[.*\]")
ERRORS = (
    "[ledger:1204]no open batch",
    "write tcp 10.0.0.4:443: use of closed network connection",
    "2024/05/01 12:00:01 task failed: context deadline exceeded",
    "ERROR 1105 (HY000): unknown error",
)
BOTTOM = "runtime.goexit\n\t/usr/local/go/src/runtime/asm_amd64.s:1594\n"


@cache
def clean_errors() -> tuple[str, ...]:
    """Undamaged error stacks of the cases, and stacks of race reports in the format of an error."""
    texts: dict[str, None] = {}
    for path in sorted(CASES.glob("go_error/*.txt")):
        raw = path.read_bytes()
        for s in deadheat.scan(raw, opt_in=True, diagnose=False):
            if s.report.detector == "go-error" and not s.report.damage and not s.span.stream:
                texts[raw[s.span.offset : s.span.end].decode()] = None
    for number, text in enumerate(clean_reports()[::2]):
        stacks = [access.stack for access in deadheat.scan(text, diagnose=False)[0].report.accesses]
        stacks_with_lines = [[f for f in stack if f.line and f.package and not f.stale] for stack in stacks]
        frames = max(stacks_with_lines, key=len)
        if len(frames) > 2 and any(f.origin is Origin.USER for f in frames):
            body = "".join(map(_format_error_frame, frames))
            texts[f"{ERRORS[number % len(ERRORS)]}\n{body}{BOTTOM}"] = None
    candidates = [text for text in texts if "\n\t" in text and "\r" not in text]
    return tuple(text for text in candidates[::3] if len(deadheat.scan(text, opt_in=True, diagnose=False)) == 1)


def _format_error_frame(frame: deadheat.Frame) -> str:
    folders, slash, last = frame.package.rpartition("/")
    name = ARGUMENTS.sub("[...]", frame.function.removeprefix(last))
    return f"{folders}{slash}{last.replace('.', '%2e')}{name}\n\t{frame.path}:{frame.line}\n"


GO_DETECTORS = ("go", "go-fatal", "go-error")
OTHER_DETECTORS = tuple(d.name for d in plugins.all_detectors() if d.name not in GO_DETECTORS)


@cache
def clean_reports_of(detector: str) -> tuple[str, ...]:
    """Undamaged reports of another detector, one per text, at most about forty."""
    alone = [text for text in _undamaged_by_detector()[detector] if len(deadheat.scan(text, diagnose=False)) == 1]
    return tuple(alone[:: len(alone) // 40 + 1])


@cache
def _undamaged_by_detector() -> dict[str, dict[str, None]]:
    """Undamaged reports of all cases and recordings by detector."""
    texts: dict[str, dict[str, None]] = {name: {} for name in (*GO_DETECTORS, *OTHER_DETECTORS)}
    for path in [*sorted(CASES.glob("*/*.txt")), *sorted(CORPUS.glob("*/*/recorded/*.txt"))]:
        raw = path.read_bytes()
        for s in deadheat.scan(raw, diagnose=False):
            if not s.report.damage:
                text = raw[s.span.offset : s.span.end].decode("utf-8", "replace")
                texts[s.report.detector][text] = None
    return texts


@pytest.mark.parametrize("detector", OTHER_DETECTORS)
def test_enough_clean_reports_of_every_detector_exist(detector: str) -> None:
    assert len(clean_reports_of(detector)) >= 5


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
@pytest.mark.parametrize("detector", [*GO_DETECTORS, *OTHER_DETECTORS])
def test_reports_survive_damage(detector: str, damage: Damage) -> None:
    """99 of 100 reports of every detector keep operations, sites and fingerprint.

    Of a small set one may be lost: a byte may be inserted into the only word that marks a report.
    """
    assert_reports_survive(detector, damage, sample_of(clean_texts(detector), DAMAGES.index(damage)))


@pytest.mark.soak
@pytest.mark.parametrize("detector", [*GO_DETECTORS, *OTHER_DETECTORS])
def test_all_reports_survive_damage(detector: str) -> None:
    for damage in DAMAGES:
        assert_reports_survive(detector, damage, clean_texts(detector))


def sample_of(texts: tuple[str, ...], number: int) -> tuple[str, ...]:
    """At most about 30 texts, other ones for each number, so that each text has many kinds of damage."""
    step = len(texts) // 32 + 1
    return texts[number % step :: step]


def assert_reports_survive(detector: str, damage: Damage, texts: tuple[str, ...]) -> None:
    if detector == "go-error" and not damage.headless:
        return
    if detector == "go-fatal" and damage.lossy:
        return  # a cut between two goroutines of a dump cannot be recognised
    opt_in = detector == "go-error"
    lost = [text for text in texts if not _survives(text, damage, opt_in)]
    assert len(lost) <= max(1, 0.01 * len(texts)), (damage.name, lost[0])


@pytest.mark.parametrize("detector", [*GO_DETECTORS, *OTHER_DETECTORS])
def test_reports_survive_two_damages(detector: str) -> None:
    """A sample of every detector under pairs of damage that occur together."""
    texts, opt_in = clean_texts(detector), detector == "go-error"
    sample = texts[:: len(texts) // 3 + 1]
    pairs = [pair for pair in PAIRS if pair.headless or not opt_in]
    lost = [(pair.name, text) for pair in pairs for text in sample if not _survives(text, pair, opt_in)]
    assert len(lost) <= 0.01 * len(sample) * len(pairs), [name for name, _ in lost]


@cache
def undamaged_sighting(text: str, opt_in: bool) -> Sighting:
    """The report in an undamaged text."""
    (undamaged,) = deadheat.scan(text, opt_in=opt_in, diagnose=False)
    return undamaged


def _survives(text: str, damage: Damage, opt_in: bool) -> bool:
    undamaged = undamaged_sighting(text, opt_in)
    # seeded with the text, so that a new case changes no other
    sightings = deadheat.scan(damage.apply(text, random.Random(text)), opt_in=opt_in, diagnose=False)
    return _is_honest(undamaged, sightings) if damage.lossy else _is_kept(undamaged, sightings)


def _is_kept(undamaged: Sighting, sightings: list[Sighting]) -> bool:
    same = [s for s in sightings if operations_and_sites(s) == operations_and_sites(undamaged)]
    return len(same) == len(sightings) > 0 and all(s.verdict.fingerprint == undamaged.verdict.fingerprint for s in same)


def _is_honest(undamaged: Sighting, sightings: list[Sighting]) -> bool:
    """What is left is marked as damaged, unless nothing essential is lost."""
    return all(s.report.damage or operations_and_sites(s) == operations_and_sites(undamaged) for s in sightings)


def test_two_interleaved_processes_give_both_reports() -> None:
    texts = clean_reports()
    for number, text in enumerate(texts):
        other = texts[(number + 7) % len(texts)]
        mixed = interleave(text, other_process(other, random.Random(number)), random.Random(number))
        accesses = sorted(map(operations_and_sites, deadheat.scan(mixed, diagnose=False)))
        assert accesses == sorted(operations_and_sites(undamaged_sighting(t, opt_in=False)) for t in (text, other)), (
            mixed
        )


def test_two_hundred_adjacent_reports_are_all_found() -> None:
    texts = clean_reports()
    repeated = [texts[i % len(texts)] for i in range(200)]
    sightings = deadheat.scan("".join(repeated), diagnose=False)
    assert [operations_and_sites(s) for s in sightings] == [
        operations_and_sites(undamaged_sighting(text, opt_in=False)) for text in repeated
    ]


def clean_texts(detector: str) -> tuple[str, ...]:
    """Undamaged reports of a detector, one per text."""
    clean = {"go": clean_reports, "go-fatal": clean_faults, "go-error": clean_errors}
    return clean[detector]() if detector in clean else clean_reports_of(detector)


def _survives_reversal(text: str, raw: bytes, opt_in: bool) -> bool:
    undamaged = undamaged_sighting(text, opt_in)
    sightings = deadheat.scan(b"\n".join(raw.splitlines()[::-1]), opt_in=opt_in, diagnose=False)
    return _is_kept(undamaged, sightings) and all("reversed" in s.report.damage for s in sightings)


WRAPPINGS = (None, "kubectl", "docker-json-file", "crlf")


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("detector", [*GO_DETECTORS, *OTHER_DETECTORS])
def test_reports_survive_reversed_lines(detector: str, wrapping: str | None) -> None:
    """Without timestamps, the position of the stacks tells the order; one report may be lost."""
    assert_reports_survive_reversal(detector, wrapping, sample_of(clean_texts(detector), WRAPPINGS.index(wrapping)))


@pytest.mark.soak
@pytest.mark.parametrize("detector", [*GO_DETECTORS, *OTHER_DETECTORS])
def test_all_reports_survive_reversed_lines(detector: str) -> None:
    for wrapping in WRAPPINGS:
        assert_reports_survive_reversal(detector, wrapping, clean_texts(detector))


def assert_reports_survive_reversal(detector: str, wrapping: str | None, texts: tuple[str, ...]) -> None:
    lost = []
    for text in texts:
        raw = text.encode()
        if wrapping is not None:
            raw = damage_named(wrapping).apply(text, random.Random(text))
        if not _survives_reversal(text, raw, detector == "go-error"):
            lost.append(text)
    assert len(lost) <= max(1, 0.02 * len(texts)), (wrapping, lost[0])


@pytest.mark.parametrize("detector", [*GO_DETECTORS, *OTHER_DETECTORS])
def test_two_hundred_reversed_reports_are_all_found(detector: str) -> None:
    opt_in = detector == "go-error"
    clean = clean_texts(detector)
    texts = [text for text in clean if _survives_reversal(text, text.encode(), opt_in)]
    repeated = [texts[i % len(texts)] for i in range(200)]
    sightings = deadheat.scan("\n".join("\n".join(repeated).splitlines()[::-1]), opt_in=opt_in, diagnose=False)
    assert [operations_and_sites(s) for s in sightings][::-1] == [
        operations_and_sites(undamaged_sighting(text, opt_in)) for text in repeated
    ]


@pytest.mark.parametrize("detector", GO_DETECTORS)  # in the others, a frame is one line
def test_reversed_and_cut_text_pairs_no_function_with_another_line(detector: str) -> None:
    opt_in = detector == "go-error"
    for text in clean_texts(detector)[::9]:
        known = {frame for s in deadheat.scan(text, opt_in=opt_in, diagnose=False) for frame in _function_lines(s)}
        lines = text.splitlines()[::-1]
        for cut in range(1, len(lines), 3):
            for part in (lines[:cut], lines[cut:]):
                for s in deadheat.scan("\n".join([*part, ""]), opt_in=opt_in, diagnose=False):
                    assert {f for f in _function_lines(s) if f[0] and f[1]} <= known, part


def _function_lines(sighting: Sighting) -> set[tuple[str, int | None]]:
    report = sighting.report
    stacks = [a.stack for a in report.accesses] + [a.created_at for a in report.actors]
    return {(f.function, f.line) for stack in stacks for f in stack if f.function != "??"}


@pytest.mark.parametrize("cuts", [2, pytest.param(8, marks=pytest.mark.soak)])
def test_report_is_found_once_wherever_a_document_is_cut(cuts: int) -> None:
    for case in all_cases():
        raw = b"some other output\n" + case.raw
        if not can_be_split(raw, ""):
            continue
        expected = _reports_starting_in(raw, 0, None)
        breaks = [at.end() for at in re.finditer(rb"\n", raw)]
        for cut in random.Random(case.name).sample(breaks, min(len(breaks), cuts)):
            both = sorted(_reports_starting_in(raw, 0, cut) + _reports_starting_in(raw, cut, None))
            assert both == expected, (case.name, cut)


def _reports_starting_in(raw: bytes, start: int, end: int | None) -> list[tuple[int, str]]:
    sightings = read_sightings(StreamSource(BytesIO(raw).read), "cut", start, end)
    return sorted((s.span.offset, s.verdict.fingerprint) for s in sightings)


def test_only_one_detector_reads_a_report() -> None:
    for case in all_cases():
        spans = [(s.span.offset, s.report.detector, s.span.stream) for s in case.sightings()]
        assert len({(offset, stream) for offset, _, stream in spans}) == len(spans), case.name


def test_every_report_contains_an_anchor_of_its_detector() -> None:
    for case in all_cases():
        for sighting in case.sightings():
            if "utf-16" not in case.name:
                anchors = plugins.detector_named(sighting.report.detector).anchors
                assert any(anchor in case.raw for anchor in anchors), case.name


def _recorded_programs() -> list[str]:
    return sorted(path.parent.name for path in CORPUS.glob("go/*/truth.json"))


@pytest.mark.parametrize("program", _recorded_programs())
def test_recorded_reports_have_the_sites_of_their_truth(program: str) -> None:
    """At least one report of each recording has a pair of sites from the truth."""
    truth = json.loads((CORPUS / "go" / program / "truth.json").read_text())
    if "sites" not in truth:
        return  # the source marks its sites: see test_corpus
    pairs = truth.get("pairs") or [truth["sites"]]
    expected = [{_site_of_truth(site) for site in pair} for pair in pairs]
    for path in sorted((CORPUS / "go" / program / "recorded").glob("*.txt")):
        sightings = [
            s for s in deadheat.scan(path.read_bytes(), diagnose=False) if s.report.detector == truth["detector"]
        ]
        assert sightings, path.name
        if not truth.get("lost") and truth["detector"] == "go":
            assert any({*map(_site_of_access, s.report.accesses)} in expected for s in sightings), path.name


def _site_of_truth(site: dict[str, object]) -> str:
    return f"{str(site['file']).rpartition('/')[2]}:{site['line']}"


def _site_of_access(access: deadheat.Access) -> str:
    assert access.site is not None
    return f"{access.site.file.rpartition('/')[2]}:{access.site.line}"


SEEDS = {
    "30669": [("read finishJoinWorkers:212", "write Close:314")],
    "41105": [("read Close:458", "write ResetContextOfStmt:2236")],
    "31965": [
        ("read Consume:318", "write InitStatementContext:1009"),
        ("write InitStatementContext:1009", "write sendToRespCh:550"),
    ],
    "39771": [("read run:175", "write Close:431")],
    "30468": [("unknown Txn:2104",)],
}


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the seed documents")
def test_seed_documents() -> None:
    accesses = {}
    for path in sorted((SHARED / "seeds").glob("*.txt")):
        raw = path.read_bytes()
        number = raw.split(b"\n")[0].decode().removeprefix("ID: ")
        accesses[number] = [
            tuple(sorted(map(_access_summary, s.report.accesses))) for s in deadheat.scan(raw, diagnose=False)
        ]
    assert accesses == SEEDS


def _access_summary(access: deadheat.Access) -> str:
    assert access.site is not None
    return f"{access.op} {access.site.function.rpartition('.')[2]}:{access.site.line}"


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the issues of other projects")
def test_issues_of_other_projects() -> None:
    folder = SHARED / "corpus" / "issues"
    for line in (folder / "truth.jsonl").read_text().splitlines():
        truth = json.loads(line)
        sightings = deadheat.scan((folder / truth["file"]).read_bytes(), diagnose=False)
        assert len(sightings) == truth["n_reports"], truth["file"]
        functions = {
            f"{a.site.package}.{a.site.function.partition('.')[2]}" for a in sightings[0].report.accesses if a.site
        }
        for access in truth["access_functions"]:
            if access["function"]:
                assert access["function"].replace("(_", "(*") in functions, truth["file"]


def test_json_of_a_duplicate_is_that_of_its_report() -> None:
    for text in clean_reports()[::3]:
        collector = JsonLinesCollector()
        copies = [text, *(other_process(text, random.Random(n)) for n in range(5))]
        sightings = deadheat.scan("".join(copies), diagnose=False)
        for sighting in sightings:
            collector.add_sighting(sighting)
        lines = b"".join(race_counts.unpack_lines(collector.pack_batch(), {})).splitlines()
        diagnosed = [sighting._replace(causes=causes_of_report(sighting.report)) for sighting in sightings]
        assert list(map(json.loads, lines)) == list(map(deadheat.sighting_to_wire, diagnosed))


def test_letter_in_a_number_makes_no_duplicate() -> None:
    """A report that is recognised as a duplicate reads as it would alone."""
    for text in clean_reports()[::9]:
        actor = re.search(r"by goroutine (\d+):", text)
        if actor is None:
            continue
        altered = text.replace(f"oroutine {actor[1]}", f"oroutine {actor[1][:-1]}a")
        sightings = deadheat.scan("".join([text] * 4 + [altered]), diagnose=False)[4:]
        assert [operations_and_sites(s) for s in sightings] == [
            operations_and_sites(s) for s in deadheat.scan(altered, diagnose=False)
        ], altered
