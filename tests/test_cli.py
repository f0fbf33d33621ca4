"""`deadheat scan` from end to end: what it prints, where faults go, and how it ends."""

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
from deadheat.cli import scan_job, worker_pool
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


def scanned(capsys: Capture, *args: str | Path) -> tuple[int, list[dict[str, Any]], list[str]]:
    """Exit status, the reports, and the lines on stderr."""
    status = cli.main(["scan", "--format", "jsonl", *map(str, args)])
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err.splitlines()


def written(capsys: Capture, *args: str | Path) -> str:
    cli.main(["scan", *map(str, args)])
    return capsys.readouterr().out


def started(*args: str | Path, stdin: int | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *map(str, args)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        preexec_fn=_hear_interrupts,
    )


def _hear_interrupts() -> None:
    """Whoever runs the tests in the background has made everybody deaf to Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


# -- exit status -----------------------------------------------------------------------------------


def test_nothing_found_is_status_0(tmp_path: Path, capsys: Capture) -> None:
    assert scanned(capsys, file(tmp_path, "a.log", b"all is well\n")) == (NOTHING, [], [])


def test_a_race_is_status_1(tmp_path: Path, capsys: Capture) -> None:
    status, reports, errors = scanned(capsys, file(tmp_path, "a.log", REPORT))
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
def test_wrong_usage_is_status_2_with_one_line_that_says_where_help_is(args: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(args)
    assert ended.value.code == USAGE
    [line] = capsys.readouterr().err.splitlines()
    command = "deadheat" if args[:1] in ([], ["scum"]) else f"deadheat {args[0]}"
    assert line.startswith(f"{command}: ")
    assert line.endswith(f"; see {command} --help")
    assert "value" not in line  # argparse's "invalid number value" names one of our functions


def test_nothing_readable_is_status_3_with_a_line_per_path(tmp_path: Path, capsys: Capture) -> None:
    status, reports, errors = scanned(capsys, tmp_path / "none", tmp_path / "nor-this")
    assert (status, reports, len(errors)) == (FAILED, [], 2)
    assert str(tmp_path / "none") in errors[0]


def test_a_fault_beside_a_readable_file_is_status_0(tmp_path: Path, capsys: Capture) -> None:
    quiet = file(tmp_path, "a.log", b"all is well\n")
    status, _, errors = scanned(capsys, tmp_path / "none", quiet)
    assert (status, len(errors)) == (NOTHING, 1)


def test_a_fault_beside_a_race_is_status_1(tmp_path: Path, capsys: Capture) -> None:
    status, reports, errors = scanned(capsys, tmp_path / "none", file(tmp_path, "a.log", REPORT), tmp_path / "nor-this")
    assert (status, len(reports), len(errors)) == (RACES, 1, 2)


def test_an_empty_file_was_read(tmp_path: Path, capsys: Capture) -> None:
    assert scanned(capsys, file(tmp_path, "a.log", b"")) == (NOTHING, [], [])


def test_quiet_says_nothing_on_stderr_and_keeps_the_status(tmp_path: Path, capsys: Capture) -> None:
    assert scanned(capsys, "--quiet", tmp_path / "none") == (FAILED, [], [])


def test_a_fault_is_one_line_whatever_the_name_holds(tmp_path: Path, capsys: Capture) -> None:
    _, _, errors = scanned(capsys, tmp_path / "a\nb\x1b[31mc")
    assert len(errors) == 1
    assert "\x1b" not in errors[0]


def test_what_a_symbol_escapes_reaches_no_terminal(tmp_path: Path, capsys: Capture) -> None:
    coloured = REPORT.replace(b"cart.(*Cart)", b"cart%1b%5b31m%00.(*Cart)")
    assert coloured != REPORT
    out = written(capsys, "--no-color", file(tmp_path, "a.log", coloured))
    assert "WRITE by goroutine" in out
    assert all(line.isprintable() for line in out.splitlines())


@pytest.mark.parametrize("args", [["--help"], ["scan", "--help"]], ids=" ".join)
def test_help_tells_the_exit_status(args: list[str], capsys: Capture) -> None:
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


def assert_fields(plain: dict[str, Any], fields: dict[str, tuple[type, ...]]) -> None:
    assert fields.keys() <= plain.keys()
    for name, types in fields.items():
        assert type(plain[name]) in types, (name, plain[name])


def test_every_line_has_every_field_of_the_contract(capsys: Capture) -> None:
    status, reports, _ = scanned(capsys, ROOT / "go", ROOT / "go_fatal")
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
    _, lines, _ = scanned(capsys, ROOT / "go")
    assert json.loads(written(capsys, "--format", "json", ROOT / "go")) == lines
    assert lines


def test_json_of_nothing_is_an_empty_array(tmp_path: Path, capsys: Capture) -> None:
    assert json.loads(written(capsys, "--format", "json", file(tmp_path, "a", b"well\n"))) == []


def test_the_document_tells_where_the_report_stands(tmp_path: Path, capsys: Capture) -> None:
    text = b"starting\n" * 1000 + REPORT + b"done\n" + OTHER
    path = file(tmp_path, "a.log", text)
    _, (first, second), _ = scanned(capsys, path)
    for report, own in ((first, REPORT), (second, OTHER)):
        place = report["document"]
        assert place["uri"] == str(path)
        raw = text[place["offset"] : place["offset"] + place["length"]]
        assert raw.strip(b"=\n") == own.strip(b"=\n")


# -- text ------------------------------------------------------------------------------------------


def test_text_has_each_race_once_with_its_count(tmp_path: Path, capsys: Capture) -> None:
    text = written(capsys, file(tmp_path, "a.log", REPORT * 3 + OTHER + REPORT))
    assert text.count(TITLE) == 1
    assert re.search(rf"1\. {re.escape(TITLE)} +seen 4 times", text)
    assert text.rstrip().endswith("2 races, 5 sightings")


def test_text_has_both_sides_and_the_creation(tmp_path: Path, capsys: Capture) -> None:
    text = written(capsys, file(tmp_path, "a.log", REPORT))
    for telling in (
        "WRITE by goroutine 21", "READ by goroutine 20", "cart.(*Cart).Add", "cart/cart.go:31",
        "cart.(*Cart).Total", "cart/cart.go:40", "checkout/flow.go:51", "checkout/flow.go:56",
    ):  # fmt: skip
        assert text.count(telling) == 1, telling
    assert text.count("created at") == 2


def test_text_has_all_of_it_where_the_terminal_is_narrow(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = written(capsys, file(tmp_path, "a.log", REPORT))
    assert "cart/cart.go:31" in text
    assert text.index("READ by goroutine 20") > text.index("created at")


def test_frames_limits_the_stacks(tmp_path: Path, capsys: Capture) -> None:
    text = written(capsys, "--frames", "1", file(tmp_path, "a.log", REPORT))
    assert "(*Flow).Submit" not in text
    assert text.count("2 more") == 2


def test_text_names_the_places_of_the_first_sightings(tmp_path: Path, capsys: Capture) -> None:
    path = file(tmp_path, "a.log", b"well\n" + REPORT * 9)
    places = re.findall(r"at byte (\d+)", written(capsys, path))
    assert len(places) == 3
    assert len(set(places)) == 3


def test_text_of_nothing_is_nothing(tmp_path: Path, capsys: Capture) -> None:
    assert written(capsys, file(tmp_path, "a.log", b"well\n")) == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("terminal", "no_color", "args", "coloured"),
    [(True, "", [], True), (False, "", [], False), (True, "1", [], False), (True, "", ["--no-color"], False)],
    ids=["terminal", "pipe", "NO_COLOR", "--no-color"],
)
def test_colour_is_for_terminals_that_want_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool, no_color: str, args: list[str], coloured: bool
) -> None:
    out = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("NO_COLOR", no_color)
    assert cli.main(["scan", *args, str(file(tmp_path, "a.log", REPORT))]) == RACES
    assert ("\x1b[" in out.getvalue()) is coloured
    assert re.sub(r"\x1b\[\d+m", "", out.getvalue()).count(TITLE) == 1


HOSTILE = ("\x1b[31m", "\x1b]0;owned\x07", "\x07", "\x08", "\x9b31m", "\u202e", "\u2028", "\x00")


@pytest.mark.parametrize("hostile", HOSTILE, ids=ascii)
@pytest.mark.parametrize("victim", ["(*Cart).Add", "cart.go", "(*Flow).Start"])
def test_no_control_character_of_a_document_reaches_the_terminal(
    tmp_path: Path, capsys: Capture, hostile: str, victim: str
) -> None:
    half = len(victim) // 2
    bad = REPORT.decode().replace(victim, victim[:half] + hostile + victim[half:])
    text = written(capsys, file(tmp_path, f"a{hostile.strip(chr(0))}.log", bad.encode()))
    assert "by goroutine 20" in text
    assert re.search(r"[^\n\x20-\x7e…]", text) is None


def test_no_escape_that_a_record_hides_reaches_the_terminal(tmp_path: Path, capsys: Capture) -> None:
    bad = REPORT.decode().replace("(*Cart).Add", "(*Ca\x1b[31mrt).Add").splitlines(keepends=True)
    records = "".join(json.dumps({"log": line, "stream": "stderr\x1b[1m"}) + "\n" for line in bad)
    text = written(capsys, file(tmp_path, "a.log", records.encode()))
    assert "by goroutine 20" in text
    assert re.search(r"[^\n\x20-\x7e…]", text) is None


# -- streams ---------------------------------------------------------------------------------------


def line_within(out: IO[bytes], seconds: float) -> bytes:
    ready, _, _ = select.select([out], [], [], seconds)
    return out.readline() if ready else b""


def test_a_report_is_printed_while_its_writer_goes_on() -> None:
    with started("--format", "jsonl", "-", stdin=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        for text in (REPORT, OTHER):
            process.stdin.write(b"a line of the log\n" + text)
            process.stdin.flush()
            assert json.loads(line_within(process.stdout, PATIENCE))["document"]["uri"] == "-"
        assert process.poll() is None
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(PATIENCE) == RACES


def test_standard_input_may_be_packed() -> None:
    done = subprocess.run(
        [*COMMAND, "--format", "jsonl", "-"],
        input=gzip.compress(REPORT),
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert (done.returncode, done.stdout.count(b"\n"), done.stderr) == (RACES, 1, b"")


def test_a_named_pipe_is_read(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with started("--format", "jsonl", fifo) as process:
        assert process.stdout
        fifo.write_bytes(REPORT + OTHER)
        assert process.stdout.read().count(b"\n") == 2
        assert process.wait(PATIENCE) == RACES


def test_a_process_substitution_is_read(tmp_path: Path) -> None:
    path = file(tmp_path, "a.log", REPORT)
    words = " ".join(COMMAND)
    done = subprocess.run(
        ["bash", "-c", f"{words} --format jsonl <(cat {path}) <(cat {path})"],
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert (done.returncode, done.stdout.count(b"\n"), done.stderr) == (RACES, 2, b"")


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    path = file(tmp_path, "a.log", REPORT * 500)
    with started("--format", "jsonl", path) as process:
        assert process.stdout
        assert process.stderr
        assert json.loads(process.stdout.readline())
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == RACES


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize("words", ["{} >/dev/full", "{} >&-", "- <&-", "gone 2>/dev/full"])
@pytest.mark.parametrize("form", ["text", "jsonl", "html"])
def test_streams_that_fail_are_faults_of_the_environment(tmp_path: Path, form: str, words: str) -> None:
    path = file(tmp_path, "a.log", REPORT)
    done = subprocess.run(
        ["bash", "-c", f"{' '.join(COMMAND)} --format {form} {words.format(path)}"],
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    told = done.stderr.decode().splitlines()
    assert done.returncode == 3
    assert [line[:10] for line in told] == ([] if "2>" in words else ["deadheat: "])


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_an_interrupt_gives_what_was_found_so_far(form: str) -> None:
    with started("--format", form, "-", stdin=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(REPORT + b"and so on\n")
        process.stdin.flush()
        if form == "jsonl":
            first = line_within(process.stdout, PATIENCE)
        else:
            first = b""
            wait_until_read(process)
        out = first + interrupted(process)
        assert process.wait(PATIENCE) == INTERRUPTED
        assert process.stderr.read() == b"deadheat: interrupted\n"
        assert TITLE.encode() in out
        if form != "text":
            assert json.loads(out)


def interrupted(process: subprocess.Popen[bytes]) -> bytes:
    """What it writes once it hears the signal, which a read that is just about to wait does not."""
    assert process.stdout
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        if select.select([process.stdout], [], [], PATIENCE / 3)[0]:
            break
    return process.stdout.read()


def wait_until_read(process: subprocess.Popen[bytes]) -> None:
    """Sends reports until the process must have taken in the first: a pipe holds no more."""
    assert process.stdin
    os.set_blocking(process.stdin.fileno(), False)
    taken = 0
    while taken < 1 << 18:  # four times what a pipe holds
        _, ready, _ = select.select([], [process.stdin], [], PATIENCE)
        assert ready
        taken += os.write(process.stdin.fileno(), b"a line\n" * 512)


# -- folders, devices, binaries --------------------------------------------------------------------


def uris(reports: list[dict[str, Any]], root: Path) -> list[str]:
    return [report["document"]["uri"].removeprefix(f"{root}/") for report in reports]


def test_folders_are_read_to_their_depth_in_a_stable_order(tmp_path: Path, capsys: Capture) -> None:
    for name in ("b/c/deep.log", "a.log", "b/b.log", "z.log"):
        file(tmp_path, name, REPORT)
    status, reports, errors = scanned(capsys, tmp_path)
    assert (status, errors) == (RACES, [])
    assert sorted(uris(reports, tmp_path)) == ["a.log", "b/b.log", "b/c/deep.log", "z.log"]
    assert scanned(capsys, tmp_path)[1] == reports


def test_binaries_below_a_folder_are_skipped(tmp_path: Path, capsys: Capture) -> None:
    file(tmp_path, "program", b"\x7fELF\x02\x01\x01" + bytes(64) + REPORT)
    file(tmp_path, "data.bin", b"\x01\0\0\0\xf3\x7f\0\0" * 999 + REPORT)
    file(tmp_path, "a.log", REPORT)
    _, reports, errors = scanned(capsys, tmp_path)
    assert (uris(reports, tmp_path), errors) == (["a.log"], [])


def test_a_binary_that_is_named_is_read(tmp_path: Path, capsys: Capture) -> None:
    path = file(tmp_path, "program", b"\x7fELF\x02\x01\x01" + bytes(64) + b"\n" + REPORT)
    assert len(scanned(capsys, path)[1]) == 1


def test_a_folder_that_leads_back_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    file(tmp_path, "logs/a.log", REPORT)
    (tmp_path / "logs" / "again").symlink_to(tmp_path)
    status, reports, errors = scanned(capsys, tmp_path)
    assert (status, len(reports), len(errors)) == (RACES, 1, 1)


def test_a_link_to_itself_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    file(tmp_path, "a.log", REPORT)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    status, reports, errors = scanned(capsys, tmp_path)
    assert (status, len(reports), len(errors)) == (RACES, 1, 1)


def test_a_link_to_nothing_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "was-here")
    status, _, errors = scanned(capsys, tmp_path)
    assert (status, len(errors)) == (FAILED, 1)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux")
def test_a_file_that_opens_and_does_not_read_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    quiet = file(tmp_path, "a.log", REPORT)
    status, reports, errors = scanned(capsys, "/proc/self/mem", quiet)
    assert (status, len(reports), len(errors)) == (RACES, 1, 1)
    assert scanned(capsys, "/proc/self/mem")[0] == FAILED


def test_a_file_that_vanishes_on_the_way_is_one_line(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    file(tmp_path, "a.log", REPORT)
    gone = file(tmp_path, "b.log", REPORT)
    opened = os.open

    def vanishing(path: str, *args: Any, **more: Any) -> int:
        gone.unlink(missing_ok=True)
        return opened(path, *args, **more)

    monkeypatch.setattr(os, "open", vanishing)
    status, reports, errors = scanned(capsys, tmp_path)
    assert (status, uris(reports, tmp_path), len(errors)) == (RACES, ["a.log"], 1)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/random"])
def test_a_device_is_one_line_and_never_opened(device: str, capsys: Capture) -> None:
    status, _, errors = scanned(capsys, device)
    assert (status, len(errors)) == (FAILED, 1)
    assert device in errors[0]


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path, capsys: Capture) -> None:
    os.mkfifo(tmp_path / "fifo")
    file(tmp_path, "a.log", REPORT)
    status, reports, errors = scanned(capsys, tmp_path)
    assert (status, len(reports), len(errors)) == (RACES, 1, 1)


def test_a_name_that_is_not_utf_8_is_read_and_printed(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/a\xff.log"
    with open(path, "wb") as out:
        out.write(REPORT)
    for form in ("text", "json", "jsonl"):
        with started("--format", form, tmp_path) as process:
            assert process.stdout
            assert process.stderr
            assert TITLE.encode() in process.stdout.read()
            assert process.stderr.read() == b""
            assert process.wait(PATIENCE) == RACES


# -- archives --------------------------------------------------------------------------------------


def zipped(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def tarred(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def old_tar(name: str, data: bytes) -> bytes:
    """A tar as there were before its first block had a mark."""
    block = bytearray(tarred((name, data))[:512])
    block[257:] = bytes(255)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + tarred((name, data))[512:]


def zstd(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
    return packed


TWO = (("first.log", REPORT), ("logs/second.log", OTHER))
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}
CONTENTS = {"log": lambda: REPORT + OTHER, "tar": lambda: tarred(*TWO), "zip": lambda: zipped(*TWO)}


def insides(reports: list[dict[str, Any]], path: Path) -> list[str]:
    return [report["document"]["uri"].removeprefix(str(path)) for report in reports]


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("honest", [True, False], ids=["suffix", "wrong-suffix"])
def test_packed_files_are_read(tmp_path: Path, capsys: Capture, compression: str, content: str, honest: bool) -> None:
    data = CONTENTS[content]()
    if compression:
        data = COMPRESSIONS[compression](data)
    name = f"a.{content}.{compression}" if honest else "a.txt"
    path = file(tmp_path, name, data)
    status, reports, errors = scanned(capsys, path)
    assert (status, errors) == (RACES, [])
    expected = ["", ""] if content == "log" else ["!first.log", "!logs/second.log"]
    assert insides(reports, path) == expected
    assert scanned(capsys, tmp_path)[1] == reports


def test_a_plain_file_with_a_packed_suffix_is_read(tmp_path: Path, capsys: Capture) -> None:
    assert len(scanned(capsys, file(tmp_path, "a.log.gz", REPORT))[1]) == 1


def test_archives_inside_archives_are_read(tmp_path: Path, capsys: Capture) -> None:
    inner = zipped(("deep.log.gz", gzip.compress(REPORT)), ("shallow.log", OTHER))
    path = file(tmp_path, "a.tar.xz", lzma.compress(tarred(("in.zip", inner), ("c.log", REPORT))))
    status, reports, errors = scanned(capsys, path)
    assert (status, errors) == (RACES, [])
    assert insides(reports, path) == ["!in.zip!deep.log.gz", "!in.zip!shallow.log", "!c.log"]


def test_binaries_inside_archives_are_skipped(tmp_path: Path, capsys: Capture) -> None:
    program = b"\x7fELF\x02\x01\x01" + bytes(64) + REPORT
    path = file(tmp_path, "a.zip", zipped(("program", program), ("a.log", REPORT)))
    assert insides(scanned(capsys, path)[1], path) == ["!a.log"]


def test_links_inside_archives_are_not_followed(tmp_path: Path, capsys: Capture) -> None:
    secret = file(tmp_path, "secret", REPORT)
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        info = tarfile.TarInfo("link")
        info.type, info.linkname = tarfile.SYMTYPE, str(secret)
        archive.addfile(info)
    assert scanned(capsys, tmp_path / "a.tar")[:2] == (NOTHING, [])


def bad_checksum() -> bytes:
    data = bytearray(zipped(("bad.log", b"well\n" * 400), ("good.log", REPORT)))
    at = data.index(b"PK\x01\x02") + 16
    data[at] ^= 0xFF  # the checksum of the first member in the index
    return bytes(data)


def encrypted() -> bytes:
    data = bytearray(zipped(("secret.log", REPORT), ("good.log", REPORT)))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    return bytes(data)


BROKEN = {
    "truncated gz": lambda: gzip.compress(OTHER * 50 + os.urandom(9000))[:-4000],
    "garbage after gz magic": lambda: b"\x1f\x8b" + b"garbage " * 99,
    "truncated bz2": lambda: bz2.compress(os.urandom(9000))[:-100],
    "truncated xz": lambda: lzma.compress(os.urandom(9000))[:-100],
    "truncated zst": lambda: zstd(os.urandom(9000))[:-100],
    "garbage after zst magic": lambda: b"\x28\xb5\x2f\xfd" + b"\xff" * 99,
    "garbage after zip magic": lambda: b"PK\x03\x04" + b"garbage " * 99,
    "truncated tar": lambda: tarred(("a.log", b"well\n" * 4000))[:9000],
    "zip with bad checksum": bad_checksum,
    "zip with encrypted member": encrypted,
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_archive_is_one_line_and_the_rest_is_read(tmp_path: Path, capsys: Capture, kind: str) -> None:
    path = file(tmp_path, "a", BROKEN[kind]())
    rest = file(tmp_path, "b.log", DAMAGED)
    status, reports, errors = scanned(capsys, path, rest)
    assert (status, len(errors)) == (RACES, 1), errors
    assert str(path) in errors[0]
    assert reports[-1]["document"]["uri"] == str(rest)


@pytest.mark.parametrize("kind", ["zip with bad checksum", "zip with encrypted member"])
def test_the_other_members_of_a_broken_zip_are_read(tmp_path: Path, capsys: Capture, kind: str) -> None:
    path = file(tmp_path, "a", BROKEN[kind]())
    assert insides(scanned(capsys, path)[1], path) == ["!good.log"]


def test_what_stands_before_the_break_is_read(tmp_path: Path, capsys: Capture) -> None:
    packed = gzip.compress(REPORT + os.urandom(9000))
    path = file(tmp_path, "a.gz", packed[:-4000])
    status, reports, errors = scanned(capsys, path)
    assert (status, len(reports), len(errors)) == (RACES, 1, 1)


@pytest.mark.parametrize("kind", [k for k in BROKEN if not k.startswith("zip with")])
def test_a_broken_archive_alone_is_status_3_or_a_race(tmp_path: Path, capsys: Capture, kind: str) -> None:
    status, reports, _ = scanned(capsys, file(tmp_path, "a", BROKEN[kind]()))
    assert status == (RACES if reports else FAILED)


@pytest.mark.parametrize("name", ["a.zip", "a.LOG.GZ", "a.bz2", "a.xz", "a.zst", "a.tgz", "a.tar"])
@pytest.mark.parametrize("garbage", [b"\x9c\0\xfe not packed", b"no such thing\n"])
def test_what_only_is_called_an_archive_is_one_line_and_read_as_text(
    tmp_path: Path, capsys: Capture, name: str, garbage: bytes
) -> None:
    status, _, errors = scanned(capsys, path := file(tmp_path, name, garbage))
    assert (status, len(errors)) == (FAILED, 1), errors
    assert str(path) in errors[0]
    status, reports, errors = scanned(capsys, file(tmp_path, name, REPORT))
    assert (status, len(reports), len(errors)) == (RACES, 1, 1)


def test_an_archive_member_that_only_is_called_one_is_told(tmp_path: Path, capsys: Capture) -> None:
    packed = tarred(("a.gz", REPORT), ("b.gz", gzip.compress(REPORT)), ("c.zip", b""))
    status, reports, errors = scanned(capsys, path := file(tmp_path, "a.tar.gz", gzip.compress(packed)))
    assert (status, len(reports), len(errors)) == (RACES, 2, 1)
    assert f"{path}!a.gz" in errors[0]


@pytest.mark.parametrize("kind", ["v7", "nothing", "empty"])
def test_an_archive_without_a_mark_or_without_content_is_no_fault(tmp_path: Path, capsys: Capture, kind: str) -> None:
    made = {"v7": old_tar("a.log", REPORT), "nothing": bytes(10240), "empty": b""}[kind]
    _, reports, errors = scanned(capsys, path := file(tmp_path, "a.tar", made))
    assert errors == []
    assert insides(reports, path) == (["!a.log"] if kind == "v7" else [])


def test_a_fault_of_our_own_is_no_race(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*_: object) -> None:
        raise KeyError("\x1b[31mred")

    monkeypatch.setattr("deadheat.cli.scan_job.ScanJob.run", faulty)
    status = cli.main(["scan", str(file(tmp_path, "a.log", REPORT))])
    errors = capsys.readouterr().err
    assert status == FAILED
    assert "Traceback" in errors
    assert "report it" in errors.splitlines()[-1]
    assert "\x1b" not in errors


def test_an_archive_member_name_cannot_write_to_the_terminal(tmp_path: Path, capsys: Capture) -> None:
    path = file(tmp_path, "a.tar", tarred(("a\x1b[31m\nb.log", REPORT)))
    assert "\x1b" not in written(capsys, path)


# -- several processes -----------------------------------------------------------------------------


def busy_log(size: int) -> Iterator[bytes]:
    """Reports at every kind of place relative to the ranges that a large file is cut into."""
    line = b"2026-01-02T03:04:05Z INFO request served in 12 ms, all is well, nothing to see\n"
    done = number = 0
    while done < size:
        number += 1
        text = REPORT.replace(b"0x00c0001a4038", b"0x%012x" % (0xC000000000 + number * 64))
        block = (line * (number * 37 % 97) + text) if number % 3 else (line * 400 + OTHER)
        yield block
        done += len(block)


def test_processes_change_no_byte_of_the_output(tmp_path: Path) -> None:
    path = tmp_path / "big.log"
    with path.open("wb") as out:
        out.writelines(busy_log(40 << 20))
    outputs = []
    for jobs in ("1", "2", "3"):
        with started("--format", "jsonl", "--jobs", jobs, path) as process:
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


def steady(unit: int, forked: bool) -> Iterator[tuple[int, int]]:
    for i in range(EACH):
        yield unit, i


def deaths(tmp_path: Path, at: tuple[int, int], most: int) -> worker_pool.UnitFunction:
    """Work in which a child dies just before it yields `at`, so many times."""

    def work(unit: int, forked: bool) -> Iterator[tuple[int, int]]:
        for i in range(EACH):
            if forked and (at[0] in (unit, -1)) and i == at[1] and len(list(tmp_path.iterdir())) < most:
                (tmp_path / str(os.getpid())).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield unit, i

    return work


@pytest.mark.parametrize("jobs", [1, 2, 3, 40])
def test_results_come_in_order_from_any_number_of_processes(jobs: int) -> None:
    assert list(worker_pool.run_units(COUNT, jobs, steady)) == EXPECTED


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_units_are_done_too(count: int) -> None:
    assert list(worker_pool.run_units(count, 4, steady)) == EXPECTED[: count * EACH]


@pytest.mark.parametrize("at", [(0, 0), (0, 3), (7, 0), (7, 2), (COUNT - 1, EACH - 1)], ids=str)
def test_a_worker_that_dies_loses_and_repeats_nothing(tmp_path: Path, at: tuple[int, int]) -> None:
    assert list(worker_pool.run_units(COUNT, 2, deaths(tmp_path, at, 1))) == EXPECTED
    assert len(list(tmp_path.iterdir())) == 1


def test_no_worker_survives_and_still_nothing_is_lost(tmp_path: Path) -> None:
    assert list(worker_pool.run_units(COUNT, 3, deaths(tmp_path, (-1, 2), 99))) == EXPECTED
    assert len(list(tmp_path.iterdir())) == 3


def test_a_worker_that_raises_is_replaced_here() -> None:
    def work(unit: int, forked: bool) -> Iterator[tuple[int, int]]:
        yield unit, 0
        if forked and unit == 5:
            raise RuntimeError("in a worker")
        for i in range(1, EACH):
            yield unit, i

    assert list(worker_pool.run_units(COUNT, 2, work)) == EXPECTED


def test_large_results_do_not_block() -> None:
    def work(unit: int, forked: bool) -> Iterator[bytes]:
        yield bytes([unit]) * (3 << 20)
        yield bytes([unit]) * (9 << 20)

    sizes = [(value[0], len(value)) for value in worker_pool.run_units(6, 3, work)]
    assert sizes == [(unit, size) for unit in range(6) for size in (3 << 20, 9 << 20)]


def test_stopping_early_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[int] = []
    fork = os.fork

    def counted() -> int:
        children.append(fork())
        return children[-1]

    monkeypatch.setattr(os, "fork", counted)
    results = worker_pool.run_units(COUNT, 2, steady)
    assert next(results) == (0, 0)
    results.close()  # type: ignore[attr-defined]
    assert len(children) == 2
    for child in children:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


def test_a_file_that_shrinks_while_it_is_read_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "big.log"
    with path.open("wb") as out:
        out.writelines(busy_log(24 << 20))
    with started("--format", "jsonl", "--jobs", "2", path) as process:
        assert process.stdout
        assert process.stderr
        assert json.loads(process.stdout.readline())
        os.truncate(path, 4096)
        process.stdout.read()
        assert b"Traceback" not in process.stderr.read()
        assert process.wait(PATIENCE) == RACES


def test_why_says_what_a_race_was_identified_by(tmp_path: Path, capsys: Capture) -> None:
    text = written(capsys, "--why", file(tmp_path, "ci.log", REPORT))
    assert "cart (*Cart).Add" in text
    assert "the same address in the same run is the same race" in text


OTHER_READER = REPORT.replace(b"(*Cart).Total", b"(*Cart).Print").replace(b":52", b":61")


def test_reports_of_one_address_are_one_race_whatever_file_shows_them(tmp_path: Path, capsys: Capture) -> None:
    file(tmp_path, "a.log", REPORT + OTHER_READER)
    file(tmp_path, "b.log", OTHER_READER)
    _, found, _ = scanned(capsys, tmp_path)
    assert len({line["fingerprint"] for line in found}) == 2
    assert len({line["race"] for line in found}) == 1
    assert "1 race, 3 sightings" in written(capsys, tmp_path)


def test_many_lines_wait_in_a_file(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deadheat.output.spill_buffer._MAX_BYTES_IN_MEMORY", 1000)
    _, few, _ = scanned(capsys, file(tmp_path, "few.log", REPORT))
    _, many, _ = scanned(capsys, file(tmp_path, "many.log", REPORT * 9))
    assert [line["race"] for line in many] == [few[0]["race"]] * 9


# -- identity across the parts of a large file --------------------------------------------------------

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
    monkeypatch.setattr(scan_job, "_MIN_BYTES_TO_FORK", 1)
    log = tmp_path / "a.log"
    first = ONE_OF_TWO.format(reader=8, function="Total", line=20)
    second = ONE_OF_TWO.format(reader=9, function="Items", line=31)
    quiet = "2026-01-01 12:00:00 info all is well with the server and nothing happened\n"
    log.write_text(first + quiet * lines + second)
    assert cli.main(["scan", "--format", "jsonl", "--jobs", str(jobs), str(log)]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [len(told), len({one["race"] for one in told})] == [2, 1]


def test_a_terminal_that_lacks_a_character_gets_a_question_mark(tmp_path: Path) -> None:
    """The text form has an ellipsis, and a report may have any character."""
    log = tmp_path / "ci.log"
    log.write_bytes(REPORT.replace(b"cart.go", "k\u00e4rt\u0161.go".encode()))
    for charset, shown in ("ascii", b"k?rt?.go"), ("latin-1", b"k\xe4rt?.go"):
        env = {**ENVIRONMENT, "PYTHONIOENCODING": charset}
        done = subprocess.run([*COMMAND, str(log)], capture_output=True, env=env, check=False)
        assert done.returncode == cli.EXIT_RACES, done.stderr
        assert shown in done.stdout
        assert not done.stderr


def test_every_number_has_a_least_one() -> None:
    (commands,) = (a.choices for a in cli.build_parser()._actions if isinstance(a.choices, dict))
    options = [action for command in commands.values() for action in command._actions]
    numbers = [option.type for option in options if option.metavar == "N" and option.type]
    assert len(numbers) > 5
    for number in numbers:
        with pytest.raises(argparse.ArgumentTypeError, match="or more"):
            number("-1")


def test_the_name_of_a_file_is_one_line_whatever_it_holds(tmp_path: Path) -> None:
    file(tmp_path, "a\x1b[31m\n99 races, 99 sightings\n.log", REPORT)
    done = subprocess.run([*COMMAND, tmp_path], capture_output=True, env=ENVIRONMENT, check=False, text=True)
    assert "\x1b" not in done.stdout
    assert sum(" races" in line or "sighting" in line for line in done.stdout.splitlines()) == 2
    assert [line for line in done.stdout.splitlines() if line.strip().startswith("99")] == []
