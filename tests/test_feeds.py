"""Where documents come from: walking, unpacking, mapping, and cutting a file into ranges."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import random
import re
import tarfile
import zipfile
from typing import IO, TYPE_CHECKING, cast

import pytest

import deadheat
from deadheat import api
from deadheat.api import read_document, read_opened_documents, read_sightings
from deadheat.errors import UnreadableError
from deadheat.parsing import report_reader
from deadheat.sources import archives, file_listing, files
from deadheat.sources.files import ReusedBufferSource
from deadheat.text.window import StreamSource
from tests.cases import ROOT
from tests.damage import named
from tests.damage.writers import interleave, other_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from deadheat.model import Sighting

REPORT = (ROOT / "go" / "two-goroutines.txt").read_text()
OTHER = (ROOT / "go" / "by-main-goroutine.txt").read_text()
FATAL = (ROOT / "go_fatal" / "map-writes-go-1-21.txt").read_text()


# -- ranges ----------------------------------------------------------------------------------------


def several() -> str:
    """Reports back to back, with log lines around, and a fatal error."""
    between = "ok   example.com/shop/mail 0.2s\n" * 3
    return f"{between}{REPORT}{OTHER}{between}{FATAL}{between}{OTHER}"


def pods() -> str:
    rng = random.Random(7)
    return interleave(OTHER, other_process(OTHER, rng), rng)


def damaged(name: str, text: str) -> bytes:
    return named(name).apply(text, random.Random(1))


TEXTS: dict[str, Callable[[], bytes]] = {
    "plain": lambda: several().encode(),
    "timestamps": lambda: damaged("github-actions", OTHER * 2),
    "two-pods": lambda: pods().encode(),
    "shared-bar": lambda: (REPORT + REPORT.partition("\n")[2]).encode(),
    "no-bars": lambda: damaged("no-bars", REPORT + OTHER),
    "no-bars-no-banner": lambda: damaged("no-bars-no-banner", REPORT),
    "wrapped": lambda: damaged("hard-wrap-80", REPORT + OTHER),
}
# too long to be cut everywhere
LONG: dict[str, Callable[[], bytes]] = {
    "timestamps": lambda: damaged("github-actions", several()),
    "two-pods": lambda: damaged("kubectl-two-pods", several()),
    "go-test-json": lambda: damaged("go-test-json", several()),
    "logger-lines": lambda: damaged("logger-lines", several()),
}


def told(sighting: Sighting) -> tuple[int, int, str | None, str, tuple[str, ...]]:
    span = sighting.span
    report = sighting.report
    return span.offset, span.length, span.stream, sighting.verdict.fingerprint, report.damage


def ranged(text: bytes, start: int, end: int | None) -> list[tuple[object, ...]]:
    begin = max(0, start - report_reader.RANGE_OVERLAP)
    source = StreamSource(io.BytesIO(text[begin:]).read, begin)
    return [told(sighting) for sighting in read_sightings(source, "x", start, end)]


@pytest.mark.long
@pytest.mark.parametrize("kind", TEXTS)
def test_a_report_belongs_to_the_range_in_which_it_starts(kind: str) -> None:
    text = TEXTS[kind]()
    whole = [told(sighting) for sighting in deadheat.scan(text, diagnose=False)]
    assert whole
    for cut in range(len(text) + 1):
        parts = ranged(text, 0, cut) + ranged(text, cut, None)
        assert sorted(parts, key=str) == sorted(whole, key=str), f"cut at {cut}"


@pytest.mark.long
def test_a_report_of_a_file_is_found_once_wherever_it_is_cut() -> None:
    data = f"before\n{REPORT}between\n{OTHER}after\n".encode()
    whole = [told(sighting) for sighting in deadheat.scan(data, diagnose=False)]
    assert len(whole) == 2
    for cut in range(1, len(data)):
        assert [*parted(data, 0, cut), *parted(data, cut, None)] == whole, cut


def parted(data: bytes, start: int, end: int | None) -> Iterator[tuple[object, ...]]:
    for found in read_document(files.open_range(io.BytesIO(data), "text", start, end)):
        assert isinstance(found, deadheat.Sighting)
        yield told(found)


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG)
def test_ranges_that_end_around_the_ends_of_lines_lose_and_repeat_nothing(kind: str) -> None:
    text = LONG[kind]()
    whole = [told(sighting) for sighting in deadheat.scan(text, diagnose=False)]
    assert len(whole) >= 4
    ends = [match.end() for match in re.finditer(b"\n", text)]
    for end in ends[::4]:
        for cut in (end - 1, end, end + 1):
            parts = ranged(text, 0, cut) + ranged(text, cut, None)
            assert sorted(parts, key=str) == sorted(whole, key=str), f"cut at {cut}"


@pytest.mark.long
@pytest.mark.parametrize("kind", LONG)
def test_many_ranges_give_what_the_whole_gives(kind: str) -> None:
    text = LONG[kind]() * 2
    whole = [told(sighting) for sighting in deadheat.scan(text, diagnose=False)]
    rng = random.Random(3)
    for _ in range(5):
        cuts = sorted({0, *(rng.randrange(len(text)) for _ in range(6))})
        parts: list[tuple[object, ...]] = []
        for start, end in zip(cuts, [*cuts[1:], None], strict=True):
            parts += ranged(text, start, end)
        assert sorted(parts, key=str) == sorted(whole, key=str), cuts


def test_a_range_without_a_report_is_not_read_to_the_end_of_the_file() -> None:
    text = io.BytesIO(b"ok   example.com/shop/mail 0.2s\n" * (1 << 18))
    size, end = len(text.getbuffer()), 1 << 20
    assert list(read_sightings(StreamSource(text.read), "x", 0, end)) == []
    assert end <= text.tell() <= size // 2


@pytest.mark.parametrize(
    "damage", ["", *(pytest.param(n, marks=pytest.mark.long) for n in ("github-actions", "kubectl-two-pods", "crlf"))]
)
def test_units_of_a_file_give_what_the_file_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str) -> None:
    """With small units and a small reach, all of their borders are met."""
    text = "".join(f"line {n}\n" * (n % 90) + REPORT for n in range(40)) + FATAL
    data = damaged(damage, text) if damage else text.encode()
    path = tmp_path / "a.log"
    path.write_bytes(data)
    monkeypatch.setattr(files, "LARGE_FILE", 10_006)
    monkeypatch.setattr(files, "MIN_RANGE", 5003)
    monkeypatch.setattr(api, "RANGE_OVERLAP", 20_000)
    entry = file_listing.FileEntry(str(path), len(data))
    units = files.split_into_ranges(entry)
    assert len(units) > 10
    assert sum(unit.size for unit in units) == len(data)
    whole = [told(sighting) for sighting in seen(files.FileRange(entry))]
    assert len(whole) == (82 if "two" in damage else 41)
    parts = [told(s) for unit in units for s in seen(unit)]
    assert sorted(parts, key=str) == sorted(whole, key=str)


def seen(unit: files.FileRange) -> list[Sighting]:
    found = list(read_opened_documents(files.open_documents(unit)))
    assert not [fault for fault in found if isinstance(fault, UnreadableError)]
    return cast("list[Sighting]", found)


def test_small_packed_and_wide_files_stay_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGE_FILE", 2000)
    monkeypatch.setattr(files, "MIN_RANGE", 1000)
    wide = (REPORT * 5).encode("utf-16")
    packed = gzip.compress(os.urandom(5000))
    for name, data, whole in (
        ("small", b"x\n" * 900, True),
        ("large", b"x\n" * 9000, False),
        ("packed", packed, True),
        ("wide", wide, True),
        ("none.gz", b"x\n" * 9000, True),
    ):
        (tmp_path / name).write_bytes(data)
        cut = files.split_into_ranges(file_listing.FileEntry(str(tmp_path / name), len(data)))
        assert (len(cut) == 1) is whole, name


def test_a_wide_file_gives_raw_offsets(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(("well\n" * 99 + REPORT).encode("utf-16"))
    (sighting,) = seen(files.FileRange(file_listing.FileEntry(str(path), path.stat().st_size)))
    span = sighting.span
    text = path.read_bytes()[span.offset : span.end].decode("utf-16-le")
    assert text.startswith("WARNING: DATA RACE")


@pytest.mark.parametrize("size", [64, 1000, 4096])
@pytest.mark.parametrize("keep", [0, 1, 50, 5000])
def test_memory_that_is_used_again_holds_every_byte_that_is_wanted(size: int, keep: int) -> None:
    data = random.Random(3).randbytes(10_007)
    source = ReusedBufferSource(io.BytesIO(data).readinto, size=size)
    met = 0
    while source.read_more(max(0, met - keep)):
        end = source.base + len(source.buffer)
        assert source.base <= max(0, met - keep) <= met < end
        assert source.buffer[:] == data[source.base : end]
        met = end
    assert met == len(data)
    assert source.buffer[:] == data[source.base :]
    assert source.base <= max(0, met - keep)


def test_a_file_that_shrinks_while_it_is_read_merely_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(REPORT.encode() + b"x\n" * (1 << 21))
    with path.open("r+b", buffering=0) as raw:
        found = read_document(files.open_range(raw, "a", 0, None))
        assert isinstance(next(found), deadheat.Sighting)
        raw.truncate(1000)
        assert list(found) == []


def test_a_range_without_a_report_is_not_read_to_the_end_of_its_file() -> None:
    raw = io.BytesIO(b"all is well\n" * (1 << 20))
    assert list(read_document(files.open_range(raw, "a", 1 << 20, 1 << 21))) == []
    assert raw.tell() < 1 << 22


# -- walking ---------------------------------------------------------------------------------------


def walked(*paths: Path | str) -> tuple[list[str], list[str]]:
    found = list(file_listing.list_entries([str(path) for path in paths]))
    entries = [e.path for e in found if isinstance(e, file_listing.FileEntry)]
    return entries, [e.where for e in found if isinstance(e, UnreadableError)]


def test_a_walk_finds_every_file_once_in_a_stable_order(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a", "c/d/e/3", "b/z/4"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    entries, faults = walked(tmp_path)
    assert [e.removeprefix(f"{tmp_path}/") for e in entries] == ["a", "b/1", "b/2", "b/z/4", "c/d/e/3"]
    assert faults == []


def test_a_walk_keeps_what_was_named_apart_from_what_was_met(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    named_ones = list(file_listing.list_entries([str(tmp_path), str(tmp_path / "a"), "-"]))
    assert [isinstance(e, file_listing.FileEntry) and e.is_explicit for e in named_ones] == [False, True, True]


def test_a_walk_ends_where_links_lead_back(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "b" / "self").symlink_to(".")
    (tmp_path / "a" / "log").touch()
    entries, faults = walked(tmp_path)
    assert entries == [str(tmp_path / "a" / "log")]
    assert len(faults) == 2


def test_a_folder_may_be_reached_by_two_ways(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "log").touch()
    (tmp_path / "b").symlink_to("a")
    assert walked(tmp_path) == ([str(tmp_path / "a" / "log"), str(tmp_path / "b" / "log")], [])


DEPTH = 1200


def test_no_depth_of_folders_is_too_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(DEPTH):
        os.mkdir("d")  # noqa: PTH102
        os.chdir("d")
    try:
        entries, faults = walked(tmp_path)
    finally:
        for _ in range(DEPTH):  # too deep for whoever cleans up behind the tests
            os.chdir("..")
            os.rmdir("d")  # noqa: PTH106
    assert entries == []
    assert len(faults) <= 1  # the system itself refuses paths that are too long


def test_an_empty_name_is_shown_as_one() -> None:
    [fault] = file_listing.list_entries([""])
    assert str(fault) == "'': no such file or directory"


def test_a_folder_that_vanishes_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    (tmp_path / "log").touch()
    listed = os.listdir

    def vanishing(path: str) -> list[str]:
        if path.endswith("gone"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return listed(path)

    monkeypatch.setattr(os, "listdir", vanishing)
    assert walked(tmp_path) == ([str(tmp_path / "log")], [str(tmp_path / "gone")])


# -- archives --------------------------------------------------------------------------------------


def unpacked(data: bytes) -> tuple[dict[str, bytes], list[str]]:
    """Each member's bytes, and the faults."""
    contents: dict[str, bytes] = {}
    faults = []
    for member in archives.iter_members(io.BytesIO(data), "a"):
        if isinstance(member, UnreadableError):
            faults.append(str(member))
            continue
        try:
            contents[member.uri] = b"".join(iter(lambda m=member: m.read(1 << 16), b""))  # type: ignore[misc]
        except UnreadableError as error:
            faults.append(str(error))
    return contents, faults


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(**members: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@pytest.mark.parametrize("pack", [gzip.compress, lambda d: zipped(a=d), lambda d: tarred(a=d)])
@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 100_000])
def test_what_was_packed_comes_out_byte_for_byte(pack: Callable[[bytes], bytes], size: int) -> None:
    data = random.Random(size).randbytes(size).replace(b"\x1f", b" ")
    contents, faults = unpacked(pack(data))
    assert list(contents.values()) == [data]
    assert faults == []


def test_a_file_of_several_gzip_members_is_one_document() -> None:
    assert unpacked(gzip.compress(b"first\n") + gzip.compress(b"second\n")) == ({"a": b"first\nsecond\n"}, [])


def test_an_empty_zip_has_nothing_and_no_fault() -> None:
    assert unpacked(zipped()) == ({}, [])


class Unseekable(io.RawIOBase):
    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._file.read(min(size, 100) if size >= 0 else 100)


@pytest.mark.parametrize("pack", [gzip.compress, lambda d: zipped(a=d), lambda d: tarred(a=d)])
def test_a_pipe_that_gives_little_at_a_time_unpacks_the_same(pack: Callable[[bytes], bytes]) -> None:
    data = random.Random(1).randbytes(20_000)
    stream = cast("IO[bytes]", Unseekable(pack(data)))
    contents = [
        b"".join(iter(lambda m=member: m.read(999), b""))  # type: ignore[misc]
        for member in archives.iter_members(stream, "a")
        if not isinstance(member, UnreadableError)
    ]
    assert contents == [data]


def test_a_bomb_is_stopped_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MAX_UNPACKED", 1 << 20)
    monkeypatch.setattr(archives, "_MAX_RATIO", 100)
    bomb = bytes(8 << 20)
    for data in (gzip.compress(bomb), zipped(bomb=bomb, log=b"well\n"), gzip.compress(gzip.compress(bomb))):
        contents, faults = unpacked(data)
        assert len(faults) == 1
        assert "exceeds the size limit when unpacked" in faults[0]
        assert all(len(content) <= 2 << 20 for content in contents.values())
    assert unpacked(zipped(bomb=bomb, log=b"well\n"))[0]["a!log"] == b"well\n"


def test_a_log_that_packs_well_is_no_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MAX_UNPACKED", 1 << 20)
    log = b"2026-01-02 all is well\n" * 90_000
    assert unpacked(gzip.compress(log)) == ({"a": log}, [])


def test_nesting_ends_somewhere() -> None:
    data = b"deep"
    for _ in range(12):
        data = gzip.compress(data)
    contents, faults = unpacked(data)
    assert contents == {}
    assert len(faults) == 1
    assert "4 archives deep" in faults[0]


@pytest.mark.parametrize(
    "pack", [gzip.compress, lambda d: tarred(a=d), lambda d: gzip.compress(tarred(a=d))], ids=["gz", "tar", "tar.gz"]
)
def test_what_stands_before_the_end_of_a_cut_archive_is_read(pack: Callable[[bytes], bytes]) -> None:
    data = b"".join(b"%d all is well\n" % random.Random(i).getrandbits(64) for i in range(9_000))
    packed = pack(data)
    for part in (3, 5, 9):
        met = before_the_fault(packed[: len(packed) * part // 10])
        assert data.startswith(met)
        assert len(met) > len(data) * part // 10 - (1 << 16)


def before_the_fault(packed: bytes) -> bytes:
    member = next(archives.iter_members(io.BytesIO(packed), "a"))
    assert not isinstance(member, UnreadableError)
    met = b""
    with contextlib.suppress(UnreadableError):
        while data := member.read(1 << 20):
            met += data
    return met


@pytest.mark.parametrize(
    ("head", "packed"),
    [
        (b"\x1f\x8b\x08", True), (b"BZh91AY&SY", True), (b"PK\x03\x04", True), (b"PK\x05\x06", True),
        (b"\x28\xb5\x2f\xfd", True), (b"\xfd7zXZ\0", True), (tarred(a=b"x")[:512], True),
        (b"", False), (b"WARNING: DATA RACE", False), (b"PKI certificate\n", False),
    ],
)  # fmt: skip
def test_packed_files_are_told_by_their_first_bytes(head: bytes, packed: bool) -> None:
    assert file_listing.is_packed_file(head) is packed


def test_a_log_that_begins_with_the_letters_of_bzip2_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"BZhang joined\n{REPORT}")
    assert len(seen(files.FileRange(file_listing.FileEntry(str(path), path.stat().st_size)))) == 1


def test_a_fault_names_its_place() -> None:
    _, (fault,) = unpacked(b"\x1f\x8b" + b"garbage" * 99)
    assert re.match("a: ", fault)


def test_the_holes_of_a_sparse_file_in_an_archive_are_not_read(tmp_path: Path) -> None:
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
    found = seen(files.FileRange(file_listing.FileEntry(str(path), path.stat().st_size)))
    assert [one.uri.rpartition("!")[2] for one in found] == ["a.log", "b.log"]
