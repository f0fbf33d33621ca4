"""Whatever happens while a document is read is one line about it, and everything else is read."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from deadheat import api, bug_reports, cli, plugins
from deadheat.bug_reports import BugReportFormat, reader
from deadheat.cli import scan as cli_scan
from deadheat.errors import DeadheatError, DocumentFaults, UnreadableError
from deadheat.model import Sighting
from deadheat.parsing import report_reader, test_attribution
from deadheat.repo import dossier
from deadheat.sources import files
from deadheat.text.window import OpenedDocument
from tests.cases import ROOT
from tests.hostile_inputs import nested_messages, nested_multipart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.repositories import Repository

REPORT = (ROOT / "go" / "two-goroutines.txt").read_text()
OTHER = (ROOT / "go" / "by-main-goroutine.txt").read_text()
TSAN = (ROOT / "tsan" / "anonymous-namespace.txt").read_text().replace("=" * 18, "")  # damaged
ISSUE = f"# A race in the queue\n\nIt fails since v1.2.3:\n\n```\n{REPORT}```\n"

ERRORS = {
    "RecursionError": (RecursionError("maximum recursion depth exceeded"), "nested too deeply"),
    "MemoryError": (MemoryError(), "not enough memory"),
    "KeyError": (KeyError("x"), "internal error, KeyError: 'x'"),
}
# what fails, and the number of reports of the failing document that are read all the same
STAGES: dict[str, tuple[Any, str, int]] = {
    "parse a report": (report_reader.ReportReader, "_parse_intact", 2),
    "parse a damaged region": (report_reader, "DamagedRegion", 2),
    "compute the fingerprint": (api, "_compute_verdict", 1),
    "create the sighting": (api, "new_sighting", 1),
    "attribute the test": (test_attribution.GoTestAttributor, "_attribute_go_tests", 2),
    "detect the encoding": (api, "detect_layout", 0),
    "recognise bug reports": (bug_reports, "may_be_bug_report", 0),
    "read a bug report": (reader, "_read_draft", 1),
    "find claims": (reader, "find_claims", 1),
    "split a bug report": (plugins, "bug_report_formats", 1),
    "open the file": (files, "open_documents", 0),
    "read the file": (files, "documents_in_file", 0),
    "collect reports": (cli_scan.ScanJob, "_collect_batch", 2),
}


def fail_once(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, error: Exception) -> None:
    """The first call raises an error."""
    original, calls = getattr(owner, name), []

    def failing(*args: Any, **options: Any) -> Any:
        calls.append(name)
        if len(calls) == 1:
            raise error
        return original(*args, **options)

    monkeypatch.setattr(owner, name, failing)


def failing_formats(error: Exception) -> Callable[[], list[BugReportFormat]]:
    def split(data: bytes, uri: str) -> None:
        raise error

    return lambda: [BugReportFormat("failing", 1, split)]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("stage", STAGES)
def test_error_in_any_stage_is_one_line_and_other_files_are_scanned(
    stage: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    owner, name, expected = STAGES[stage]
    exception, message = ERRORS[error]
    file_name, text = "a.log", f"{REPORT}all is well\n{OTHER}"
    if owner is reader or owner is plugins:
        file_name, text = "a.md", ISSUE
    elif name == "DamagedRegion":
        text = REPORT + TSAN
    (tmp_path / file_name).write_text(text)
    (tmp_path / "b.log").write_text(f"{OTHER}all is well\n" * 3)
    api.report_reader.cache_clear()  # it remembers the reports of other tests
    if owner is plugins:
        monkeypatch.setattr(owner, name, failing_formats(exception))
    else:
        fail_once(monkeypatch, owner, name, exception)
    assert cli.main(["scan", "--format", "jsonl", "--jobs", "1", str(tmp_path)]) == cli.EXIT_RACES
    out, err = capsys.readouterr()
    uris = [json.loads(line)["document"]["uri"] for line in out.splitlines()]
    assert sum("b.log" in uri for uri in uris) == 3
    assert sum(file_name in uri for uri in uris) == expected
    if stage == "collect reports":  # one by one then
        assert err == ""
        return
    assert len(err.splitlines()) == 1
    assert file_name in err
    assert message in err


def test_report_that_cannot_be_collected_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.log").write_text(REPORT + OTHER * 2)
    (tmp_path / "b.md").write_text(ISSUE)
    collect = cli_scan.ScanJob._collect_batch

    def failing(self: Any, items: list[Any], live: bool, is_part: bool) -> Any:
        if any(isinstance(item, Sighting) and item.uri.endswith("a.log") and item.span.offset < 100 for item in items):
            raise KeyError("x")
        return collect(self, items, live, is_part)

    monkeypatch.setattr(cli_scan.ScanJob, "_collect_batch", failing)
    assert cli.main(["scan", "--format", "jsonl", str(tmp_path)]) == cli.EXIT_RACES
    out, err = capsys.readouterr()
    assert out.count('"detector"') == 3
    assert err.count("\n") == 1
    assert "a.log: a report is skipped: internal error, KeyError: 'x'" in err


@pytest.mark.parametrize("build", [nested_messages, nested_multipart])
def test_mail_that_is_nested_too_deeply_is_read_as_text(build: Callable[[int], bytes]) -> None:
    data = build(1000)
    document = OpenedDocument("a.eml", data[:1000], io.BytesIO(data[1000:]).read)
    items = list(api.read_opened_documents([document, OpenedDocument("b.log", OTHER.encode(), lambda size: b"")]))
    assert [item.uri for item in items if isinstance(item, Sighting)] == ["a.eml", "b.log"]
    faults = [str(item) for item in items if isinstance(item, UnreadableError)]
    assert faults == ["a.eml: is read as text: it is nested too deeply"]


def test_functions_of_the_api_warn_of_what_cannot_be_read() -> None:
    data = nested_messages(1000)
    with pytest.warns(RuntimeWarning, match="nested too deeply"):
        assert len(deadheat.scan(data)) == 1
    with pytest.warns(RuntimeWarning, match="nested too deeply"):
        assert len(deadheat.read_documents(data)) == 1


def test_error_of_a_source_ends_it_and_is_a_fault() -> None:
    def documents() -> Iterator[OpenedDocument]:
        yield OpenedDocument("a.log", OTHER.encode(), lambda size: b"")
        raise ValueError("no more")

    first, last = api.read_opened_documents(documents())
    assert isinstance(first, Sighting)
    assert "the documents behind it cannot be read: internal error, ValueError: no more" in str(last)


def test_several_faults_of_a_document_are_one() -> None:
    faults = DocumentFaults("a.log")
    assert faults.summary() is None
    for number in range(3):
        faults.add_error(ValueError(number), "a report is skipped")
    assert "ValueError: 0" in str(faults.summary())
    assert "(and 2 more faults)" in str(faults.summary())


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("error", [*(error for error, _ in ERRORS.values()), DeadheatError("git was killed")])
def test_race_whose_clone_cannot_be_used_is_explained_without_it(
    error: Exception,
    repo: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "a.log").write_text(REPORT + OTHER)
    fail_once(monkeypatch, dossier, "find_pin", error)
    command = ["explain", "--repo", str(repo.path), "--format", "json", str(tmp_path / "a.log")]
    assert cli.main(command) == cli.EXIT_NOTHING
    out, err = capsys.readouterr()
    assert len(json.loads(out)) == 2
    assert err.count("is explained without the code") == err.count("\n") == 1
