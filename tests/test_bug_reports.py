"""Bug reports: splitting into documents, claims of the authors, and robustness."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deadheat
from corpus import store
from deadheat import bug_reports, plugins
from deadheat.api import read_sightings
from deadheat.bug_reports import OffsetText, claims
from deadheat.bug_reports.reader import read_bug_reports
from deadheat.cli import main
from deadheat.text.window import StreamSource
from tests.cases import ROOT as CASES
from tests.cases import SHARED, summarise_sighting
from tests.damage import DAMAGES, Damage
from tests.watchdog import time_limit

ROOT = Path(__file__).parent / "documents"
PATHS = sorted(p for p in ROOT.iterdir() if not p.name.endswith(".expected.json"))
REPORT = (CASES / "go" / "two-goroutines.txt").read_text()
# formats whose text is stored verbatim
VERBATIM = ("form", "markdown")

Capture = pytest.CaptureFixture[str]


def read_everything(path: Path) -> dict[str, Any]:
    """The documents of a file, and the reports that a scan finds in it."""
    data = path.read_bytes()
    reads = read_bug_reports(data, path.name) or []
    return {
        "documents": [
            {
                **{k: v for k, v in deadheat.document_to_wire(document).items() if k != "claims"},
                "claims": [_claim_line(claim) for claim in document.claims],
                "reports": [s.verdict.title for s in sightings],
            }
            for document, sightings in reads
        ],
        "reports": [_report_summary(summarise_sighting(s)) for s in deadheat.scan(data, path.name, diagnose=False)],
    }


def _claim_line(claim: deadheat.Claim) -> str:
    """A claim as one line, for readable diffs."""
    details = ", ".join(f"{name}: {value}" for name, value in claim.details)
    place = f"{claim.span.offset}+{claim.span.length}"
    return " | ".join((claim.kind, claim.role, claim.value[:160], details, place))


def _report_summary(summary: dict[str, Any]) -> dict[str, Any]:
    keys = ("detector", "kind", "title", "test", "damage", "place", "facts")
    sites = [access["site"] for access in summary["accesses"]]
    return {**{key: summary[key] for key in keys if key in summary}, "sites": sites}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_document(path: Path, rewrite: bool) -> None:
    expected = path.with_name(f"{path.name}.expected.json")
    content = read_everything(path)
    if rewrite:
        expected.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    assert content == json.loads(expected.read_text())


def test_every_format_and_every_kind_of_claim_has_a_case() -> None:
    results = [r for path in PATHS for r in read_bug_reports(path.read_bytes(), path.name) or []]
    assert {r.document.shape for r in results} == {shape.name for shape in plugins.bug_report_formats()}
    kinds = {claim.kind for r in results for claim in r.document.claims}
    assert kinds == {finder.kind for finder in plugins.claim_finders()}


def test_every_expected_file_has_its_document() -> None:
    names = {f"{path.name}.expected.json" for path in PATHS}
    assert {p.name for p in ROOT.glob("*.expected.json")} == names


# -- reports ---------------------------------------------------------------------------------------


def fingerprints_as_log(data: bytes) -> set[str]:
    """The fingerprints in a file that is read as a log."""
    return {s.verdict.fingerprint for s in read_sightings(StreamSource(_read_function(data)), "raw")}


def _read_function(data: bytes) -> Any:
    from io import BytesIO

    return BytesIO(data).read


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_no_report_is_lost_by_splitting(path: Path) -> None:
    data = path.read_bytes()
    fingerprints = [s.verdict.fingerprint for s in deadheat.scan(data, path.name, diagnose=False)]
    assert fingerprints_as_log(data) <= {*fingerprints}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_no_report_is_found_twice_at_one_offset(path: Path) -> None:
    places = [(s.span.offset, s.span.stream) for s in deadheat.scan(path.read_bytes(), path.name, diagnose=False)]
    assert len(places) == len({*places})


def in_every_format(text: str) -> dict[str, bytes]:
    """One report in every format of bug report."""
    issue = {"number": 7, "title": "t", "html_url": "u", "body": f"Race:\n\n```\n{text}```\n"}
    junit = f'<testsuite><testcase name="TestX"><system-out><![CDATA[{text}]]></system-out></testcase>'
    mail = f"From: a@example.com\nSubject: race\nDate: now\n\n{text}"
    return {
        "form": f"ID: 1\nTitle: t\nDescription:\n```\n{text}```\n".encode(),
        "markdown": f"# Race\n\n```\n{text}```\n".encode(),
        "issues": json.dumps([issue]).encode(),
        "issue-lines": "".join(json.dumps(issue) + "\n" for _ in range(1)).encode(),
        "junit": f"{junit}</testsuite>".encode(),
        "mail": mail.encode(),
    }


def test_recorded_reports_survive_every_format() -> None:
    paths = sorted(store.unpacked_set("main").glob("go/*/recorded/go1.2[25].txt"))[::6]
    assert len(paths) > 5
    for path in paths:
        text = path.read_text()
        expected = sorted(s.verdict.fingerprint for s in deadheat.scan(text, diagnose=False))
        for name, data in in_every_format(text).items():
            fingerprints = sorted(s.verdict.fingerprint for s in deadheat.scan(data, diagnose=False))
            assert fingerprints == expected, (path, name)


def test_spans_of_reports_are_raw_offsets() -> None:
    for name, data in in_every_format(REPORT).items():
        (sighting,) = deadheat.scan(data, diagnose=False)
        text = data[sighting.span.offset : sighting.span.end]
        assert text.startswith(b"WARNING: DATA RACE"), name
        assert text.rstrip(b"\\n\n").endswith(b"=" * 18), name


def test_junit_test_case_is_the_test_of_a_report_without_one() -> None:
    text = REPORT.replace("Test", "Serve")
    (sighting,) = deadheat.scan(in_every_format(text)["junit"], diagnose=False)
    assert sighting.report.test == "TestX"


# -- claims ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_claim_quotes_the_text_at_its_span(path: Path) -> None:
    data = path.read_bytes()
    for document, _ in read_bug_reports(data, path.name) or []:
        for claim in document.claims:
            quoted = data[claim.span.offset : claim.span.end]
            assert claim.span.end <= len(data)
            if document.shape in VERBATIM:
                assert quoted.decode("utf-8", "replace") == claim.quote
            if document.shape == "issues":
                assert json.loads(b'"' + quoted + b'"') == claim.quote


def test_detector_output_contains_no_claims() -> None:
    for path in sorted(CASES.glob("go/*.txt")):
        text = f"# Bug\n\n{path.read_bytes().decode('utf-8', 'replace')}"
        for document, sightings in deadheat.read_documents(text):
            spans = [s.span for s in sightings if s.span.stream is None]
            for claim in document.claims:
                assert not any(s.offset <= claim.span.offset < s.end for s in spans), path.name


def test_log_with_an_error_stack_has_no_race() -> None:
    stack = (CASES / "near_misses" / "error-stack-of-pkg-errors.txt").read_text()
    assert deadheat.scan(stack, diagnose=False) == []
    assert deadheat.scan(f"WARNING: DATA RACE\n{stack}", diagnose=False) == []
    assert deadheat.scan(f"# Import fails\n\nIt fails:\n\n```\n{stack}```\n", diagnose=False) == []
    assert len(deadheat.scan(f"# Import fails\n\nIt is a data race:\n\n```\n{stack}```\n", diagnose=False)) == 1


MENTIONS_RACE = (
    "There is a data race in Close.", "A race condition.", "It is racy.", "`go test -race` finds it",
    "Close races with Send.", "The map is not goroutine-safe.", "the type isn't thread safe",
    "fatal error: concurrent map writes", "the field is modified concurrently", "KCSAN says so",
    "Is this a race between the two?", "concurrent access to the cache",
)  # fmt: skip
NO_RACE = (
    "Ten imports run concurrently and fail.", "A trace of a brace.", "We race to the door.",
    "the concurrent collector", "concurrency is 10", "a stack trace", "embrace", "<!-- data race? -->",
)  # fmt: skip


@pytest.mark.parametrize("sentence", [*MENTIONS_RACE, *NO_RACE])
def test_error_stack_is_read_if_the_author_mentions_a_race(sentence: str) -> None:
    stack = (CASES / "near_misses" / "error-stack-of-pkg-errors.txt").read_text()
    sightings = deadheat.scan(f"# It fails\n\n{sentence}\n\n```\n{stack}```\n", diagnose=False)
    assert len(sightings) == (sentence in MENTIONS_RACE)


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the seed documents")
def test_seed_document_with_an_error_stack() -> None:
    (path,) = (p for p in (SHARED / "seeds").glob("*.txt") if b"ID: 30468" in p.read_bytes()[:20])
    ((document, (sighting,)),) = deadheat.read_documents(path.read_bytes())
    (access,) = sighting.report.accesses
    user = [frame.function for frame in access.stack if frame.origin == "user"]
    assert user == [
        "session.(*session).Txn",
        "executor.(*executorBuilder).getSnapshotTS",
        "executor.buildNoRangeIndexLookUpReader",
        "executor.(*dataReaderBuilder).buildIndexLookUpReaderForIndexJoin",
        "executor.(*dataReaderBuilder).buildExecutorForIndexJoinInternal",
        "executor.(*dataReaderBuilder).buildExecutorForIndexJoin",
        "executor.(*innerWorker).fetchInnerResults",
        "executor.(*innerWorker).handleTask",
        "executor.(*innerWorker).run",
    ]
    assert sighting.report.kind == "error-stack"
    claimed_values = {(c.kind, c.role, c.value, dict(c.details).get("session")) for c in document.claims}
    assert ("setting", "sql", "tidb_index_join_batch_size = 1", "t1") in claimed_values
    assert ("suspect", "revert", "pingcap/tidb#20388", None) in claimed_values
    assert ("workaround", "hint", "/*+ INL_HASH_JOIN(...) */", None) in claimed_values
    assert ("version", "found-in", "v5.2.2", None) in claimed_values
    assert ("version", "affects", "5.x", None) in claimed_values
    steps = [c for c in document.claims if c.kind == "step" and ("session", "t1") in c.details]
    assert [c.value.split()[0] for c in steps] == ["set", "explain", "update", "set"]
    (failpoint,) = (c for c in document.claims if c.kind == "injection")
    assert (failpoint.value, dict(failpoint.details)) == (
        "txnFutureWait",
        {"expression": "30%sleep(200)->9%sleep(400)->3%sleep(1000)"},
    )


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the seed documents")
def test_unfilled_templates_contain_no_claims() -> None:
    for path in (SHARED / "seeds").glob("*.txt"):
        if b"ID: 30468" not in path.read_bytes()[:20]:
            ((document, _),) = deadheat.read_documents(path.read_bytes())
            assert document.claims == ()


# -- robustness --------------------------------------------------------------------------------------

FRAGMENTS = [
    "#12", "acme/x#3", "https://github.com/a/b/pull/3", "PR 12", "fixed in", "v1.2.3", "5.x", "```",
    "```sql", "```go", "\n", "\n\n", "    ", "> ", "<!--", "-->", "/* t1 */", "set @@x = 1;",
    "select 1;", "'", '"', "`", "mysql> ", "$ go test -race", "| session 1 |", "|---|",
    'failpoint.Inject("a", "', "5%sleep(1)->", "/*+ A */", "workaround", "introduced by",
    "commit 1a2b3c4d", "affects-5.2", "## Version\n", "func (a *B) C() {", "é", "\u2028", "GORACE=x",
    "==================\n", "WARNING: DATA RACE\n", "\t/a/b.go:12\n", "a/b.(*C).D\n",
    "ID: 1\nTitle: x\n",
]  # fmt: skip


@pytest.mark.long
@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=60))
@settings(max_examples=300, deadline=None)
def test_claims_never_raise_and_quote_their_span(fragments: list[str]) -> None:
    data = ("# x\n\n" + " ".join(fragments)).encode("utf-8", "replace")
    for claim in claims.find_claims(OffsetText.from_slice(data, 0, len(data))):
        assert 0 <= claim.span.offset <= claim.span.end <= len(data)
        assert data[claim.span.offset : claim.span.end].decode("utf-8", "replace") == claim.quote


@given(st.binary(max_size=400), st.sampled_from([b"# x\n\n", b"ID: 1\nTitle: x\nDescription:\n"]))
@settings(max_examples=200, deadline=None)
def test_arbitrary_bytes_do_not_raise(tail: bytes, head: bytes) -> None:
    data = head + tail
    for document, _ in deadheat.read_documents(data):
        for claim in document.claims:
            assert data[claim.span.offset : claim.span.end].decode("utf-8", "replace") == claim.quote


@given(st.sampled_from(PATHS), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_mutated_documents_do_not_raise(path: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes()[:6000])
    for _ in range(rng.randrange(1, 12)):
        at = rng.randrange(len(data))
        how = rng.randrange(4)
        if how == 0:
            del data[at : at + rng.randrange(1, 200)]
        elif how == 1:
            data[at:at] = rng.choice([b"\xff", b"\0", b'"', b"\\", b"=", b"&x;", b"<", b"```", b"\r"])
        elif how == 2:
            data[at] = rng.randrange(256)
        else:
            data[at:at] = data[rng.randrange(len(data)) :][:300]
        if not data:
            return
    for document, sightings in read_bug_reports(bytes(data), path.name) or []:
        for span in [*(c.span for c in document.claims), *(s.span for s in sightings)]:
            assert 0 <= span.offset <= span.end <= len(data)


@given(st.text(max_size=80).map(lambda text: text.encode("utf-8", "replace").decode()))
@settings(deadline=None)
def test_json_string_maps_each_byte_to_its_offset(text: str) -> None:
    from deadheat.bug_reports.formats import issue_json

    for ascii_only in (True, False):
        data = json.dumps([{"k": text}], ensure_ascii=ascii_only).encode()
        values = issue_json.parse_json_values(data)
        assert values is not None
        placed = values[0][0]["k"].to_offset_text()
        assert placed.data.decode() == text
        span = placed.raw_span(0, len(placed.data))
        assert json.loads(b'"' + data[span.offset : span.end] + b'"') == (text if text else "")


HOSTILE = {
    "words": "a" * 250_000,
    "paths": "a/" * 120_000,
    "hashes": "#1 " * 80_000,
    "references": "see acme/x#12, " * 16_000,
    "quotes": "'\"`" * 80_000,
    "comments": "<!--" * 60_000,
    "remarks": "/*" * 120_000,
    "versions": "1." * 120_000,
    "numbers": "1.2.3 " * 40_000,
    "fences": "```\n" * 60_000,
    "sql": "```sql\n" + "/* t1 */ select 'a" * 14_000,
    "pipes": "|" * 250_000,
    "prompts": "```\n" + "a> " * 80_000,
    "brackets": "func (" * 40_000,
    "c": "```\n" + "int a* " * 30_000,
    "shell": "```sh\n" + "A=b " * 60_000,
    "headings": "# " * 120_000,
    "stops": "A. " * 80_000,
    "blame": "introduced by " * 18_000,
    "sleep": "add sleep " * 25_000,
    "symbols": "a.b/c.(*d).e\n" * 18_000,
    "locations": "/a.go:1\n" * 30_000,
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    data = f"# A data race\n\nIt is {HOSTILE[name]}".encode()
    with time_limit():
        deadheat.read_documents(data)


def test_line_of_ten_megabytes_is_read_as_a_log() -> None:
    data = b"# A data race\n\n" + b"v1.2.3 #12 " * 1_000_000
    assert deadheat.read_documents(data) == []
    assert deadheat.scan(data + f"\n\n{REPORT}".encode(), diagnose=False) != []


# -- formats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "name", "written"),
    [
        (b"ID: 7\nTitle: x\nDescription:\n", "a.txt", True),
        (b'[{"url": "u", "html_url": "h"}]', "a.json", True),
        (b'\xef\xbb\xbf  {"body": "x"}', "a", True),
        (b"<?xml version='1.0'?>\n<testsuites>", "a", True),
        (b"From a@example.com Wed May  1 12:00:00 2024\nSubject: x\n", "a", True),
        (b"anything", "issue.md", True),
        (b"## Bug report\r\n\r\nIt fails.", "a", True),
        (b"It fails now and then:\n\n```\nx\n```\n", "a", True),
        (b"# example.com/shop\n./cart.go:1:2: undefined\n", "build.log", False),
        (b'{"Time":"t","Action":"output","Output":"x"}\n', "test.json", False),
        (b'{"log":"x","stream":"stderr","time":"t"}\n', "c.log", False),
        (b"2024-05-01T12:00:00Z From here on\n", "ci.log", False),
        (b"[2022/12/08 22:45:28.632 +08:00] [WARN]\n", "tidb.log", False),
        (b"==================\nWARNING: DATA RACE\n", "a.log", False),
        (b"", "a", False),
    ],
)
def test_bug_report_is_recognised_by_its_first_bytes(head: bytes, name: str, written: bool) -> None:
    assert bug_reports.may_be_bug_report(head, name) is written


def test_scan_of_a_log_does_not_import_bug_report_modules() -> None:
    from tests.test_architecture import SCAN, run_python

    code = f"{SCAN}print(*sys.modules)"
    names = run_python(code, "--quiet", CASES / "go" / "two-goroutines.txt").split()
    assert "deadheat.bug_reports" in names
    assert [name for name in names if name.startswith("deadheat.bug_reports.")] == []


# -- the command -----------------------------------------------------------------------------------

FORM = ROOT / "form-error-stack-and-sql-sessions.txt"


def scan_output(capsys: Capture, *args: str) -> str:
    main(["scan", *args])
    return capsys.readouterr().out


def test_jsonl_has_the_claims_of_the_document(capsys: Capture) -> None:
    (line,) = scan_output(capsys, "--format", "jsonl", str(FORM)).splitlines()
    row = json.loads(line)
    assert row["detector"] == "go-error"
    assert row["bug_report"]["id"] == "7714"
    assert {"kind": "version", "role": "found-in", "value": "v3.4.1"}.items() <= next(
        c for c in row["claims"] if c["kind"] == "version"
    ).items()
    assert deadheat.sighting_to_wire(deadheat.sighting_from_wire(row)) == row


def test_line_from_a_log_has_no_claims(capsys: Capture) -> None:
    out = scan_output(capsys, "--format", "jsonl", str(CASES / "go" / "two-goroutines.txt"))
    assert "claims" not in json.loads(out)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_serialization_round_trip(path: Path) -> None:
    for sighting in deadheat.scan(path.read_bytes(), path.name, diagnose=False):
        row = json.loads(json.dumps(deadheat.sighting_to_wire(sighting)))
        assert deadheat.sighting_from_wire(row) == sighting


def test_text_summarises_the_claims_of_the_author(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    out = scan_output(capsys, str(FORM))
    (line,) = (line for line in out.splitlines() if "the author says" in line)
    assert "found in v3.4.1" in line
    assert "suspects granary-db/granary#7402" in line
    assert "7 steps" not in line
    assert "6 steps to reproduce it" in line


def test_documents_are_listed_with_and_without_reports(capsys: Capture) -> None:
    path = ROOT / "form-two-records-in-one-file.txt"
    documents = json.loads(scan_output(capsys, "--format", "documents", str(path)))
    assert [d["uri"].rpartition("#")[2] for d in documents] == ["11", "12"]
    assert [len(d["reports"]) for d in documents] == [0, 1]


def test_every_report_of_a_document_has_its_race_id(capsys: Capture, tmp_path: Path) -> None:
    issue = tmp_path / "issue.md"
    other = REPORT.replace("cart", "till")
    issue.write_text(f"## Bug report\n\nA data race.\n\n```\n{REPORT}{other}```\n")
    lines = scan_output(capsys, "--format", "jsonl", str(issue)).splitlines()
    races = [json.loads(line)["race"] for line in lines]
    assert len({*races}) == 2
    (document,) = json.loads(scan_output(capsys, "--format", "documents", str(issue)))
    assert [report["race"] for report in document["reports"]] == races


def test_documents_of_logs_are_an_empty_array(capsys: Capture) -> None:
    log = str(CASES / "go" / "two-goroutines.txt")
    assert json.loads(scan_output(capsys, "--format", "documents", log)) == []


def test_error_stacks_option_reads_them_in_logs(capsys: Capture) -> None:
    log = str(CASES / "near_misses" / "error-stack-of-pkg-errors.txt")
    assert scan_output(capsys, "--format", "jsonl", log) == ""
    (line,) = scan_output(capsys, "--format", "jsonl", "--error-stacks", log).splitlines()
    assert json.loads(line)["kind"] == "error-stack"


def test_bug_report_in_an_archive_keeps_its_claims(capsys: Capture, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(FORM, "issue.txt")
    (line,) = scan_output(capsys, "--format", "jsonl", str(tmp_path / "a.zip")).splitlines()
    assert json.loads(line)["bug_report"]["uri"].endswith("a.zip!issue.txt")


# -- error stacks under damage -----------------------------------------------------------------------

# log text on the same line as a symbol cannot be separated; the rest is as for `go`
UNREAD = {"newest-first", "log-glued-to-end", "log-glued-to-front", "mail-quote-then-quoted-printable"}
CLEAN = ("stack-under-an-error", "generics-a-test-and-a-house-library-of-errors")


def _user_frames(sighting: deadheat.Sighting) -> list[tuple[str, int | None]]:
    (access,) = sighting.report.accesses
    return [(f.function, f.line) for f in access.stack if f.origin == "user"]


@pytest.mark.parametrize(
    "damage", [d for d in DAMAGES if d.headless and d.name not in UNREAD], ids=lambda damage: damage.name
)
def test_error_stacks_survive_damage(damage: Damage) -> None:
    for name in CLEAN:
        text = (CASES / "go_error" / f"{name}.txt").read_text()
        (undamaged,) = deadheat.scan(text, opt_in=True, diagnose=False)
        for seed in range(3):
            sightings = deadheat.scan(damage.apply(text, random.Random(seed)), opt_in=True, diagnose=False)
            if damage.lossy:
                assert all(s.report.damage or _user_frames(s) == _user_frames(undamaged) for s in sightings)
            else:
                assert sightings
                assert {str(_user_frames(s)) for s in sightings} == {str(_user_frames(undamaged))}


@pytest.mark.parametrize("encoding", [b"U-F-8", b"utf-7", b"utf-16", b"rot13", b""])
def test_xml_with_an_unusual_encoding_is_not_a_fault(encoding: bytes) -> None:
    data = b'<?xml version="1.0" encoding="' + encoding + b'"?><testsuites></testsuites>'
    assert read_bug_reports(data, "junit.xml") is None or isinstance(read_bug_reports(data, "junit.xml"), list)
