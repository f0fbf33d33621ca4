"""Facts about versions of files: declared names and outlines (cached on disk), renames, when a line was introduced."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import zlib
from bisect import bisect_left
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from deadheat.repo import disk_cache
from deadheat.repo.git.history import FileVersion, version_at
from deadheat.repo.pinning import line_claims
from deadheat.repo.syntax import parser
from deadheat.repo.syntax.parser import language_of_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.repo.clone import Clone
    from deadheat.repo.git.object_reader import GitReader


# "func (e *T) Close(", "type Tracker struct {", "	stats *Stats", "	A, B int"
_DECLARATION = re.compile(
    rb"^(?:func (?:\([^)\n]{0,200}\) )?(\w{1,200})[\[(]|type (\w{1,200})[ \[=]"
    rb"|[ \t]{1,20}((?:\w{1,80}, ){0,8}\w{1,200}(?:, \w{1,80}){0,8})[ \t]{1,80}[^\s:=(,+-])",
    re.MULTILINE,
)
_GO_KEYWORDS = frozenset(
    (b"return", b"if", b"for", b"case", b"go", b"defer", b"var", b"else", b"switch", b"select",
     b"const", b"type", b"goto", b"break", b"continue", b"range")
)  # fmt: skip
_NAMES_SCHEMA = "CREATE TABLE IF NOT EXISTS declared (blob TEXT PRIMARY KEY, names TEXT) WITHOUT ROWID;"
_NAMES_PER_QUERY, _MAX_CACHED_VERSIONS = 500, 60_000  # rows per query, versions in memory


def is_exported(name: str) -> bool:
    """Whether a Go name is visible to other packages."""
    return name[:1].isupper()


class DeclaredNameIndex:
    """The declared names of each file version."""

    def __init__(self, git: GitReader) -> None:
        self._git = git
        self._database = disk_cache.open_database("named", _NAMES_SCHEMA)
        self._names_by_blob: dict[str, str] = {}

    def close(self) -> None:
        self._database.close()

    def declared_names(self, blobs: Iterable[str]) -> dict[str, str]:
        """The names that each version declares, each between spaces."""
        wanted = list(blobs)
        if len(self._names_by_blob) > _MAX_CACHED_VERSIONS:
            self._names_by_blob.clear()
        self._load_names([blob for blob in wanted if blob not in self._names_by_blob])
        return {blob: self._names_by_blob[blob] for blob in wanted}

    def _load_names(self, blobs: list[str]) -> None:
        for start in range(0, len(blobs), _NAMES_PER_QUERY):
            batch = blobs[start : start + _NAMES_PER_QUERY]
            placeholders = ",".join("?" * len(batch))
            self._names_by_blob.update(
                self._database.execute(f"SELECT * FROM declared WHERE blob IN ({placeholders})", batch)
            )
        fresh = {
            blob: _scan_declared_names(source or b"")
            for blob, source in self._git.read_objects(b for b in blobs if b not in self._names_by_blob)
        }
        self._names_by_blob.update(fresh)
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.executemany("INSERT OR REPLACE INTO declared VALUES (?, ?)", fresh.items())


def _scan_declared_names(source: bytes) -> str:
    unique_names: dict[bytes, None] = {}
    for function, type_name, fields in _DECLARATION.findall(source):
        unique_names.update(dict.fromkeys((function or type_name or fields).split(b", ")))
    names = b" ".join(name for name in unique_names if name not in _GO_KEYWORDS)
    return f" {names.decode('ascii', 'replace')} "


# "func (e *T[K]) M(", "func F[K any](", as gofmt formats them
_FUNCTION_HEADER = re.compile(rb"func (?:\((?:\w+ )?\*?(\w+)(?:\[[^\]\n]{0,200}\])?\) )?([^\s()\[\]]{1,200})[\[(]")
# a brace in the first column before a declaration or the end; others are in raw strings
_FUNCTION_END = re.compile(rb"\n\}(?=\Z|[\n\r](?:\Z|[\nftvc/i\r]))")
_OUTLINES_SCHEMA = "CREATE TABLE IF NOT EXISTS outline (blob TEXT PRIMARY KEY, packed BLOB) WITHOUT ROWID;"
_OUTLINES_PER_QUERY, _MAX_CACHED_BYTES = 500, 1 << 26  # rows per query, bytes in memory


class FunctionOutline(NamedTuple):
    """The lines of a function (from 1) in a file version, and a digest of its text."""

    first: int
    last: int
    digest: str


class FunctionOutlineIndex:
    """The functions of each file version."""

    def __init__(self, git: GitReader) -> None:
        self._git = git
        self._database = disk_cache.open_database("outlines", _OUTLINES_SCHEMA)
        self._outline_by_blob: dict[str, bytes] = {}
        self._cached_bytes = 0

    def close(self) -> None:
        self._database.close()

    def find_function(self, function: str, blobs: Iterable[str]) -> dict[str, FunctionOutline | None]:
        """The function in each readable version; None if it is not there."""
        owner, _, name = function.encode("utf-8", "replace").rpartition(b".")
        owner = owner.strip(b"(*)")
        key = b"\n" + (owner + b"." + name if owner else name) + b" "
        wanted = list(dict.fromkeys(blobs))
        self._load_outlines([blob for blob in wanted if blob not in self._outline_by_blob])
        known = {b: _parse_outline(self._outline_by_blob[b], key) for b in wanted if b in self._outline_by_blob}
        if self._cached_bytes > _MAX_CACHED_BYTES:
            self._outline_by_blob.clear()
            self._cached_bytes = 0
        return known

    def _load_outlines(self, blobs: list[str]) -> None:
        for start in range(0, len(blobs), _OUTLINES_PER_QUERY):
            batch = blobs[start : start + _OUTLINES_PER_QUERY]
            placeholders = ",".join("?" * len(batch))
            rows = self._database.execute(f"SELECT * FROM outline WHERE blob IN ({placeholders})", batch)
            for blob, packed in rows:
                self._cache_outline(blob, zlib.decompress(packed))
        fresh = []
        for blob, source in self._git.read_objects(b for b in blobs if b not in self._outline_by_blob):
            if source is not None:
                outline = b"\n" + b"".join(_outline_rows(source))
                self._cache_outline(blob, outline)
                fresh.append((blob, zlib.compress(outline, 1)))
        if fresh:
            with contextlib.suppress(sqlite3.Error), self._database:
                self._database.executemany("INSERT OR REPLACE INTO outline VALUES (?, ?)", fresh)

    def _cache_outline(self, blob: str, outline: bytes) -> None:
        self._outline_by_blob[blob] = outline
        self._cached_bytes += len(outline)


def _parse_outline(outline: bytes, key: bytes) -> FunctionOutline | None:
    offset = outline.find(key)
    if offset < 0:
        return None
    first, last, digest = outline[offset + len(key) : outline.index(b"\n", offset + 1)].split(b" ")
    return FunctionOutline(int(first), int(last), digest.decode())


def _outline_rows(source: bytes) -> Iterator[bytes]:
    """`T.M 10 24 5f3a…` for each function in source order."""
    ends = [match.start() for match in _FUNCTION_END.finditer(source)]
    row, offset = 1, 0
    for start in _function_offsets(source):
        header = _FUNCTION_HEADER.match(source, start)
        if header is None:
            continue
        row, offset = row + source.count(b"\n", offset, start), start
        head = source.find(b"\n", start)
        if head < 0 or source[start:head].rstrip().endswith(b"}"):
            end = after = head if head > 0 else len(source)
        else:
            brace = bisect_left(ends, head)
            end = ends[brace] + 1 if brace < len(ends) else len(source)
            after = end + 1
        digest = blake2b(source[start:after], digest_size=5).hexdigest().encode()
        name = header[1] + b"." + header[2] if header[1] else header[2]
        yield b"%s %d %d %s\n" % (name, row, row + source.count(b"\n", start, end), digest)


def _function_offsets(source: bytes) -> Iterator[int]:
    if source.startswith(b"func "):
        yield 0
    offset = source.find(b"\nfunc ")
    while offset >= 0:
        yield offset + 1
        offset = source.find(b"\nfunc ", offset + 1)


_WHITESPACE = re.compile(rb"\s+")
_MIN_SIMILARITY = 0.5
_MAX_RENAMES = 8
_VERSIONS_PER_BATCH = 48
# shorter lines are not distinctive ("return nil"); a backported fix may lose a line
_MIN_LINE_LENGTH, _MIN_SHARE_ADDED = 12, 0.8


class PathPeriod(NamedTuple):
    """The period on the main line in which a file has one path."""

    path: str
    first: int
    last: int | None  # the position at which the path was removed


def paths_after(clone: Clone, path: str, position: int) -> list[PathPeriod]:
    """The paths of a file from a position on, through renames; the last is the current one."""
    periods: list[PathPeriod] = []
    while len(periods) < _MAX_RENAMES:
        versions = clone.main.file_versions(path)
        removed_at = next(
            (version.pos for version in versions if version.pos > position and version.blob is None), None
        )
        periods.append(PathPeriod(path, position, removed_at))
        if removed_at is None:
            return periods
        target = _renamed_path(clone, path, removed_at, version_at(versions, removed_at - 1), to_new_path=True)
        if target is None:
            return periods
        path, position = target, removed_at
    return periods


def paths_before(clone: Clone, path: str, position: int) -> Iterator[tuple[str, list[FileVersion]]]:
    """The paths of a file up to a position with their versions, both newest first."""
    for _ in range(_MAX_RENAMES):
        versions = [version for version in clone.main.file_versions(path) if version.pos <= position]
        created_index = next(
            (index for index in range(len(versions) - 1, 0, -1) if versions[index - 1].blob is None), 0
        )
        versions = versions[created_index:]
        if not versions or versions[0].blob is None:
            return
        yield path, versions[::-1]
        source = _renamed_path(clone, path, versions[0].pos, versions[0].blob, to_new_path=False)
        if source is None:
            return
        path, position = source, versions[0].pos - 1


def _renamed_path(clone: Clone, path: str, position: int, blob: str | None, to_new_path: bool) -> str | None:
    """The other path of a rename in one commit: by content, else by name and similarity."""
    if blob is None:
        return None
    added, removed = clone.main.moved_files(position)
    others = added if to_new_path else removed
    if identical := others.by_content.get(blob):
        return max(identical, key=lambda other: _shared_suffix_length(path, other))
    language = language_of_path(path)
    similar = [candidate for candidate in others.similar_paths(path) if language_of_path(candidate[0]) == language]
    similar.sort(key=lambda near_end: -_shared_suffix_length(path, near_end[0]))
    text = clone.git.read_object(blob)
    for other, content in similar[:20]:
        other_text = clone.git.read_object(content)
        if text and other_text and _line_similarity(text, other_text) >= _MIN_SIMILARITY:
            return other
    return None


def _shared_suffix_length(a: str, b: str) -> int:
    """The number of equal trailing elements of two paths."""
    pairs = zip(reversed(a.split("/")), reversed(b.split("/")), strict=False)
    return next((n for n, (x, y) in enumerate(pairs) if x != y), min(a.count("/"), b.count("/")) + 1)


def _line_similarity(a: bytes, b: bytes) -> float:
    lines_a, lines_b = set(a.split(b"\n")), set(b.split(b"\n"))
    return len(lines_a & lines_b) / max(len(lines_a), len(lines_b), 1)


def function_text(clone: Clone, blob: str | None, path: str, function: str) -> bytes | None:
    """The text of a function in one version of a file, or None."""
    return function_texts(clone, [blob], path, function)[blob] if blob else None


def function_texts(
    clone: Clone, blobs: Iterable[str | None], path: str, function: str
) -> dict[str | None, bytes | None]:
    """The text of a function in several versions, read in one batch and cached."""
    language = language_of_path(path)
    known = clone.function_texts.setdefault((language, function), {})
    missing = list(dict.fromkeys(blob for blob in blobs if blob and blob not in known))
    representative = (
        _first_with_same_text(clone, missing, function) if language == "go" else {each: each for each in missing}
    )
    known.update(dict.fromkeys(missing))
    for blob, source in clone.git.read_objects(dict.fromkeys(representative.values())):
        known[blob] = _extract_function(source, path, function) if source is not None else None
    known.update((blob, known[other]) for blob, other in representative.items())
    return known


def _first_with_same_text(clone: Clone, blobs: list[str], function: str) -> dict[str, str]:
    """For each version with the function, the first version with the same function text."""
    first_by_digest: dict[str, str] = {}
    outlines = clone.outlines.find_function(function, blobs)
    return {blob: first_by_digest.setdefault(outline.digest, blob) for blob, outline in outlines.items() if outline}


def _extract_function(source: bytes, path: str, function: str) -> bytes | None:
    language = language_of_path(path)
    if language is None or not function:
        return None
    if language == "go":
        location = line_claims.go_function_offsets(function, source)
        end = source.find(b"\n", location[1]) if location else -1
        return source[location[0] : end if end >= 0 else len(source)] if location else None
    span = next(iter(line_claims.function_extents(language, source, function)), None)
    return b"\n".join(parser.source_lines(source, *span)) if span else None


def position_introducing_line(clone: Clone, path: str, function: str, line: bytes, position: int) -> int | None:
    """The position of the commit that added a line to a function, searched back from a position."""
    wanted, introduced_at = normalize_line(line), None
    for file_path, versions in paths_before(clone, path, position):
        for start in range(0, len(versions), _VERSIONS_PER_BATCH):
            batch = versions[start : start + _VERSIONS_PER_BATCH]
            versions_with = _versions_with_line(
                clone, file_path, function, wanted, [version.blob for version in batch if version.blob]
            )
            for change in batch:
                if not versions_with.get(change.blob or ""):
                    return introduced_at
                introduced_at = change.pos
    return introduced_at


def _versions_with_line(clone: Clone, path: str, function: str, wanted: bytes, blobs: list[str]) -> dict[str, int]:
    """Whether each version of a file has the line in the function."""
    question = f"holds {language_of_path(path)} {function}\n{wanted.decode('utf-8', 'replace')}"
    known = clone.answer_cache.answers_to(question)
    missing = [blob for blob in blobs if blob not in known]
    texts = function_texts(clone, missing, path, function)
    for blob in missing:
        text = texts.get(blob)
        contains_line = text is not None and wanted in map(normalize_line, text.split(b"\n"))
        clone.answer_cache.add_answer(question, blob, int(contains_line))
    return known


def normalize_line(line: bytes) -> bytes:
    """The line with whitespace collapsed."""
    return _WHITESPACE.sub(b" ", line).strip()


def significant_lines(clone: Clone, blob: str | None) -> set[bytes]:
    """The distinctive lines of a version, normalized."""
    source = clone.git.read_object(blob) if blob else None
    normalized = map(normalize_line, (source or b"").split(b"\n"))
    return {line for line in normalized if len(line) >= _MIN_LINE_LENGTH}


def versions_with_fix(clone: Clone, fixed: str, added: set[bytes], blobs: set[str]) -> dict[str, int]:
    """Whether each version of a file has nearly all lines that a fix added."""
    question = f"mended {fixed}"
    known = clone.answer_cache.answers_to(question)
    for blob, source in clone.git.read_objects(sorted(each for each in blobs if each not in known)):
        version_lines = set(map(normalize_line, (source or b"").split(b"\n")))
        clone.answer_cache.add_answer(question, blob, int(len(added & version_lines) >= _MIN_SHARE_ADDED * len(added)))
    return known
