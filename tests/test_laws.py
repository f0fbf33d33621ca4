"""What holds for every case and every recorded report, under every damage."""

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
from deadheat.output import spill_buffer
from deadheat.output.json_formats import JsonLinesCollector
from deadheat.sources.files import can_be_split
from deadheat.text.window import StreamSource
from tests.cases import ROOT as CASES
from tests.cases import SHARED, all_cases, sides
from tests.damage import DAMAGES, Damage, named
from tests.damage.compositions import PAIRS
from tests.damage.writers import interleave, other_process

if TYPE_CHECKING:
    from deadheat.model import Sighting

pytestmark = pytest.mark.long
CORPUS = store.unpacked_set("main")
BAR = "==================\n"


@cache
def clean_reports() -> tuple[str, ...]:
    """Undamaged race reports: of the cases, and a spread of the recorded ones."""
    texts = [case.raw for case in all_cases() if case.name.startswith("go/")]
    recorded = sorted(CORPUS.glob("go/*/recorded/go1.*[0-9].txt"))
    texts += [path.read_bytes() for path in recorded[::7]]
    found = dict.fromkeys(text for raw in texts for text in _undamaged(raw))
    return tuple(found)


def _undamaged(raw: bytes) -> list[str]:
    spans = [s.span for s in deadheat.scan(raw, diagnose=False) if not s.report.damage and not s.span.stream]
    texts = [raw[span.offset : span.end] for span in spans]
    return [BAR + text.decode() for text in texts if text.startswith(b"WARNING") and text.isascii()]


@cache
def clean_faults() -> tuple[str, ...]:
    """Undamaged fatal errors and panics with their dumps, one to a text."""
    recorded = sorted(CORPUS.glob("go/*/recorded/go1.[0-9][0-9].txt"))
    found: dict[str, None] = {}
    for path in [*recorded, *sorted(CASES.glob("go_fatal/*.txt"))]:
        raw = path.read_bytes()
        for s in deadheat.scan(raw, diagnose=False):
            if s.report.detector == "go-fatal" and not s.report.damage and not s.span.stream:
                found[raw[s.span.offset : s.span.end].decode()] = None
    plain = [text for text in found if text.startswith(("fatal error: ", "panic"))]
    return tuple(text for text in plain if len(deadheat.scan(text, diagnose=False)) == 1)


def test_there_is_enough_to_damage() -> None:
    assert len(clean_reports()) >= 100
    assert len(clean_faults()) >= 40
    assert len(clean_errors()) >= 25


# as the runtime prints the type arguments of a function: "Map[...]"
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
    """Undamaged error stacks: of the cases, and the stacks of race reports as an error prints them."""
    found: dict[str, None] = {}
    for path in sorted(CASES.glob("go_error/*.txt")):
        raw = path.read_bytes()
        for s in deadheat.scan(raw, opt_in=True, diagnose=False):
            if s.report.detector == "go-error" and not s.report.damage and not s.span.stream:
                found[raw[s.span.offset : s.span.end].decode()] = None
    for number, text in enumerate(clean_reports()[::2]):
        stacks = [access.stack for access in deadheat.scan(text, diagnose=False)[0].report.accesses]
        told = [[f for f in stack if f.line and f.package and not f.stale] for stack in stacks]
        frames = max(told, key=len)
        if len(frames) > 2 and any(f.origin is Origin.USER for f in frames):
            body = "".join(map(_as_an_error_prints_it, frames))
            found[f"{ERRORS[number % len(ERRORS)]}\n{body}{BOTTOM}"] = None
    plain = [text for text in found if "\n\t" in text and "\r" not in text]
    return tuple(text for text in plain[::3] if len(deadheat.scan(text, opt_in=True, diagnose=False)) == 1)


def _as_an_error_prints_it(frame: deadheat.Frame) -> str:
    folders, slash, last = frame.package.rpartition("/")
    name = ARGUMENTS.sub("[...]", frame.function.removeprefix(last))
    return f"{folders}{slash}{last.replace('.', '%2e')}{name}\n\t{frame.path}:{frame.line}\n"


ELSEWHERE = ("go", "go-fatal", "go-error")
OTHERS = tuple(d.name for d in plugins.all_detectors() if d.name not in ELSEWHERE)


@cache
def clean_others(detector: str) -> tuple[str, ...]:
    """Undamaged reports of another detector, one to a text, at most forty."""
    alone = [text for text in _undamaged_by_detector()[detector] if len(deadheat.scan(text, diagnose=False)) == 1]
    return tuple(alone[:: len(alone) // 40 + 1])


@cache
def _undamaged_by_detector() -> dict[str, dict[str, None]]:
    """All that was recorded, read once for all detectors."""
    found: dict[str, dict[str, None]] = {name: {} for name in (*ELSEWHERE, *OTHERS)}
    for path in [*sorted(CASES.glob("*/*.txt")), *sorted(CORPUS.glob("*/*/recorded/*.txt"))]:
        raw = path.read_bytes()
        for s in deadheat.scan(raw, diagnose=False):
            if not s.report.damage:
                text = raw[s.span.offset : s.span.end].decode("utf-8", "replace")
                found[s.report.detector][text] = None
    return found


@pytest.mark.parametrize("detector", OTHERS)
def test_there_is_enough_of_every_detector(detector: str) -> None:
    assert len(clean_others(detector)) >= 5


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
@pytest.mark.parametrize("detector", [*ELSEWHERE, *OTHERS])
def test_reports_survive_damage(detector: str, damage: Damage) -> None:
    """99 of 100 reports of every detector, with the same operations, sites and fingerprint.

    Of few texts one may be lost: a byte may be put into the only word by which a report is found.
    """
    if detector == "go-error" and not damage.headless:
        return
    if detector == "go-fatal" and damage.lossy:
        return  # where a dump was cut off between two goroutines nobody can tell
    texts = clean_texts(detector)
    shy = detector == "go-error"
    lost = [text for text in texts if not _survives(text, damage, shy)]
    assert len(lost) <= max(1, 0.01 * len(texts)), lost[0]


@pytest.mark.parametrize("detector", [*ELSEWHERE, *OTHERS])
def test_reports_survive_two_hands(detector: str) -> None:
    """A few reports of every detector, through whoever wrote their lines and what carried them on."""
    texts, shy = clean_texts(detector), detector == "go-error"
    few = texts[:: len(texts) // 3 + 1]
    pairs = [pair for pair in PAIRS if pair.headless or not shy]
    lost = [(pair.name, text) for pair in pairs for text in few if not _survives(text, pair, shy)]
    assert len(lost) <= 0.01 * len(few) * len(pairs), [name for name, _ in lost]


@cache
def whole_of(text: str, shy: bool) -> Sighting:
    """What stands in an undamaged text, which every damage is held against."""
    (whole,) = deadheat.scan(text, opt_in=shy, diagnose=False)
    return whole


def _survives(text: str, damage: Damage, shy: bool) -> bool:
    whole = whole_of(text, shy)
    # the draw is the text's own, so that a new case changes it for no other
    found = deadheat.scan(damage.apply(text, random.Random(text)), opt_in=shy, diagnose=False)
    return _is_honest(whole, found) if damage.lossy else _is_kept(whole, found)


def _is_kept(whole: Sighting, found: list[Sighting]) -> bool:
    same = [s for s in found if sides(s) == sides(whole)]
    return len(same) == len(found) > 0 and all(s.verdict.fingerprint == whole.verdict.fingerprint for s in same)


def _is_honest(whole: Sighting, found: list[Sighting]) -> bool:
    """What is left is marked as damaged, unless nothing that matters is gone."""
    return all(s.report.damage or sides(s) == sides(whole) for s in found)


def test_two_processes_interleaved_line_by_line_give_both() -> None:
    texts = clean_reports()
    for number, text in enumerate(texts):
        other = texts[(number + 7) % len(texts)]
        mixed = interleave(text, other_process(other, random.Random(number)), random.Random(number))
        found = sorted(map(sides, deadheat.scan(mixed, diagnose=False)))
        assert found == sorted(sides(whole_of(t, shy=False)) for t in (text, other)), mixed


def test_two_hundred_back_to_back_give_two_hundred() -> None:
    texts = clean_reports()
    many = [texts[i % len(texts)] for i in range(200)]
    found = deadheat.scan("".join(many), diagnose=False)
    assert [sides(s) for s in found] == [sides(whole_of(text, shy=False)) for text in many]


def clean_texts(detector: str) -> tuple[str, ...]:
    """Undamaged reports of a detector, one to a text."""
    clean = {"go": clean_reports, "go-fatal": clean_faults, "go-error": clean_errors}
    return clean[detector]() if detector in clean else clean_others(detector)


def _survives_turned_round(text: str, raw: bytes, shy: bool) -> bool:
    whole = whole_of(text, shy)
    found = deadheat.scan(b"\n".join(raw.splitlines()[::-1]), opt_in=shy, diagnose=False)
    return _is_kept(whole, found) and all("reversed" in s.report.damage for s in found)


@pytest.mark.parametrize("wrapping", [None, "kubectl", "docker-json-file", "crlf"])
@pytest.mark.parametrize("detector", [*ELSEWHERE, *OTHERS])
def test_reports_survive_being_turned_round(detector: str, wrapping: str | None) -> None:
    """With nothing that tells the time, the place of the stacks tells the order; one may be lost."""
    lost = []
    for text in clean_texts(detector):
        raw = text.encode()
        if wrapping is not None:
            raw = named(wrapping).apply(text, random.Random(text))
        if not _survives_turned_round(text, raw, detector == "go-error"):
            lost.append(text)
    assert len(lost) <= max(1, 0.02 * len(clean_texts(detector))), lost[0]


@pytest.mark.parametrize("detector", [*ELSEWHERE, *OTHERS])
def test_two_hundred_turned_round_give_two_hundred(detector: str) -> None:
    shy = detector == "go-error"
    whole = clean_texts(detector)
    texts = [text for text in whole if _survives_turned_round(text, text.encode(), shy)]
    many = [texts[i % len(texts)] for i in range(200)]
    found = deadheat.scan("\n".join("\n".join(many).splitlines()[::-1]), opt_in=shy, diagnose=False)
    assert [sides(s) for s in found][::-1] == [sides(whole_of(text, shy)) for text in many]


@pytest.mark.parametrize("detector", ELSEWHERE)  # in the others, a frame is one line
def test_what_was_turned_round_and_cut_pairs_no_function_with_another_ones_line(detector: str) -> None:
    shy = detector == "go-error"
    for text in clean_texts(detector)[::9]:
        known = {frame for s in deadheat.scan(text, opt_in=shy, diagnose=False) for frame in _places(s)}
        lines = text.splitlines()[::-1]
        for cut in range(1, len(lines), 3):
            for part in (lines[:cut], lines[cut:]):
                for s in deadheat.scan("\n".join([*part, ""]), opt_in=shy, diagnose=False):
                    assert {f for f in _places(s) if f[0] and f[1]} <= known, part


def _places(sighting: Sighting) -> set[tuple[str, int | None]]:
    report = sighting.report
    stacks = [a.stack for a in report.accesses] + [a.created_at for a in report.actors]
    return {(f.function, f.line) for stack in stacks for f in stack if f.function != "??"}


def test_a_report_is_found_once_wherever_a_document_is_cut() -> None:
    for case in all_cases():
        raw = b"some other output\n" + case.raw
        if not can_be_split(raw, ""):
            continue
        whole = _begun_in(raw, 0, None)
        breaks = [at.end() for at in re.finditer(rb"\n", raw)]
        for cut in random.Random(case.name).sample(breaks, min(len(breaks), 4)):
            both = sorted(_begun_in(raw, 0, cut) + _begun_in(raw, cut, None))
            assert both == whole, (case.name, cut)


def _begun_in(raw: bytes, start: int, end: int | None) -> list[tuple[int, str]]:
    found = read_sightings(StreamSource(BytesIO(raw).read), "cut", start, end)
    return sorted((s.span.offset, s.verdict.fingerprint) for s in found)


def test_exactly_one_dialect_claims_a_report() -> None:
    for case in all_cases():
        spans = [(s.span.offset, s.report.detector, s.span.stream) for s in case.sightings()]
        assert len({(offset, lane) for offset, _, lane in spans}) == len(spans), case.name


def test_every_report_has_an_anchor_of_its_dialect() -> None:
    for case in all_cases():
        for sighting in case.sightings():
            if "utf-16" not in case.name:
                anchors = plugins.detector_named(sighting.report.detector).anchors
                assert any(anchor in case.raw for anchor in anchors), case.name


def _programs() -> list[str]:
    return sorted(path.parent.name for path in CORPUS.glob("go/*/truth.json"))


@pytest.mark.parametrize("program", _programs())
def test_recorded_reports_have_the_sites_of_their_truth(program: str) -> None:
    """At least one report of each recording has a pair of sites that the truth names."""
    truth = json.loads((CORPUS / "go" / program / "truth.json").read_text())
    if "sites" not in truth:
        return  # its source marks the sites, and test_corpus holds the reports against the marks
    pairs = truth.get("pairs") or [truth["sites"]]
    wanted = [{_line(site) for site in pair} for pair in pairs]
    for path in sorted((CORPUS / "go" / program / "recorded").glob("*.txt")):
        found = [s for s in deadheat.scan(path.read_bytes(), diagnose=False) if s.report.detector == truth["detector"]]
        assert found, path.name
        if not truth.get("lost") and truth["detector"] == "go":
            assert any({*map(_place, s.report.accesses)} in wanted for s in found), path.name


def _line(site: dict[str, object]) -> str:
    return f"{str(site['file']).rpartition('/')[2]}:{site['line']}"


def _place(access: deadheat.Access) -> str:
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
def test_seeds() -> None:
    found = {}
    for path in sorted((SHARED / "seeds").glob("*.txt")):
        raw = path.read_bytes()
        number = raw.split(b"\n")[0].decode().removeprefix("ID: ")
        found[number] = [tuple(sorted(map(_short, s.report.accesses))) for s in deadheat.scan(raw, diagnose=False)]
    assert found == SEEDS


def _short(access: deadheat.Access) -> str:
    assert access.site is not None
    return f"{access.op} {access.site.function.rpartition('.')[2]}:{access.site.line}"


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the issues of other projects")
def test_issues_of_other_projects() -> None:
    folder = SHARED / "corpus" / "issues"
    for line in (folder / "truth.jsonl").read_text().splitlines():
        truth = json.loads(line)
        found = deadheat.scan((folder / truth["file"]).read_bytes(), diagnose=False)
        assert len(found) == truth["n_reports"], truth["file"]
        functions = {
            f"{a.site.package}.{a.site.function.partition('.')[2]}" for a in found[0].report.accesses if a.site
        }
        for access in truth["access_functions"]:
            if access["function"]:
                assert access["function"].replace("(_", "(*") in functions, truth["file"]


def test_the_json_of_an_echo_is_that_of_its_report() -> None:
    for text in clean_reports()[::3]:
        gatherer = JsonLinesCollector()
        copies = [text, *(other_process(text, random.Random(n)) for n in range(5))]
        sightings = deadheat.scan("".join(copies), diagnose=False)
        for sighting in sightings:
            gatherer.add_sighting(sighting)
        lines = b"".join(spill_buffer.unpack_lines(gatherer.pack_batch(), {})).splitlines()
        diagnosed = [sighting._replace(causes=causes_of_report(sighting.report)) for sighting in sightings]
        assert list(map(json.loads, lines)) == list(map(deadheat.sighting_to_wire, diagnosed))


def test_a_letter_in_a_number_makes_no_echo() -> None:
    """What is recognised as a repetition reads as it would alone."""
    for text in clean_reports()[::9]:
        actor = re.search(r"by goroutine (\d+):", text)
        if actor is None:
            continue
        odd = text.replace(f"oroutine {actor[1]}", f"oroutine {actor[1][:-1]}a")
        found = deadheat.scan("".join([text] * 4 + [odd]), diagnose=False)[4:]
        assert [sides(s) for s in found] == [sides(s) for s in deadheat.scan(odd, diagnose=False)], odd
