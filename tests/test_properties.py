"""Properties of every text: cases, mutations of cases, and arbitrary bytes."""

from __future__ import annotations

import io
import json
import random
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import deadheat
from corpus import store
from deadheat import api
from deadheat.detectors import LineVerdict
from deadheat.detectors.go import fast
from deadheat.detectors.go.line_parser import GoRaceParser
from deadheat.detectors.go.race_report import DETECTOR
from deadheat.model import (
    Access,
    Actor,
    ActorState,
    Damage,
    Frame,
    Location,
    Lock,
    LockEdge,
    Op,
    Origin,
    Report,
    ReportSource,
    Sighting,
    Span,
)
from deadheat.model import Verdict as Concluded
from deadheat.output.json_formats import JsonLinesCollector
from deadheat.output.race_counts import unpack_lines
from deadheat.printable import format_json
from deadheat.symbols import go
from deadheat.text.window import StreamSource
from tests.cases import all_cases, assert_same_after_round_trip
from tests.damage import damage_named
from tests.damage.writers import other_process

pytestmark = pytest.mark.long
CASES = {case.name: case for case in all_cases()}
NAMES = sorted(CASES)
WITH_REPORTS = [name for name in NAMES if CASES[name].expected]
# decoded by its layout, which needs the whole text
WIDE = "go/utf-16"
NARROW = [name for name in WITH_REPORTS if name != WIDE]
BANNER = b"WARNING: DATA RACE\n"
CLOSING = b"\n==================\n"


def example_count(examples: int) -> settings:
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=examples, deadline=None, suppress_health_check=slow)


@cache
def case_bytes(name: str) -> bytes:
    return CASES[name].raw


def fingerprints(sightings: list[Sighting]) -> list[str]:
    return [sighting.verdict.fingerprint for sighting in sightings]


def assert_sound(raw: bytes) -> None:
    """Assert what holds for every sighting."""
    for sighting in deadheat.scan(raw, diagnose=False):
        span = sighting.span
        assert 0 <= span.offset < span.end <= len(raw)
        report = sighting.report
        assert report.accesses
        for access in report.accesses:
            assert access.site is None or access.site in access.stack
        assert_same_after_round_trip(api.diagnose_sighting(sighting))


# -- any text --------------------------------------------------------------------------------------

FRAGMENTS = (
    b"WARNING: DATA RACE", b"Read at 0x00c0000a1238 by goroutine 7:", b"goroutine 7:",
    b"Previous write by main goroutine:", b"Goroutine 7 (running) created at:", b"\n", b"\n\n",
    b"  main.main()", b"      /src/main.go:12 +0x9a", b"==================", b"by goroutine",
    b"fatal error: concurrent map writes", b"goroutine 1 [running]:", b"main.main()", b"()",
    b"\t/src/main.go:12 +0x9a", b"created by main.main in goroutine 1", b"...", b"=3D", b"+0x1",
    b"panic: sync: WaitGroup misuse: Add called concurrently with Wait", b"[failed to restore the stack]", b"{", b"\\n",
    b'"log":"', b"2024-05-01T12:00:00.1234567Z ", b"[pod/a/b] ", b"web_1 | ", b"> ", b"stderr P ",
    b"\x1b[31m", b"\r", b"\0", b"  ", b"&nbsp;", b"\xc2\xa0", b"\xff\xfe",
)  # fmt: skip


@example_count(150)
@given(st.binary(max_size=400))
def test_arbitrary_bytes_do_not_raise(raw: bytes) -> None:
    assert_sound(raw)


@example_count(300)
@given(st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=6)), max_size=60))
def test_mixed_fragments_of_reports_do_not_raise(fragments: list[bytes]) -> None:
    assert_sound(b"".join(fragments))


@example_count(200)
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=40))
def test_mixed_lines_of_reports_do_not_raise(fragments: list[bytes]) -> None:
    assert_sound(BANNER + b"\n".join(fragments))


# -- mutated cases ---------------------------------------------------------------------------------


@st.composite
def mutated_cases(draw: st.DrawFn) -> bytes:
    """A case with some lines or bytes changed."""
    raw = case_bytes(draw(st.sampled_from(NAMES)))
    for _ in range(draw(st.integers(1, 4))):
        by_line = draw(st.booleans())
        parts = raw.split(b"\n") if by_line else [raw[i : i + 1] for i in range(len(raw))]
        a, b = (draw(st.integers(0, len(parts))) for _ in range(2))
        low, high = min(a, b), max(a, b)
        high = min(high, low + draw(st.integers(0, 12)))
        match draw(st.sampled_from(("delete", "duplicate", "insert", "swap", "splice"))):
            case "delete":
                del parts[low:high]
            case "duplicate":
                parts[low:low] = parts[low:high]
            case "insert":
                parts.insert(low, draw(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=9))))
            case "swap":
                parts[low:high] = parts[low:high][::-1]
            case _:
                parts[low:high] = case_bytes(draw(st.sampled_from(NAMES))).split(b"\n")[:20]
        raw = (b"\n" if by_line else b"").join(parts)
    return raw


@pytest.mark.compiled_too
@example_count(300)
@given(mutated_cases())
def test_mutated_cases_do_not_raise(raw: bytes) -> None:
    assert_sound(raw)


@example_count(150)
@given(mutated_cases(), st.randoms(use_true_random=False))
def test_block_size_changes_nothing(raw: bytes, rng: random.Random) -> None:
    file = io.BytesIO(raw)
    source = StreamSource(lambda _: file.read(rng.choice((1, 7, 60, 300, 5000))))
    expected = list(api.read_sightings(StreamSource(io.BytesIO(raw).read), "text"))
    assert list(api.read_sightings(source, "text")) == expected


@pytest.mark.parametrize(("size", "every"), [(1, 12), (13, 4), (64, 3)])
def test_block_size_changes_no_case(size: int, every: int) -> None:
    for name in (name for name in NAMES[::every] if name != WIDE):
        file = io.BytesIO(case_bytes(name))
        source = StreamSource(lambda _, file=file: file.read(size))  # type: ignore[misc]
        expected = api.read_sightings(StreamSource(io.BytesIO(case_bytes(name)).read), name, opt_in=True)
        assert list(api.read_sightings(source, name, opt_in=True)) == list(expected), name


# -- documents are independent ---------------------------------------------------------------------


@example_count(6)
@given(st.permutations(WITH_REPORTS))
def test_order_of_documents_does_not_matter(names: list[str]) -> None:
    for name in names:
        sightings = CASES[name].sightings()
        assert fingerprints(sightings) == [e["fingerprint"] for e in CASES[name].expected], name
        assert [s.verdict.title for s in sightings] == [e["title"] for e in CASES[name].expected]


def read_anew(raw: bytes) -> list[Report]:
    """The reports of a text for a new reader."""
    api.report_reader.cache_clear()
    return [sighting.report for sighting in deadheat.scan(raw, diagnose=False)]


@example_count(150)
@given(st.sampled_from(NARROW), st.randoms(use_true_random=False))
def test_duplicate_is_read_like_a_first_report(name: str, rng: random.Random) -> None:
    """The same report with other addresses and goroutines, after three readings of the original."""
    raw = case_bytes(name)
    text = raw.decode("utf-8", "surrogateescape")
    other = other_process(text, rng).encode("utf-8", "surrogateescape")
    for _ in range(3):
        deadheat.scan(raw, diagnose=False)
    sightings = deadheat.scan(other, diagnose=False)
    assert [sighting.report for sighting in sightings] == read_anew(other)
    assert fingerprints(sightings) == [api.verdict_for(report).fingerprint for report in read_anew(other)]


@example_count(150)
@given(st.sampled_from(NARROW), st.randoms(use_true_random=False))
def test_report_with_one_changed_digit_is_not_a_duplicate(name: str, rng: random.Random) -> None:
    """One digit changed anywhere, after three readings of the original."""
    raw = case_bytes(name)
    for _ in range(3):
        deadheat.scan(raw, diagnose=False)
    digits = [match.start() for match in re.finditer(rb"[0-9a-f]", raw)]
    at = rng.choice(digits)
    changed = raw[:at] + rng.choice((b"0", b"7", b"a", b"e")) + raw[at + 1 :]
    sightings = deadheat.scan(changed, diagnose=False)
    assert [sighting.report for sighting in sightings] == read_anew(changed)
    assert fingerprints(sightings) == [api.verdict_for(report).fingerprint for report in read_anew(changed)]


# -- fast parser and line parser -------------------------------------------------------------------


@cache
def clean_reports() -> list[str]:
    """Every text from a banner to a closing bar, in the cases and in the corpus."""
    paths = [case.path for case in CASES.values()] + sorted(store.unpacked_set("main").glob("go/*/recorded/*.txt"))
    texts: dict[str, None] = {}
    for path in paths:
        for part in path.read_bytes().split(BANNER)[1:]:
            body, closing, _ = part.partition(CLOSING)
            if closing and body.isascii():
                texts[(BANNER + body).decode()] = None
    return list(texts)


def parse_by_line(text: str) -> Report | None:
    parser = GoRaceParser()
    verdict = None
    for line in f"{text}{CLOSING.decode()}".splitlines():
        verdict = parser.feed(line)
    return parser.finish(ends_mid_line=False) if verdict is LineVerdict.CLOSED else None


def test_fast_parser_agrees_with_the_line_parser() -> None:
    at_once = 0
    for text in clean_reports():
        report = fast.parse_intact(text)
        if report is not None:
            at_once += 1
            assert report == parse_by_line(text), text
    assert at_once > 100


@example_count(300)
@given(st.data())
def test_fast_parser_refuses_or_agrees_on_changed_lines(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(clean_reports()))
    lines = text.split("\n")
    at = data.draw(st.integers(1, len(lines) - 1))
    match data.draw(st.sampled_from(("delete", "duplicate", "swap", "byte"))):
        case "delete":
            del lines[at]
        case "duplicate":
            lines.insert(at, lines[at])
        case "swap":
            other = data.draw(st.integers(1, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            column = data.draw(st.integers(0, len(lines[at])))
            char = data.draw(st.sampled_from(" :+0x%a\t²(/"))
            lines[at] = lines[at][:column] + char + lines[at][column + 1 :]
    changed = "\n".join(lines)
    report = fast.parse_intact(changed)
    if report is not None:
        assert report == parse_by_line(changed)


# -- truncation and wrapping -----------------------------------------------------------------------


@cache
def case_frames(name: str) -> frozenset[tuple[str, str, int | None]]:
    """Function and file of every frame in the reports of a case, with and without its line."""
    frames: set[tuple[str, str, int | None]] = set()
    for sighting in CASES[name].sightings():
        report = sighting.report
        stacks = [a.stack for a in report.accesses] + [a.created_at for a in report.actors]
        for frame in (frame for stack in stacks for frame in stack):
            for file in (frame.file, frame.path):
                frames |= {(frame.function, file, frame.line), (frame.function, file, None)}
                frames.add(("??", file, frame.line))  # Miri prints the position before the function
            frames.add((frame.function, "", None))
    return frozenset(frames)


@cache
def case_parts(name: str) -> frozenset[Access | Actor]:
    """Every access and actor of a case, which a truncated case may repeat without a damage mark."""
    parts: set[Access | Actor] = set()
    for sighting in CASES[name].sightings():
        parts.update(sighting.report.accesses, sighting.report.actors)
    return frozenset(parts)


def assert_truncation_is_marked(name: str, cut: int) -> None:
    for sighting in deadheat.scan(case_bytes(name)[:cut], name, diagnose=False):
        report = sighting.report
        if not {*report.accesses, *report.actors} <= case_parts(name):
            assert report.damage, f"{name} cut at {cut} is not marked"
        for site in (access.site for access in report.accesses):
            if site is not None:
                known = (site.function, site.file, site.line) in case_frames(name)
                assert known, f"{name} cut at {cut}: {site}"


@example_count(400)
@given(st.sampled_from(NARROW), st.floats(0, 1, exclude_max=True))
def test_truncated_text_gives_no_false_site(name: str, where: float) -> None:
    assert_truncation_is_marked(name, int(where * len(case_bytes(name))))


@pytest.mark.parametrize(
    "name",
    [
        *("go/two-goroutines", "go/subtests", "go/newest-line-first-without-times"),
        "go_fatal/map-writes-go-1-27",
        *("kcsan/inlined-frames-are-not-blamed", "kcsan/several-places-per-frame"),
        *("miri/newest-with-numbered-backtrace", "miri/notes-of-2024-with-frames-of-the-library"),
        *("tsan/mutex-created-and-mutex-destroyed", "tsan/cycle-of-three-without-a-banner"),
        *("tsan/kind-from-the-summary-where-the-banner-is-gone", "tsan/bazel-and-toolchain-paths"),
        "tsan/thread-leak-with-others-like-it",
    ],
)
def test_text_truncated_anywhere_gives_no_false_site(name: str) -> None:
    for cut in range(len(case_bytes(name))):
        assert_truncation_is_marked(name, cut)


ASCII_CASES = [name for name in WITH_REPORTS if name.startswith("go/") and case_bytes(name).isascii()]
HARMLESS = ("github-actions", "jenkins", "crlf", "indented-4", "indented-tab", "kubectl", "utf-8-bom")


@pytest.mark.parametrize("damage", HARMLESS)
def test_harmless_wrapping_changes_no_fingerprint(damage: str) -> None:
    wrong = []
    for name in ASCII_CASES:
        damaged = damage_named(damage).apply(case_bytes(name).decode(), random.Random(name))
        expected = sorted(e["fingerprint"] for e in CASES[name].expected)
        if sorted(fingerprints(deadheat.scan(damaged, diagnose=False))) != expected:
            wrong.append(name)
    assert wrong == []


# -- symbols ---------------------------------------------------------------------------------------

SYMBOLS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="ab/.()[]*%2e·_-1{} @v:\\\0\1", max_size=40),
    st.sampled_from(["", ".", "/", "a/", "%", "%2e", "(", "[", "F.func1", "glob..func1", "v2", "·fm"]),
)


@example_count(400)
@given(SYMBOLS, SYMBOLS, st.one_of(st.none(), st.integers(0, 10**9)))
def test_arbitrary_symbols_and_paths_do_not_raise(symbol: str, path: str, line: int | None) -> None:
    package, function = go.split_symbol(symbol)
    assert isinstance(go.source_function(function), str)
    frame = go.make_frame(symbol, path, line)
    assert (frame.line, frame.package, frame.function) == (line, package, function)
    assert go.enclosing_test(function) is None or go.enclosing_test(function)
    assert go.is_test_function(function) in (True, False)


@example_count(200)
@given(SYMBOLS)
def test_source_function_is_idempotent(function: str) -> None:
    once = go.source_function(function)
    assert go.source_function(once) == once


PACKAGES = st.from_regex(r"[a-z]{1,6}(/[a-z]{1,6}){0,3}", fullmatch=True)
FUNCTIONS = st.from_regex(r"(\(\*[A-Z][a-z]{0,5}\)\.)?[A-Z][a-zA-Z]{0,6}", fullmatch=True)
CLOSURES = st.from_regex(r"(\.func[1-9]|\.gowrap[1-9]|\.[1-9]|-fm|\.deferwrap[1-9]){0,3}", fullmatch=True)


@example_count(100)
@given(PACKAGES, FUNCTIONS, CLOSURES)
def test_symbol_is_split_into_package_and_function(package: str, name: str, closure: str) -> None:
    short = package.rpartition("/")[2]
    assert go.split_symbol(f"{package}.{name}{closure}") == (package, f"{short}.{name}{closure}")
    assert go.source_function(f"{short}.{name}{closure}") == f"{short}.{name}"


# -- serialization ---------------------------------------------------------------------------------

ANY = st.text(max_size=12)
FRAMES = st.builds(
    Frame, ANY, ANY, ANY, st.one_of(st.none(), st.integers(0, 10**9)), st.sampled_from(Origin), ANY,
    st.booleans(), st.booleans(),
)  # fmt: skip
STACKS = st.lists(FRAMES, max_size=4).map(tuple)


@st.composite
def accesses(draw: st.DrawFn) -> Access:
    stack = draw(STACKS)
    access = Access(
        draw(st.sampled_from(Op)), draw(ANY), stack, draw(st.one_of(st.none(), ANY)),
        draw(st.one_of(st.none(), st.integers(0, 64))), tuple(draw(st.lists(ANY, max_size=2))),
    )  # fmt: skip
    site = draw(st.sampled_from((None, *stack)))
    if site is not None:
        # a site is serialized by the fields that identify it in its stack
        site = next(f for f in stack if f[:4] == site[:4])
    return access._replace(site=site)


MAYBE = st.one_of(st.none(), ANY)
COUNTS = st.one_of(st.none(), st.integers(0, 10**9))
LOCATIONS = st.builds(Location, ANY, MAYBE, MAYBE, COUNTS, COUNTS, MAYBE, MAYBE, COUNTS, STACKS)

SIGHTINGS = st.builds(
    Sighting,
    st.builds(
        Report, ANY, ANY, st.lists(accesses(), max_size=3).map(tuple),
        st.lists(st.builds(Actor, ANY, st.sampled_from(ActorState), STACKS), max_size=3).map(tuple),
        st.one_of(st.none(), LOCATIONS), st.one_of(st.none(), ANY),
        st.lists(st.sampled_from(Damage), unique=True).map(tuple),
        st.lists(st.builds(Lock, ANY, MAYBE, STACKS), max_size=2).map(tuple),
        st.lists(st.builds(LockEdge, ANY, ANY, ANY, STACKS, STACKS), max_size=2).map(tuple),
        st.dictionaries(ANY, ANY, max_size=2).map(lambda facts: tuple(facts.items())),
    ).map(ReportSource),
    st.builds(Concluded, ANY, ANY, ANY),
    ANY,
    st.builds(Span, st.integers(0), st.integers(0), st.one_of(st.none(), ANY)),
    st.none(),
)  # fmt: skip


@example_count(150)
@given(SIGHTINGS)
def test_serialization_round_trip(sighting: Sighting) -> None:
    row = json.loads(json.dumps(deadheat.sighting_to_wire(sighting)))
    assert deadheat.sighting_from_wire(row) == sighting
    assert_same_after_round_trip(api.diagnose_sighting(sighting))


@example_count(150)
@given(SIGHTINGS)
def test_the_race_is_found_in_a_line_whatever_stands_in_it(sighting: Sighting) -> None:
    collector = JsonLinesCollector()
    collector.add_sighting(sighting._replace(verdict=sighting.verdict._replace(race="0c4f")))
    (line,) = b"".join(unpack_lines(collector.pack_batch(), {"0c4f": "77aa"})).splitlines()
    expected = deadheat.sighting_to_wire(
        api.diagnose_sighting(sighting._replace(verdict=sighting.verdict._replace(race="77aa")))
    )
    assert line == format_json(expected).encode()


def test_another_schema_is_refused() -> None:
    (sighting,) = CASES["go/two-goroutines"].sightings()
    row = {**deadheat.sighting_to_wire(sighting), "schema": 99}
    with pytest.raises(ValueError, match="schema 99"):
        deadheat.sighting_from_wire(row)


@pytest.mark.parametrize("row", [[], "x", {}, {"schema": 1}, {"schema": 1, "document": "x"}])
def test_what_is_no_sighting_is_refused(row: Any) -> None:
    with pytest.raises(ValueError, match="not a line of"):
        deadheat.sighting_from_wire(row)


def test_closing_is_that_of_the_detector() -> None:
    assert DETECTOR.report_end == CLOSING
