"""Sources of documents: listing, archives, memory maps, and splitting a file into ranges."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import random
import re
import tarfile
from typing import IO, TYPE_CHECKING, cast

import pytest

import deadheat
from deadheat import api
from deadheat.api import read_document, read_opened_documents, read_sightings
from deadheat.errors import UnreadableError
from deadheat.parsing import report_reader
from deadheat.sources import archives, file_listing, files
from deadheat.sources.archive_limits import DEFAULT_LIMITS, ArchiveLimits
from deadheat.sources.files import ReusedBufferSource
from deadheat.text.window import StreamSource
from tests.cases import ROOT
from tests.damage import damage_named
from tests.damage.writers import interleave, other_process
from tests.test_cli import make_tar, make_zip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from deadheat.model import Sighting

REPORT = (ROOT / "go" / "two-goroutines.txt").read_text()
OTHER = (ROOT / "go" / "by-main-goroutine.txt").read_text()
FATAL = (ROOT / "go_fatal" / "map-writes-go-1-21.txt").read_text()


# -- ranges ----------------------------------------------------------------------------------------


def several_reports() -> str:
    """Adjacent reports with log lines around them, and a fatal error."""
    between = "ok   example.com/shop/mail 0.2s\n" * 3
    return f"{between}{REPORT}{OTHER}{between}{FATAL}{between}{OTHER}"


def two_pods() -> str:
    rng = random.Random(7)
    return interleave(OTHER, other_process(OTHER, rng), rng)


def apply_damage(name: str, text: str) -> bytes:
    return damage_named(name).apply(text, random.Random(1))


TEXTS: dict[str, Callable[[], bytes]] = {
    "plain": lambda: several_reports().encode(),
    "timestamps": lambda: apply_damage("github-actions", OTHER * 2),
    "two-pods": lambda: two_pods().encode(),
    "shared-bar": lambda: (REPORT + REPORT.partition("\n")[2]).encode(),
    "no-bars": lambda: apply_damage("no-bars", REPORT + OTHER),
    "no-bars-no-banner": lambda: apply_damage("no-bars-no-banner", REPORT),
    "wrapped": lambda: apply_damage("hard-wrap-80", REPORT + OTHER),
}
# too long to be cut at every byte
LONG_TEXTS: dict[str, Callable[[], bytes]] = {
    "timestamps": lambda: apply_damage("github-actions", several_reports()),
    "two-pods": lambda: apply_damage("kubectl-two-pods", several_reports()),
    "go-test-json": lambda: apply_damage("go-test-json", several_reports()),
    "logger-lines": lambda: apply_damage("logger-lines", several_reports()),
}


def sighting_key(sighting: Sighting) -> tuple[int, int, str | None, str, tuple[str, ...]]:
    span = sighting.span
    report = sighting.report
    return span.offset, span.length, span.stream, sighting.verdict.fingerprint, report.damage


def keys_in_range(text: bytes, start: int, end: int | None) -> list[tuple[object, ...]]:
    begin = max(0, start - report_reader.RANGE_OVERLAP)
    source = StreamSource(io.BytesIO(text[begin:]).read, begin)
    return [sighting_key(sighting) for sighting in read_sightings(source, "x", start, end)]


@pytest.mark.long
@pytest.mark.parametrize("kind", TEXTS)
def test_report_belongs_to_the_range_in_which_it_starts(kind: str) -> None:
    text = TEXTS[kind]()
    expected = [sighting_key(sighting) for sighting in deadheat.scan(text, diagnose=False)]
    assert expected
    for cut in range(len(text) + 1):
        parts = keys_in_range(text, 0, cut) + keys_in_range(text, cut, None)
        assert sorted(parts, key=str) == sorted(expected, key=str), f"cut at {cut}"


@pytest.mark.long
def test_report_of_a_file_is_found_once_wherever_it_is_cut() -> None:
    data = f"before\n{REPORT}between\n{OTHER}after\n".encode()
    expected = [sighting_key(sighting) for sighting in deadheat.scan(data, diagnose=False)]
    assert len(expected) == 2
    for cut in range(1, len(data)):
        assert [*keys_in_file_part(data, 0, cut), *keys_in_file_part(data, cut, None)] == expected, cut


def keys_in_file_part(data: bytes, start: int, end: int | None) -> Iterator[tuple[object, ...]]:
    for sighting in read_document(files.open_range(io.BytesIO(data), "text", start, end)):
        assert isinstance(sighting, deadheat.Sighting)
        yield sighting_key(sighting)


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG_TEXTS)
def test_ranges_cut_near_line_ends_lose_and_repeat_nothing(kind: str) -> None:
    text = LONG_TEXTS[kind]()
    expected = [sighting_key(sighting) for sighting in deadheat.scan(text, diagnose=False)]
    assert len(expected) >= 4
    ends = [match.end() for match in re.finditer(b"\n", text)]
    for end in ends[::4]:
        for cut in (end - 1, end, end + 1):
            parts = keys_in_range(text, 0, cut) + keys_in_range(text, cut, None)
            assert sorted(parts, key=str) == sorted(expected, key=str), f"cut at {cut}"


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG_TEXTS)
def test_many_ranges_give_the_reports_of_the_whole_text(kind: str) -> None:
    text = LONG_TEXTS[kind]() * 2
    expected = [sighting_key(sighting) for sighting in deadheat.scan(text, diagnose=False)]
    rng = random.Random(3)
    for _ in range(5):
        cuts = sorted({0, *(rng.randrange(len(text)) for _ in range(6))})
        parts: list[tuple[object, ...]] = []
        for start, end in zip(cuts, [*cuts[1:], None], strict=True):
            parts += keys_in_range(text, start, end)
        assert sorted(parts, key=str) == sorted(expected, key=str), cuts


def test_range_without_a_report_is_not_read_to_the_end_of_the_stream() -> None:
    text = io.BytesIO(b"ok   example.com/shop/mail 0.2s\n" * (1 << 18))
    size, end = len(text.getbuffer()), 1 << 20
    assert list(read_sightings(StreamSource(text.read), "x", 0, end)) == []
    assert end <= text.tell() <= size // 2


@pytest.mark.parametrize(
    "damage", ["", *(pytest.param(n, marks=pytest.mark.long) for n in ("github-actions", "kubectl-two-pods", "crlf"))]
)
def test_ranges_of_a_file_give_the_reports_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    """With small units and a small reach, all of their borders are met."""
    text = "".join(f"line {n}\n" * (n % 90) + REPORT for n in range(40)) + FATAL
    data = apply_damage(damage, text) if damage else text.encode()
    path = tmp_path / "a.log"
    path.write_bytes(data)
    monkeypatch.setattr(files, "LARGE_FILE", 10_006)
    monkeypatch.setattr(files, "MIN_RANGE", 5003)
    monkeypatch.setattr(api, "RANGE_OVERLAP", 20_000)
    entry = file_listing.FileEntry(str(path), len(data))
    units = files.split_into_ranges(entry)
    assert len(units) > 10
    assert sum(unit.size for unit in units) == len(data)
    expected = [sighting_key(sighting) for sighting in read_range(files.FileRange(entry))]
    assert len(expected) == (82 if "two" in damage else 41)
    parts = [sighting_key(s) for unit in units for s in read_range(unit)]
    assert sorted(parts, key=str) == sorted(expected, key=str)


def read_range(unit: files.FileRange) -> list[Sighting]:
    sightings = list(read_opened_documents(files.open_documents(unit)))
    assert not [fault for fault in sightings if isinstance(fault, UnreadableError)]
    return cast("list[Sighting]", sightings)


def test_small_compressed_and_utf_16_files_are_not_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGE_FILE", 2000)
    monkeypatch.setattr(files, "MIN_RANGE", 1000)
    wide = (REPORT * 5).encode("utf-16")
    packed = gzip.compress(os.urandom(5000))
    for name, data, is_one_range in (
        ("small", b"x\n" * 900, True),
        ("large", b"x\n" * 9000, False),
        ("packed", packed, True),
        ("wide", wide, True),
        ("none.gz", b"x\n" * 9000, True),
    ):
        (tmp_path / name).write_bytes(data)
        cut = files.split_into_ranges(file_listing.FileEntry(str(tmp_path / name), len(data)))
        assert (len(cut) == 1) is is_one_range, name


def test_utf_16_file_gives_raw_offsets(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(("well\n" * 99 + REPORT).encode("utf-16"))
    (sighting,) = read_range(files.FileRange(file_listing.FileEntry(str(path), path.stat().st_size)))
    span = sighting.span
    text = path.read_bytes()[span.offset : span.end].decode("utf-16-le")
    assert text.startswith("WARNING: DATA RACE")


@pytest.mark.parametrize("size", [64, 1000, 4096])
@pytest.mark.parametrize("keep", [0, 1, 50, 5000])
def test_reused_buffer_holds_every_requested_byte(size: int, keep: int) -> None:
    data = random.Random(3).randbytes(10_007)
    source = ReusedBufferSource(io.BytesIO(data).readinto, size=size)
    data_read = 0
    while source.read_more(max(0, data_read - keep)):
        end = source.base + len(source.buffer)
        assert source.base <= max(0, data_read - keep) <= data_read < end
        assert source.buffer[:] == data[source.base : end]
        data_read = end
    assert data_read == len(data)
    assert source.buffer[:] == data[source.base :]
    assert source.base <= max(0, data_read - keep)


def test_file_that_shrinks_while_being_read_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(REPORT.encode() + b"x\n" * (1 << 21))
    with path.open("r+b", buffering=0) as raw:
        sightings = read_document(files.open_range(raw, "a", 0, None))
        assert isinstance(next(sightings), deadheat.Sighting)
        raw.truncate(1000)
        assert list(sightings) == []


def test_range_without_a_report_is_not_read_to_the_end_of_its_file() -> None:
    raw = io.BytesIO(b"all is well\n" * (1 << 20))
    assert list(read_document(files.open_range(raw, "a", 1 << 20, 1 << 21))) == []
    assert raw.tell() < 1 << 22


# -- listing ---------------------------------------------------------------------------------------


def list_paths(*paths: Path | str) -> tuple[list[str], list[str]]:
    entries_and_faults = list(file_listing.list_entries([str(path) for path in paths]))
    entries = [e.path for e in entries_and_faults if isinstance(e, file_listing.FileEntry)]
    return entries, [e.where for e in entries_and_faults if isinstance(e, UnreadableError)]


def test_every_file_is_listed_once_in_a_stable_order(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a", "c/d/e/3", "b/z/4"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    entries, faults = list_paths(tmp_path)
    assert [e.removeprefix(f"{tmp_path}/") for e in entries] == ["a", "b/1", "b/2", "b/z/4", "c/d/e/3"]
    assert faults == []


def test_paths_given_by_name_are_marked_as_explicit(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    named_ones = list(file_listing.list_entries([str(tmp_path), str(tmp_path / "a"), "-"]))
    assert [isinstance(e, file_listing.FileEntry) and e.is_explicit for e in named_ones] == [False, True, True]


def test_listing_ends_at_cyclic_links(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "b" / "self").symlink_to(".")
    (tmp_path / "a" / "log").touch()
    entries, faults = list_paths(tmp_path)
    assert entries == [str(tmp_path / "a" / "log")]
    assert len(faults) == 2


def test_directory_may_be_reached_by_two_paths(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "log").touch()
    (tmp_path / "b").symlink_to("a")
    assert list_paths(tmp_path) == ([str(tmp_path / "a" / "log"), str(tmp_path / "b" / "log")], [])


DEPTH = 1200


def test_deeply_nested_directories_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(DEPTH):
        os.mkdir("d")  # noqa: PTH102
        os.chdir("d")
    try:
        entries, faults = list_paths(tmp_path)
    finally:
        for _ in range(DEPTH):  # too deep for pytest's cleanup
            os.chdir("..")
            os.rmdir("d")  # noqa: PTH106
    assert entries == []
    assert len(faults) <= 1  # the system refuses paths that are too long


def test_empty_path_is_quoted_in_its_fault() -> None:
    [fault] = file_listing.list_entries([""])
    assert str(fault) == "'': no such file or directory"


def test_directory_that_vanishes_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    (tmp_path / "log").touch()
    listed = os.listdir

    def vanishing(path: str) -> list[str]:
        if path.endswith("gone"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return listed(path)

    monkeypatch.setattr(os, "listdir", vanishing)
    assert list_paths(tmp_path) == ([str(tmp_path / "log")], [str(tmp_path / "gone")])


# -- archives --------------------------------------------------------------------------------------


def unpack(data: bytes, limits: ArchiveLimits = DEFAULT_LIMITS) -> tuple[dict[str, bytes], list[str]]:
    """The bytes of each member, and the faults."""
    contents: dict[str, bytes] = {}
    faults = []
    for member in archives.iter_members(io.BytesIO(data), "a", limits):
        if isinstance(member, UnreadableError):
            faults.append(str(member))
            continue
        try:
            contents[member.uri] = b"".join(iter(lambda m=member: m.read(1 << 16), b""))  # type: ignore[misc]
        except UnreadableError as error:
            faults.append(str(error))
    return contents, faults


@pytest.mark.parametrize("pack", [gzip.compress, lambda d: make_zip(("a", d)), lambda d: make_tar(("a", d))])
@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 100_000])
def test_packed_bytes_are_unpacked_unchanged(pack: Callable[[bytes], bytes], size: int) -> None:
    data = random.Random(size).randbytes(size).replace(b"\x1f", b" ")
    contents, faults = unpack(pack(data))
    assert list(contents.values()) == [data]
    assert faults == []


def test_gzip_file_with_several_members_is_one_document() -> None:
    assert unpack(gzip.compress(b"first\n") + gzip.compress(b"second\n")) == ({"a": b"first\nsecond\n"}, [])


def test_empty_zip_has_no_members_and_no_fault() -> None:
    assert unpack(make_zip()) == ({}, [])


class Unseekable(io.RawIOBase):
    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._file.read(min(size, 100) if size >= 0 else 100)


@pytest.mark.parametrize("pack", [gzip.compress, lambda d: make_zip(("a", d)), lambda d: make_tar(("a", d))])
def test_archive_from_a_slow_pipe_is_unpacked_the_same(pack: Callable[[bytes], bytes]) -> None:
    data = random.Random(1).randbytes(20_000)
    stream = cast("IO[bytes]", Unseekable(pack(data)))
    contents = [
        b"".join(iter(lambda m=member: m.read(999), b""))  # type: ignore[misc]
        for member in archives.iter_members(stream, "a")
        if not isinstance(member, UnreadableError)
    ]
    assert contents == [data]


def test_highly_compressible_log_is_not_a_bomb() -> None:
    log = b"2026-01-02 all is well\n" * 90_000
    assert unpack(gzip.compress(log), ArchiveLimits(bytes=1 << 20, ratio=1000)) == ({"a": log}, [])


def test_nesting_of_archives_is_limited() -> None:
    data = b"deep"
    for _ in range(12):
        data = gzip.compress(data)
    contents, faults = unpack(data)
    assert contents == {}
    assert len(faults) == 1
    assert "4 archives deep" in faults[0]


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, lambda d: make_tar(("a", d)), lambda d: gzip.compress(make_tar(("a", d)))],
    ids=["gz", "tar", "tar.gz"],
)
def test_beginning_of_a_truncated_archive_is_read(pack: Callable[[bytes], bytes]) -> None:
    data = b"".join(b"%d all is well\n" % random.Random(i).getrandbits(64) for i in range(9_000))
    packed = pack(data)
    for part in (3, 5, 9):
        data_read = read_until_fault(packed[: len(packed) * part // 10])
        assert data.startswith(data_read)
        assert len(data_read) > len(data) * part // 10 - (1 << 16)


def read_until_fault(packed: bytes) -> bytes:
    member = next(archives.iter_members(io.BytesIO(packed), "a"))
    assert not isinstance(member, UnreadableError)
    data_read = b""
    with contextlib.suppress(UnreadableError):
        while data := member.read(1 << 20):
            data_read += data
    return data_read


@pytest.mark.parametrize(
    ("head", "packed"),
    [
        (b"\x1f\x8b\x08", True), (b"BZh91AY&SY", True), (b"PK\x03\x04", True), (b"PK\x05\x06", True),
        (b"\x28\xb5\x2f\xfd", True), (b"\xfd7zXZ\0", True), (make_tar(("a", b"x"))[:512], True),
        (b"", False), (b"WARNING: DATA RACE", False), (b"PKI certificate\n", False),
    ],
)  # fmt: skip
def test_packed_files_are_recognised_by_their_first_bytes(head: bytes, packed: bool) -> None:
    assert file_listing.is_packed_file(head) is packed


def test_log_that_starts_like_bzip2_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"BZhang joined\n{REPORT}")
    assert len(read_range(files.FileRange(file_listing.FileEntry(str(path), path.stat().st_size)))) == 1


def test_fault_names_its_file() -> None:
    _, (fault,) = unpack(b"\x1f\x8b" + b"garbage" * 99)
    assert re.match("a: ", fault)


def test_holes_of_a_sparse_archive_member_are_skipped(tmp_path: Path) -> None:
    report = REPORT.encode()
    blocks = f"2\n0\n{len(report)}\n{1 << 40}\n0\n".encode().ljust(512, b"\0") + report
    info = tarfile.TarInfo("GNUSparseFile.0/a.log")
    info.size = len(blocks)
    info.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "a.log",
        "GNU.sparse.realsize": str(1 << 40),
    }
    after = tarfile.TarInfo("b.log")
    after.size = len(report)
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(info, io.BytesIO(blocks))
        archive.addfile(after, io.BytesIO(report))
    sightings = read_range(files.FileRange(file_listing.FileEntry(str(path), path.stat().st_size)))
    assert [one.uri.rpartition("!")[2] for one in sightings] == ["a.log", "b.log"]
