"""Inputs to begin with, and the literals that a mutation may insert."""

from __future__ import annotations

import io
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from deadheat import plugins
from deadheat.parsing.test_events import RACE_PHRASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TESTS = Path(__file__).parent.parent / "tests"
FOUND_INPUTS = TESTS / "fuzz_corpus"
_MAX_SEED = 4000
# words of the formats that are read
_WORDS = (
    b"WARNING: DATA RACE", b"Previous write at 0x00c0000a1238 by goroutine 7:", b"Goroutine 7 (running) created at:",
    b"==================", b"      /src/main.go:12 +0x9a", b"fatal error: concurrent map writes",
    b"goroutine 1 [running]:",
    b"=== RUN   TestX", b"--- FAIL: TestX (0.01s)", b"FAIL\texample.com/p\t0.01s", RACE_PHRASE, b'{"Action":"output"',
    b"Content-Transfer-Encoding: base64", b"Content-Type: multipart/mixed; boundary=x",
    b"From a@example.com Thu May  2 2024",
    b"<system-out><![CDATA[", b"]]></system-out>", b"<testcase name=", b"&#10;", b"&lt;", b"```", b"---\n", b"Title: ",
    b"ID: ",
    b'"body":', b'"comments":[', b'"html_url":', b'"log":"', b'"message":"', b"\\u001b[31m", b"\\n", b"\\ud800",
    b"\xef\xbb\xbf",
    b"\xff\xfe", b"PK\x03\x04", b"PK\x01\x02", b"ustar\x0000", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00",
    b"\x28\xb5\x2f\xfd",
    b"_ZN4shop4CartC1Ev", b"_RNvC4shop4main", b"$s4Shop4CartC", b"::{closure#0}", b"{lambda()#1}", b"Ss", b"S0_",
    b"parent ",
    b"author A <a@example.com> 1700000000 +0000", b"ref: refs/heads/main", b"100644 a.go\x00", b"race:", b"thread:",
    b"deadlock:",
)  # fmt: skip


@cache
def case_texts() -> tuple[bytes, ...]:
    """The golden cases that are small."""
    paths = sorted((TESTS / "cases").glob("*/*.txt"))
    return tuple(path.read_bytes() for path in paths if path.stat().st_size < _MAX_SEED)


def document_texts(*endings: str) -> Callable[[], Iterable[bytes]]:
    """The golden bug reports with these endings."""

    def read() -> Iterable[bytes]:
        for path in sorted((TESTS / "documents").iterdir()):
            if path.name.endswith(endings) and ".expected." not in path.name and path.stat().st_size < 2 * _MAX_SEED:
                yield path.read_bytes()

    return read


@cache
def clean_reports() -> tuple[bytes, ...]:
    """A report of each kind of each detector, as printed."""
    names = (
        "go/two-goroutines", "go_fatal/map-read-and-map-write", "tsan/template-function-by-clang", "kcsan/raw-symbols",
        "miri/newest-with-numbered-backtrace", "helgrind/heap-block-with-its-allocation",
        "drd/heap-blocks-and-sections",
    )  # fmt: skip
    return tuple((TESTS / "cases" / f"{name}.txt").read_bytes() for name in names)


def found_inputs(target: str) -> list[bytes]:
    """What was found before, and is a regression test."""
    return [path.read_bytes() for path in sorted((FOUND_INPUTS / target).glob("*"))]


def dictionary() -> str:
    """The literals of all detectors and formats, in the syntax of libFuzzer."""
    literals = dict.fromkeys(_WORDS)
    for detector in plugins.all_detectors():
        literals |= dict.fromkeys((*detector.anchors, *(literal.encode() for literal in detector.opening_literals)))
    return "".join('"{}"\n'.format("".join(f"\\x{byte:02x}" for byte in literal)) for literal in literals if literal)


def pack_tar(members: dict[str, bytes], name_format: int = tarfile.PAX_FORMAT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=name_format) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    content = file.getvalue().rstrip(b"\0")
    return content + bytes(-len(content) % tarfile.BLOCKSIZE + 2 * tarfile.BLOCKSIZE)


def pack_zip(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return file.getvalue()
