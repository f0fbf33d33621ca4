"""`deadheat scan` end to end: output, faults and exit status."""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import json
import lzma
import os
import re
import select
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

import deadheat
from deadheat import cli
from deadheat.cli import lake_commands, scan, worker_pool
from deadheat.sources import files
from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCES = Path(deadheat.__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONUNBUFFERED": ""}
COMMAND = (sys.executable, "-m", "deadheat", "scan")
REPORT = (ROOT / "go" / "two-goroutines.txt").read_bytes()
OTHER = (ROOT / "go" / "method-value.txt").read_bytes()
DAMAGED = (ROOT / "go" / "one-access-only.txt").read_bytes()
TITLE = "read/write race in cart.(*Cart): Total / Add"
NOTHING, RACES, USAGE, FAILED, INTERRUPTED = 0, 1, 2, 3, 130
PATIENCE = 60  # seconds after which a process that hangs is a failure

Capture = pytest.CaptureFixture[str]


def scan_to_json(capsys: Capture, *args: str | Path) -> tuple[int, list[dict[str, Any]], list[str]]:
    """Exit status, reports, and lines on stderr."""
    status = cli.main(["scan", "--format", "jsonl", *map(str, args)])
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err.splitlines()


def scan_output(capsys: Capture, *args: str | Path) -> str:
    cli.main(["scan", *map(str, args)])
    return capsys.readouterr().out


def start_scan(*args: str | Path, stdin: int | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *map(str, args)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        preexec_fn=_enable_interrupts,
    )


def _enable_interrupts() -> None:
    """Enable Ctrl-C, which is disabled in background jobs."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def write_file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


# -- exit status -----------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"all is well\n", b""])
def test_no_race_is_status_0(tmp_path: Path, capsys: Capture, content: bytes) -> None:
    assert scan_to_json(capsys, write_file(tmp_path, "a.log", content)) == (NOTHING, [], [])


def test_race_is_status_1(tmp_path: Path, capsys: Capture) -> None:
    status, reports, errors = scan_to_json(capsys, write_file(tmp_path, "a.log", REPORT))
    assert (status, len(reports), errors) == (RACES, 1, [])


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["scum", "x"],
        ["scan"],
        ["scan", "--format", "xml", "x"],
        ["scan", "--jobs", "0", "x"],
        ["scan", "--frames", "six", "x"],
        ["scan", "--loud\nly", "x"],
        ["ingest", "--every", "nan", "--lake", "x", "x"],
        ["ingest", "--time", "once", "--lake", "x", "x"],
        ["ingest", "--path-pattern", "{who}.log", "--lake", "x", "x"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_status_2_with_one_line_that_refers_to_help(args: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(args)
    assert ended.value.code == USAGE
    [line] = capsys.readouterr().err.splitlines()
    command = "deadheat" if args[:1] in ([], ["scum"]) else f"deadheat {args[0]}"
    assert line.startswith(f"{command}: ")
    assert line.endswith(f"; see {command} --help")
    assert "value" not in line  # argparse's "invalid number value" would name an internal function


def test_no_readable_path_is_status_3_with_a_line_per_path(tmp_path: Path, capsys: Capture) -> None:
    status, reports, errors = scan_to_json(capsys, tmp_path / "none", tmp_path / "nor-this")
    assert (status, reports, len(errors)) == (FAILED, [], 2)
    assert str(tmp_path / "none") in errors[0]


def test_unreadable_path_next_to_a_readable_file_is_status_0(tmp_path: Path, capsys: Capture) -> None:
    quiet = write_file(tmp_path, "a.log", b"all is well\n")
    status, _, errors = scan_to_json(capsys, tmp_path / "none", quiet)
    assert (status, len(errors)) == (NOTHING, 1)


def test_unreadable_path_next_to_a_race_is_status_1(tmp_path: Path, capsys: Capture) -> None:
    status, reports, errors = scan_to_json(
        capsys, tmp_path / "none", write_file(tmp_path, "a.log", REPORT), tmp_path / "nor-this"
    )
    assert (status, len(reports), len(errors)) == (RACES, 1, 2)


def test_quiet_prints_no_faults_and_keeps_the_status(tmp_path: Path, capsys: Capture) -> None:
    assert scan_to_json(capsys, "--quiet", tmp_path / "none") == (FAILED, [], [])


def test_fault_is_one_line_for_any_file_name(tmp_path: Path, capsys: Capture) -> None:
    _, _, errors = scan_to_json(capsys, tmp_path / "a\nb\x1b[31mc")
    assert len(errors) == 1
    assert "\x1b" not in errors[0]


def test_escapes_in_a_symbol_are_not_printed(tmp_path: Path, capsys: Capture) -> None:
    coloured = REPORT.replace(b"cart.(*Cart)", b"cart%1b%5b31m%00.(*Cart)")
    assert coloured != REPORT
    out = scan_output(capsys, "--no-color", write_file(tmp_path, "a.log", coloured))
    assert "WRITE by goroutine" in out
    assert all(line.isprintable() for line in out.splitlines())


@pytest.mark.parametrize("args", [["--help"], ["scan", "--help"]], ids=" ".join)
def test_help_lists_the_exit_status(args: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(args)
    assert ended.value.code == 0
    assert "exit status" in capsys.readouterr().out


def test_help_of_scan_has_examples_that_parse(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        cli.main(["scan", "--help"])
    text = capsys.readouterr().out
    examples = re.findall(r"deadheat (scan [^|\n]*?)(?:  |\||\n)", text.partition("examples:")[2])
    assert len(examples) >= 4
    for example in examples:
        assert cli.build_parser().parse_args(example.split()).paths


# -- json and jsonl --------------------------------------------------------------------------------

TEXT, NUMBER, MAYBE_TEXT = (str,), (int,), (str, type(None))
FIELDS: dict[str, tuple[type, ...]] = {
    "schema": NUMBER, "detector": TEXT, "kind": TEXT, "title": TEXT, "fingerprint": TEXT,
    "race": TEXT, "accesses": (list,), "actors": (list,), "location": (dict, str, type(None)),
    "test": MAYBE_TEXT, "causes": (list,), "document": (dict,), "damage": (list,),
}  # fmt: skip
ACCESS: dict[str, tuple[type, ...]] = {
    "op": TEXT, "size": (int, type(None)), "address": MAYBE_TEXT, "actor": TEXT, "locks": (list,),
    "site": (dict, type(None)), "stack": (list,),
}  # fmt: skip
PLACE: dict[str, tuple[type, ...]] = {
    "function": TEXT, "package": TEXT, "file": TEXT, "line": (int, type(None)),
}  # fmt: skip
FRAME: dict[str, tuple[type, ...]] = {**PLACE, "origin": TEXT, "stale": (bool,)}
DOCUMENT: dict[str, tuple[type, ...]] = {
    "uri": TEXT, "offset": NUMBER, "length": NUMBER, "lane": MAYBE_TEXT,
}  # fmt: skip


def assert_fields(row: dict[str, Any], fields: dict[str, tuple[type, ...]]) -> None:
    assert fields.keys() <= row.keys()
    for name, types in fields.items():
        assert type(row[name]) in types, (name, row[name])


def test_every_line_has_every_field_of_the_schema(capsys: Capture) -> None:
    status, reports, _ = scan_to_json(capsys, ROOT / "go", ROOT / "go_fatal")
    assert status == RACES
    assert len(reports) > 100
    for report in reports:
        assert_fields(report, FIELDS)
        assert report["schema"] == 1
        assert re.fullmatch("[0-9a-f]+", report["fingerprint"])
        assert_fields(report["document"], DOCUMENT)
        for access in report["accesses"]:
            assert_fields(access, ACCESS)
            assert access["op"] in {*deadheat.model.Op}
            if access["site"] is not None:
                assert_fields(access["site"], PLACE)
        for actor in report["actors"]:
            assert_fields(actor, {"id": TEXT, "state": TEXT, "created_at": (list,)})
        stacks = [access["stack"] for access in report["accesses"]]
        stacks += [actor["created_at"] for actor in report["actors"]]
        for frame in [frame for stack in stacks for frame in stack]:
            assert_fields(frame, FRAME)
            assert frame["origin"] in {*deadheat.model.Origin}


def test_json_is_the_array_of_the_lines_of_jsonl(capsys: Capture) -> None:
    _, lines, _ = scan_to_json(capsys, ROOT / "go")
    assert json.loads(scan_output(capsys, "--format", "json", ROOT / "go")) == lines
    assert lines


def test_json_without_races_is_an_empty_array(tmp_path: Path, capsys: Capture) -> None:
    assert json.loads(scan_output(capsys, "--format", "json", write_file(tmp_path, "a", b"well\n"))) == []


def test_document_gives_the_position_of_the_report(tmp_path: Path, capsys: Capture) -> None:
    text = b"starting\n" * 1000 + REPORT + b"done\n" + OTHER
    path = write_file(tmp_path, "a.log", text)
    _, (first, second), _ = scan_to_json(capsys, path)
    for report, expected in ((first, REPORT), (second, OTHER)):
        place = report["document"]
        assert place["uri"] == str(path)
        raw = text[place["offset"] : place["offset"] + place["length"]]
        assert raw.strip(b"=\n") == expected.strip(b"=\n")


# -- text ------------------------------------------------------------------------------------------


def test_text_has_each_race_once_with_its_count(tmp_path: Path, capsys: Capture) -> None:
    text = scan_output(capsys, write_file(tmp_path, "a.log", REPORT * 3 + OTHER + REPORT))
    assert text.count(TITLE) == 1
    assert re.search(rf"1\. {re.escape(TITLE)}\n.* seen 4 times\n", text)
    assert text.rstrip().endswith("2 races, 5 sightings")


def test_text_has_both_accesses_and_their_creation(tmp_path: Path, capsys: Capture) -> None:
    text = scan_output(capsys, write_file(tmp_path, "a.log", REPORT))
    for expected in (
        "WRITE by goroutine 21", "READ by goroutine 20", "cart.(*Cart).Add", "cart/cart.go:31",
        "cart.(*Cart).Total", "cart/cart.go:40", "checkout/flow.go:51", "checkout/flow.go:56",
    ):  # fmt: skip
        assert text.count(expected) == 1, expected
    assert text.count("created at") == 2


def test_text_is_complete_on_a_narrow_terminal(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = scan_output(capsys, write_file(tmp_path, "a.log", REPORT))
    assert "cart/cart.go:31" in text
    assert text.index("WRITE by goroutine 21") > text.index("created at")


def test_frames_option_limits_the_stacks(tmp_path: Path, capsys: Capture) -> None:
    text = scan_output(capsys, "--frames", "1", write_file(tmp_path, "a.log", REPORT))
    assert "(*Flow).Submit" not in text
    assert text.count("2 more") == 2


def test_text_names_the_first_sightings(tmp_path: Path, capsys: Capture) -> None:
    path = write_file(tmp_path, "a.log", b"well\n" + REPORT * 9)
    lines = [
        int(line) for line in re.findall(rf"^   {re.escape(str(path))}:(\d+)$", scan_output(capsys, path), re.MULTILINE)
    ]
    text = path.read_text().splitlines()
    assert len(set(lines)) == 3
    assert all("WARNING: DATA RACE" in "".join(text[line - 1 : line + 1]) for line in lines)


def test_text_without_races_is_empty(tmp_path: Path, capsys: Capture) -> None:
    assert scan_output(capsys, write_file(tmp_path, "a.log", b"well\n")) == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("terminal", "no_color", "args", "coloured"),
    [(True, "", [], True), (False, "", [], False), (True, "1", [], False), (True, "", ["--no-color"], False)],
    ids=["terminal", "pipe", "NO_COLOR", "--no-color"],
)
def test_colour_is_used_only_on_terminals_that_allow_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool, no_color: str, args: list[str], coloured: bool
) -> None:
    out = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("NO_COLOR", no_color)
    assert cli.main(["scan", *args, str(write_file(tmp_path, "a.log", REPORT))]) == RACES
    assert ("\x1b[" in out.getvalue()) is coloured
    assert re.sub(r"\x1b\[\d+m", "", out.getvalue()).count(TITLE) == 1


HOSTILE = ("\x1b[31m", "\x1b]0;owned\x07", "\x07", "\x08", "\x9b31m", "\u202e", "\u2028", "\x00")


@pytest.mark.parametrize("hostile", HOSTILE, ids=ascii)
@pytest.mark.parametrize("victim", ["(*Cart).Add", "cart.go", "(*Flow).Start"])
def test_control_characters_of_a_document_are_not_printed(
    tmp_path: Path, capsys: Capture, hostile: str, victim: str
) -> None:
    middle = len(victim) // 2
    bad = REPORT.decode().replace(victim, victim[:middle] + hostile + victim[middle:])
    text = scan_output(capsys, write_file(tmp_path, f"a{hostile.strip(chr(0))}.log", bad.encode()))
    assert "by goroutine 20" in text
    assert re.search(r"[^\n\x20-\x7e…]", text) is None


def test_escapes_in_a_json_record_are_not_printed(tmp_path: Path, capsys: Capture) -> None:
    bad = REPORT.decode().replace("(*Cart).Add", "(*Ca\x1b[31mrt).Add").splitlines(keepends=True)
    records = "".join(json.dumps({"log": line, "stream": "stderr\x1b[1m"}) + "\n" for line in bad)
    text = scan_output(capsys, write_file(tmp_path, "a.log", records.encode()))
    assert "by goroutine 20" in text
    assert re.search(r"[^\n\x20-\x7e…]", text) is None


# -- streams ---------------------------------------------------------------------------------------


def read_line_within(out: IO[bytes], seconds: float) -> bytes:
    ready, _, _ = select.select([out], [], [], seconds)
    return out.readline() if ready else b""


def test_report_is_printed_while_the_input_is_open() -> None:
    with start_scan("--format", "jsonl", "-", stdin=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for text in (REPORT, OTHER):
            process.stdin.write(b"a line of the log\n" + text)
            process.stdin.flush()
            assert json.loads(read_line_within(process.stdout, PATIENCE))["document"]["uri"] == "-"
        assert process.poll() is None
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(PATIENCE) == RACES


def test_standard_input_may_be_compressed() -> None:
    done = subprocess.run(
        [*COMMAND, "--format", "jsonl", "-"],
        input=gzip.compress(REPORT),
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert (done.returncode, done.stdout.count(b"\n"), done.stderr) == (RACES, 1, b"")


def test_named_pipe_is_read(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with start_scan("--format", "jsonl", fifo) as process:
        assert process.stdout
        fifo.write_bytes(REPORT + OTHER)
        assert process.stdout.read().count(b"\n") == 2
        assert process.wait(PATIENCE) == RACES


def test_process_substitution_is_read(tmp_path: Path) -> None:
    path = write_file(tmp_path, "a.log", REPORT)
    command = " ".join(COMMAND)
    done = subprocess.run(
        ["bash", "-c", f"{command} --format jsonl <(cat {path}) <(cat {path})"],
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert (done.returncode, done.stdout.count(b"\n"), done.stderr) == (RACES, 2, b"")


def test_closed_output_pipe_is_not_a_fault(tmp_path: Path) -> None:
    path = write_file(tmp_path, "a.log", REPORT * 500)
    with start_scan("--format", "jsonl", path) as process:
        assert process.stdout
        assert process.stderr
        assert json.loads(process.stdout.readline())
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == RACES


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("scan --format text", RACES),
        ("scan --format json {none}", NOTHING),
        ("explain", NOTHING),
        ("gate --baseline {old}", NOTHING),
        ("gate --baseline {none}", RACES),
        ("gate --baseline {old} --update --reason later", NOTHING),
        ("completion bash", NOTHING),
    ],
)
def test_status_does_not_depend_on_who_reads_the_output(tmp_path: Path, command: str, status: int) -> None:
    log, none, old = write_file(tmp_path, "a.log", REPORT), tmp_path / "empty.log", tmp_path / "old.jsonl"
    none.touch()
    assert cli.main(["gate", "--baseline", str(old), "--update", "--quiet", str(log)]) == NOTHING
    words = command.format(old=old, none=none).split()
    paths = [] if "json" in words or "bash" in words else [str(log)]
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as closed:
        done = subprocess.run(
            [*COMMAND[:-1], *words, *paths], stdout=closed, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False
        )
    written = f"deadheat: {old}: 1 line written; reason of 1 known race set\n" if "--update" in words else ""
    assert (done.returncode, done.stderr.decode()) == (status, written)


def test_broken_connection_is_not_a_closed_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command has not done its work, and its status must tell so."""

    def lose_connection(*_: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    with (tmp_path / "out").open("w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(lake_commands, "run_races", lose_connection)
        assert cli.main(["races", "--lake", "x"]) == FAILED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize("redirection", ["{} >/dev/full", "{} >&-", "- <&-", "gone 2>/dev/full"])
@pytest.mark.parametrize("form", ["text", "jsonl", "html"])
def test_failing_standard_streams_are_status_3(tmp_path: Path, form: str, redirection: str) -> None:
    path = write_file(tmp_path, "a.log", REPORT)
    done = subprocess.run(
        ["bash", "-c", f"{' '.join(COMMAND)} --format {form} {redirection.format(path)}"],
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    errors = done.stderr.decode().splitlines()
    assert done.returncode == 3
    assert [line[:10] for line in errors] == ([] if "2>" in redirection else ["deadheat: "])


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_interrupt_prints_the_races_found_so_far(form: str) -> None:
    with start_scan("--format", form, "-", stdin=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(REPORT + b"and so on\n")
        process.stdin.flush()
        if form == "jsonl":
            first = read_line_within(process.stdout, PATIENCE)
        else:
            first = b""
            wait_until_read(process)
        out = first + interrupt(process)
        assert process.wait(PATIENCE) == INTERRUPTED
        assert process.stderr.read() == b"deadheat: interrupted\n"
        assert TITLE.encode() in out
        if form != "text":
            assert json.loads(out)


def interrupt(process: subprocess.Popen[bytes]) -> bytes:
    """Interrupt the process and return its output; the signal is repeated, as a read about to block misses it."""
    assert process.stdout
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        if select.select([process.stdout], [], [], PATIENCE / 3)[0]:
            break
    return process.stdout.read()


def wait_until_read(process: subprocess.Popen[bytes]) -> None:
    """Write until the process must have read the first report: more than a pipe holds."""
    assert process.stdin
    os.set_blocking(process.stdin.fileno(), False)
    written = 0
    while written < 1 << 18:  # four times what a pipe holds
        _, ready, _ = select.select([], [process.stdin], [], PATIENCE)
        assert ready
        written += os.write(process.stdin.fileno(), b"a line\n" * 512)


# -- directories, devices, binaries ----------------------------------------------------------------


def relative_uris(reports: list[dict[str, Any]], root: Path) -> list[str]:
    return [report["document"]["uri"].removeprefix(f"{root}/") for report in reports]


def test_binaries_in_a_directory_are_skipped(tmp_path: Path, capsys: Capture) -> None:
    write_file(tmp_path, "program", b"\x7fELF\x02\x01\x01" + bytes(64) + REPORT)
    write_file(tmp_path, "data.bin", b"\x01\0\0\0\xf3\x7f\0\0" * 999 + REPORT)
    write_file(tmp_path, "a.log", REPORT)
    _, reports, errors = scan_to_json(capsys, tmp_path)
    assert (relative_uris(reports, tmp_path), errors) == (["a.log"], [])


def test_binary_given_by_name_is_read(tmp_path: Path, capsys: Capture) -> None:
    path = write_file(tmp_path, "program", b"\x7fELF\x02\x01\x01" + bytes(64) + b"\n" + REPORT)
    assert len(scan_to_json(capsys, path)[1]) == 1


MAKERS: dict[str, Callable[[Path], None]] = {
    "link to a parent directory": lambda path: path.symlink_to(path.parent),
    "link to itself": lambda path: path.symlink_to(path),
    "pipe": os.mkfifo,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_unreadable_entry_of_a_directory_is_reported(tmp_path: Path, capsys: Capture, kind: str) -> None:
    write_file(tmp_path, "a.log", REPORT)
    MAKERS[kind](tmp_path / "entry")
    status, reports, errors = scan_to_json(capsys, tmp_path)
    assert (status, len(reports), len(errors)) == (RACES, 1, 1)


def test_broken_link_is_reported(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "was-here")
    status, _, errors = scan_to_json(capsys, tmp_path)
    assert (status, len(errors)) == (FAILED, 1)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux")
def test_file_that_fails_to_read_is_reported(tmp_path: Path, capsys: Capture) -> None:
    quiet = write_file(tmp_path, "a.log", REPORT)
    status, reports, errors = scan_to_json(capsys, "/proc/self/mem", quiet)
    assert (status, len(reports), len(errors)) == (RACES, 1, 1)
    assert scan_to_json(capsys, "/proc/self/mem")[0] == FAILED


def test_file_that_vanishes_is_reported(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(tmp_path, "a.log", REPORT)
    gone = write_file(tmp_path, "b.log", REPORT)
    opened = os.open

    def vanishing(path: str, *args: Any, **more: Any) -> int:
        gone.unlink(missing_ok=True)
        return opened(path, *args, **more)

    monkeypatch.setattr(os, "open", vanishing)
    status, reports, errors = scan_to_json(capsys, tmp_path)
    assert (status, relative_uris(reports, tmp_path), len(errors)) == (RACES, ["a.log"], 1)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/random"])
def test_device_is_reported_and_never_opened(device: str, capsys: Capture) -> None:
    status, _, errors = scan_to_json(capsys, device)
    assert (status, len(errors)) == (FAILED, 1)
    assert device in errors[0]


def test_file_name_that_is_not_utf_8_is_read_and_printed(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/a\xff.log"
    with open(path, "wb") as out:
        out.write(REPORT)
    for form in ("text", "json", "jsonl"):
        with start_scan("--format", form, tmp_path) as process:
            assert process.stdout
            assert process.stderr
            assert TITLE.encode() in process.stdout.read()
            assert process.stderr.read() == b""
            assert process.wait(PATIENCE) == RACES


# -- archives --------------------------------------------------------------------------------------


def make_zip(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def make_tar(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def make_v7_tar(name: str, data: bytes) -> bytes:
    """A tar in the v7 format, without a magic number."""
    block = bytearray(make_tar((name, data))[:512])
    block[257:] = bytes(255)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + make_tar((name, data))[512:]


def compress_zstd(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
    return packed


TWO = (("first.log", REPORT), ("logs/second.log", OTHER))
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": compress_zstd,
}
CONTENTS = {"log": lambda: REPORT + OTHER, "tar": lambda: make_tar(*TWO), "zip": lambda: make_zip(*TWO)}


def member_paths(reports: list[dict[str, Any]], path: Path) -> list[str]:
    return [report["document"]["uri"].removeprefix(str(path)) for report in reports]


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("honest", [True, False], ids=["suffix", "wrong-suffix"])
def test_compressed_files_and_archives_are_read(
    tmp_path: Path, capsys: Capture, compression: str, content: str, honest: bool
) -> None:
    data = CONTENTS[content]()
    if compression:
        data = COMPRESSIONS[compression](data)
    name = f"a.{content}.{compression}" if honest else "a.txt"
    path = write_file(tmp_path, name, data)
    status, reports, errors = scan_to_json(capsys, path)
    assert (status, errors) == (RACES, [])
    expected = ["", ""] if content == "log" else ["!first.log", "!logs/second.log"]
    assert member_paths(reports, path) == expected
    assert scan_to_json(capsys, tmp_path)[1] == reports


def test_text_file_with_a_compression_suffix_is_read(tmp_path: Path, capsys: Capture) -> None:
    assert len(scan_to_json(capsys, write_file(tmp_path, "a.log.gz", REPORT))[1]) == 1


def test_archives_inside_archives_are_read(tmp_path: Path, capsys: Capture) -> None:
    inner = make_zip(("deep.log.gz", gzip.compress(REPORT)), ("shallow.log", OTHER))
    path = write_file(tmp_path, "a.tar.xz", lzma.compress(make_tar(("in.zip", inner), ("c.log", REPORT))))
    status, reports, errors = scan_to_json(capsys, path)
    assert (status, errors) == (RACES, [])
    assert member_paths(reports, path) == ["!in.zip!deep.log.gz", "!in.zip!shallow.log", "!c.log"]


def test_binaries_inside_archives_are_skipped(tmp_path: Path, capsys: Capture) -> None:
    program = b"\x7fELF\x02\x01\x01" + bytes(64) + REPORT
    path = write_file(tmp_path, "a.zip", make_zip(("program", program), ("a.log", REPORT)))
    assert member_paths(scan_to_json(capsys, path)[1], path) == ["!a.log"]


def test_links_inside_archives_are_not_followed(tmp_path: Path, capsys: Capture) -> None:
    secret = write_file(tmp_path, "secret", REPORT)
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        info = tarfile.TarInfo("link")
        info.type, info.linkname = tarfile.SYMTYPE, str(secret)
        archive.addfile(info)
    assert scan_to_json(capsys, tmp_path / "a.tar")[:2] == (NOTHING, [])


def zip_with_bad_checksum() -> bytes:
    data = bytearray(make_zip(("bad.log", b"well\n" * 400), ("good.log", REPORT)))
    at = data.index(b"PK\x01\x02") + 16
    data[at] ^= 0xFF  # the checksum of the first member in the index
    return bytes(data)


def zip_with_encrypted_member() -> bytes:
    data = bytearray(make_zip(("secret.log", REPORT), ("good.log", REPORT)))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    return bytes(data)


BROKEN = {
    "truncated gz": lambda: gzip.compress(OTHER * 50 + os.urandom(9000))[:-4000],
    "garbage after gz magic": lambda: b"\x1f\x8b" + b"garbage " * 99,
    "truncated bz2": lambda: bz2.compress(os.urandom(9000))[:-100],
    "truncated xz": lambda: lzma.compress(os.urandom(9000))[:-100],
    "truncated zst": lambda: compress_zstd(os.urandom(9000))[:-100],
    "garbage after zst magic": lambda: b"\x28\xb5\x2f\xfd" + b"\xff" * 99,
    "garbage after zip magic": lambda: b"PK\x03\x04" + b"garbage " * 99,
    "truncated tar": lambda: make_tar(("a.log", b"well\n" * 4000))[:9000],
    "zip with bad checksum": zip_with_bad_checksum,
    "zip with encrypted member": zip_with_encrypted_member,
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_archive_is_reported_and_the_rest_is_read(tmp_path: Path, capsys: Capture, kind: str) -> None:
    path = write_file(tmp_path, "a", BROKEN[kind]())
    rest = write_file(tmp_path, "b.log", DAMAGED)
    status, reports, errors = scan_to_json(capsys, path, rest)
    assert (status, len(errors)) == (RACES, 1), errors
    assert str(path) in errors[0]
    assert reports[-1]["document"]["uri"] == str(rest)


@pytest.mark.parametrize("kind", ["zip with bad checksum", "zip with encrypted member"])
def test_other_members_of_a_broken_zip_are_read(tmp_path: Path, capsys: Capture, kind: str) -> None:
    path = write_file(tmp_path, "a", BROKEN[kind]())
    assert member_paths(scan_to_json(capsys, path)[1], path) == ["!good.log"]


@pytest.mark.parametrize("kind", [k for k in BROKEN if not k.startswith("zip with")])
def test_broken_archive_alone_is_status_3_or_a_race(tmp_path: Path, capsys: Capture, kind: str) -> None:
    status, reports, _ = scan_to_json(capsys, write_file(tmp_path, "a", BROKEN[kind]()))
    assert status == (RACES if reports else FAILED)


@pytest.mark.parametrize("name", ["a.zip", "a.LOG.GZ", "a.bz2", "a.xz", "a.zst", "a.tgz", "a.tar"])
@pytest.mark.parametrize("garbage", [b"\x9c\0\xfe not packed", b"no such thing\n"])
def test_file_with_a_false_archive_suffix_is_reported_and_read_as_text(
    tmp_path: Path, capsys: Capture, name: str, garbage: bytes
) -> None:
    status, _, errors = scan_to_json(capsys, path := write_file(tmp_path, name, garbage))
    assert (status, len(errors)) == (FAILED, 1), errors
    assert str(path) in errors[0]
    status, reports, errors = scan_to_json(capsys, write_file(tmp_path, name, REPORT))
    assert (status, len(reports), len(errors)) == (RACES, 1, 1)


def test_archive_member_with_a_false_suffix_is_reported(tmp_path: Path, capsys: Capture) -> None:
    packed = make_tar(("a.gz", REPORT), ("b.gz", gzip.compress(REPORT)), ("c.zip", b""))
    status, reports, errors = scan_to_json(capsys, path := write_file(tmp_path, "a.tar.gz", gzip.compress(packed)))
    assert (status, len(reports), len(errors)) == (RACES, 2, 1)
    assert f"{path}!a.gz" in errors[0]


@pytest.mark.parametrize("kind", ["v7", "nothing", "empty"])
def test_tar_without_magic_or_content_is_not_a_fault(tmp_path: Path, capsys: Capture, kind: str) -> None:
    content = {"v7": make_v7_tar("a.log", REPORT), "nothing": bytes(10240), "empty": b""}[kind]
    _, reports, errors = scan_to_json(capsys, path := write_file(tmp_path, "a.tar", content))
    assert errors == []
    assert member_paths(reports, path) == (["!a.log"] if kind == "v7" else [])


def test_internal_error_is_status_3_with_a_traceback(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faulty(*_: object) -> None:
        raise KeyError("\x1b[31mred")

    monkeypatch.setattr("deadheat.cli.scan.ScanJob.run", faulty)
    status = cli.main(["scan", str(write_file(tmp_path, "a.log", REPORT))])
    errors = capsys.readouterr().err
    assert status == FAILED
    assert "Traceback" in errors
    assert "report it" in errors.splitlines()[-1]
    assert "\x1b" not in errors


def test_archive_member_name_is_escaped(tmp_path: Path, capsys: Capture) -> None:
    path = write_file(tmp_path, "a.tar", make_tar(("a\x1b[31m\nb.log", REPORT)))
    assert "\x1b" not in scan_output(capsys, path)


# -- several processes -----------------------------------------------------------------------------


def busy_log(size: int) -> Iterator[bytes]:
    """Reports at every kind of position relative to the ranges of a large file."""
    line = b"2026-01-02T03:04:05Z INFO request served in 12 ms, all is well, nothing to see\n"
    done = number = 0
    while done < size:
        number += 1
        text = REPORT.replace(b"0x00c0001a4038", b"0x%012x" % (0xC000000000 + number * 64))
        block = (line * (number * 37 % 97) + text) if number % 3 else (line * 400 + OTHER)
        yield block
        done += len(block)


def test_output_does_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    path = tmp_path / "big.log"
    with path.open("wb") as out:
        out.writelines(busy_log(40 << 20))
    outputs = []
    for jobs in ("1", "2", "3"):
        with start_scan("--format", "jsonl", "--jobs", jobs, path) as process:
            assert process.stdout
            assert process.stderr
            outputs.append(process.stdout.read())
            assert process.stderr.read() == b""
            assert process.wait(PATIENCE) == RACES
    assert outputs[0].count(b"\n") == path.read_bytes().count(b"WARNING: DATA RACE")
    assert outputs[1] == outputs[0]
    assert outputs[2] == outputs[0]


COUNT, EACH = 23, 5
EXPECTED = [(unit, i) for unit in range(COUNT) for i in range(EACH)]


def yield_results(unit: int, forked: bool) -> Iterator[tuple[int, int]]:
    for i in range(EACH):
        yield unit, i


def describe_death(unit: int, reason: str) -> tuple[int, str]:
    return unit, reason


def killing_function(tmp_path: Path, at: tuple[int, int], most: int) -> worker_pool.UnitFunction:
    """Work in which a child dies just before it yields `at`, at most `most` times."""

    def work(unit: int, forked: bool) -> Iterator[tuple[int, int]]:
        for i in range(EACH):
            if forked and (at[0] in (unit, -1)) and i == at[1] and len(list(tmp_path.iterdir())) < most:
                (tmp_path / str(os.getpid())).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield unit, i

    return work


@pytest.mark.parametrize("jobs", [1, 2, 3, 40])
def test_results_are_in_order_for_any_number_of_processes(jobs: int) -> None:
    assert list(worker_pool.run_units(COUNT, jobs, yield_results, describe_death)) == EXPECTED


@pytest.mark.parametrize("count", [0, 1, 2])
def test_pool_runs_fewer_units_than_processes(count: int) -> None:
    assert list(worker_pool.run_units(count, 4, yield_results, describe_death)) == EXPECTED[: count * EACH]


@pytest.mark.parametrize("at", [(0, 0), (0, 3), (7, 0), (7, 2), (COUNT - 1, EACH - 1)], ids=str)
def test_killed_worker_loses_and_repeats_nothing(tmp_path: Path, at: tuple[int, int]) -> None:
    assert list(worker_pool.run_units(COUNT, 2, killing_function(tmp_path, at, 1), describe_death)) == EXPECTED
    assert len(list(tmp_path.iterdir())) == 1


def test_pool_finishes_when_all_workers_are_killed(tmp_path: Path) -> None:
    work = killing_function(tmp_path, (-1, 2), 3)
    assert list(worker_pool.run_units(COUNT, 3, work, describe_death)) == EXPECTED
    assert len(list(tmp_path.iterdir())) == 3


def test_unit_that_kills_every_process_is_described_and_others_are_read(tmp_path: Path) -> None:
    work = killing_function(tmp_path, (7, 2), 99)
    results = list(worker_pool.run_units(COUNT, 2, work, describe_death))
    death = (7, "was killed, perhaps because memory was short")
    assert results == [pair for pair in EXPECTED if pair < (7, 2)] + [death] + [
        pair for pair in EXPECTED if pair[0] > 7
    ]
    assert len(list(tmp_path.iterdir())) == 2


def test_unit_of_a_failed_worker_runs_again(tmp_path: Path) -> None:
    def work(unit: int, forked: bool) -> Iterator[tuple[int, int]]:
        yield unit, 0
        if forked and unit == 5 and not list(tmp_path.iterdir()):
            (tmp_path / "failed").touch()
            raise RuntimeError("in a worker")
        for i in range(1, EACH):
            yield unit, i

    assert list(worker_pool.run_units(COUNT, 2, work, describe_death)) == EXPECTED


def test_large_results_do_not_block() -> None:
    def work(unit: int, forked: bool) -> Iterator[bytes]:
        yield bytes([unit]) * (3 << 20)
        yield bytes([unit]) * (9 << 20)

    sizes = [(value[0], len(value)) for value in worker_pool.run_units(6, 3, work, describe_death)]
    assert sizes == [(unit, size) for unit in range(6) for size in (3 << 20, 9 << 20)]


def test_stopping_early_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[int] = []
    fork = os.fork

    def counted() -> int:
        children.append(fork())
        return children[-1]

    monkeypatch.setattr(os, "fork", counted)
    results = worker_pool.run_units(COUNT, 2, yield_results, describe_death)
    assert next(results) == (0, 0)
    results.close()  # type: ignore[attr-defined]
    assert len(children) == 2
    for child in children:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


def test_file_that_shrinks_while_being_read_is_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "big.log"
    with path.open("wb") as out:
        out.writelines(busy_log(24 << 20))
    with start_scan("--format", "jsonl", "--jobs", "2", path) as process:
        assert process.stdout
        assert process.stderr
        assert json.loads(process.stdout.readline())
        os.truncate(path, 4096)
        process.stdout.read()
        assert b"Traceback" not in process.stderr.read()
        assert process.wait(PATIENCE) == RACES


def test_why_option_explains_the_race_id(tmp_path: Path, capsys: Capture) -> None:
    text = scan_output(capsys, "--why", write_file(tmp_path, "ci.log", REPORT))
    assert "cart (*Cart).Add" in text
    assert "the same address in the same run is the same race" in text


OTHER_READER = REPORT.replace(b"(*Cart).Total", b"(*Cart).Print").replace(b":52", b":61")


def test_reports_of_one_address_are_one_race_in_every_file(tmp_path: Path, capsys: Capture) -> None:
    write_file(tmp_path, "a.log", REPORT + OTHER_READER)
    write_file(tmp_path, "b.log", OTHER_READER)
    _, reports, _ = scan_to_json(capsys, tmp_path)
    assert len({line["fingerprint"] for line in reports}) == 2
    assert len({line["race"] for line in reports}) == 1
    assert "1 race, 3 sightings" in scan_output(capsys, tmp_path)


def test_output_beyond_the_memory_limit_is_spilled_to_a_file(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deadheat.output.race_counts._MAX_BYTES_IN_MEMORY", 1000)
    _, one, _ = scan_to_json(capsys, write_file(tmp_path, "few.log", REPORT))
    _, nine, _ = scan_to_json(capsys, write_file(tmp_path, "many.log", REPORT * 9))
    assert [line["race"] for line in nine] == [one[0]["race"]] * 9


# -- grouping across the ranges of a large file ------------------------------------------------------

ONE_OF_TWO = """==================
WARNING: DATA RACE
Write at 0x00c00012e018 by goroutine 7:
  example.com/shop/cart.(*Cart).Add()
      /src/shop/cart/cart.go:12 +0x45

Previous read at 0x00c00012e018 by goroutine {reader}:
  example.com/shop/cart.(*Cart).{function}()
      /src/shop/cart/cart.go:{line} +0x38

Goroutine 7 (running) created at:
  main.main()
      /src/shop/main.go:12 +0x9a
==================
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("lines", [1, 6000])
def test_two_reports_of_one_variable_may_be_far_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, lines: int, jobs: int
) -> None:
    monkeypatch.setattr(files, "LARGE_FILE", 1 << 17)
    monkeypatch.setattr(files, "MIN_RANGE", 1 << 16)
    monkeypatch.setattr(scan, "_MIN_BYTES_TO_FORK", 1)
    log = tmp_path / "a.log"
    first = ONE_OF_TWO.format(reader=8, function="Total", line=20)
    second = ONE_OF_TWO.format(reader=9, function="Items", line=31)
    quiet = "2026-01-01 12:00:00 info all is well with the server and nothing happened\n"
    log.write_text(first + quiet * lines + second)
    assert cli.main(["scan", "--format", "jsonl", "--jobs", str(jobs), str(log)]) == 1
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [len(reports), len({one["race"] for one in reports})] == [2, 1]


def test_unencodable_characters_are_printed_as_question_marks(tmp_path: Path) -> None:
    """The text format has an ellipsis, and a report may have any character."""
    log = tmp_path / "ci.log"
    log.write_bytes(REPORT.replace(b"cart.go", "k\u00e4rt\u0161.go".encode()))
    for charset, shown in ("ascii", b"k?rt?.go"), ("latin-1", b"k\xe4rt?.go"):
        env = {**ENVIRONMENT, "PYTHONIOENCODING": charset}
        done = subprocess.run([*COMMAND, str(log)], capture_output=True, env=env, check=False)
        assert done.returncode == cli.EXIT_RACES, done.stderr
        assert shown in done.stdout
        assert not done.stderr


def test_every_numeric_option_has_a_minimum() -> None:
    (commands,) = (a.choices for a in cli.build_parser()._actions if isinstance(a.choices, dict))
    options = [action for command in commands.values() for action in command._actions]
    numbers = [option.type for option in options if option.metavar == "N" and option.type]
    assert len(numbers) > 5
    for number in numbers:
        with pytest.raises(argparse.ArgumentTypeError, match="or more"):
            number("-1")


def test_file_name_is_printed_on_one_line(tmp_path: Path) -> None:
    write_file(tmp_path, "a\x1b[31m\n99 races, 99 sightings\n.log", REPORT)
    done = subprocess.run([*COMMAND, tmp_path], capture_output=True, env=ENVIRONMENT, check=False, text=True)
    assert "\x1b" not in done.stdout
    assert sum(" races" in line or "sighting" in line for line in done.stdout.splitlines()) == 2
    assert [line for line in done.stdout.splitlines() if line.strip().startswith("99")] == []
