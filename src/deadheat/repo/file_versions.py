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
    from collections.abc import Callable, Iterable, Iterator

    from deadheat.repo.clone import Clone
    from deadheat.repo.git import GitReader

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
# rows per query; bytes of results in memory
_BLOBS_PER_QUERY, _MAX_CACHED_BYTES = 500, 1 << 26
# fewer are read in no time
_MIN_VERSIONS_TO_REPORT = 200


def is_exported(name: str) -> bool:
    """Whether a Go name is visible to other packages."""
    return name[:1].isupper()


def common_suffix_length(a: list[str], b: list[str]) -> int:
    """The number of equal elements at the end of two paths."""
    shortest = min(len(a), len(b))
    return next((n for n in range(shortest) if a[-1 - n] != b[-1 - n]), shortest)


class _BlobIndex:
    """A summary of each file version, computed once and cached on disk."""

    def __init__(self, git: GitReader, name: str, table: str, summarize: Callable[[bytes], bytes]) -> None:
        self._git, self._table, self._summarize = git, table, summarize
        schema = f"CREATE TABLE IF NOT EXISTS {table} (blob TEXT PRIMARY KEY, packed BLOB) WITHOUT ROWID;"
        self._database = disk_cache.open_database(name, schema)
        self._summaries: dict[str, bytes] = {}
        self._cached_bytes = 0

    def close(self) -> None:
        self._database.close()

    def _load_summaries(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """The summaries of the versions that can be read."""
        wanted = list(dict.fromkeys(blobs))
        if self._cached_bytes > _MAX_CACHED_BYTES:
            self._summaries.clear()
            self._cached_bytes = 0
        missing = [blob for blob in wanted if blob not in self._summaries]
        for start in range(0, len(missing), _BLOBS_PER_QUERY):
            batch = missing[start : start + _BLOBS_PER_QUERY]
            query = f"SELECT * FROM {self._table} WHERE blob IN ({','.join('?' * len(batch))})"
            for blob, packed in self._database.execute(query, batch):
                self._summaries[blob] = zlib.decompress(packed)
        unread = [blob for blob in missing if blob not in self._summaries]
        objects = self._git.read_objects(unread)
        if len(unread) >= _MIN_VERSIONS_TO_REPORT:
            objects = self._git.track(objects, "reading versions of the racing files", len(unread), "file version")
        fresh = {blob: self._summarize(text) for blob, text in objects if text is not None}
        self._summaries |= fresh
        self._cached_bytes += sum(len(self._summaries.get(blob, b"")) for blob in missing)
        rows = [(blob, zlib.compress(summary, 1)) for blob, summary in fresh.items()]
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?)", rows)
        return {blob: self._summaries[blob] for blob in wanted if blob in self._summaries}


class DeclaredNameIndex(_BlobIndex):
    """The declared names of each file version."""

    def __init__(self, git: GitReader) -> None:
        super().__init__(git, "names", "declared", _scan_declared_names)

    def declared_names(self, blobs: Iterable[str]) -> dict[str, str]:
        """The names that each version declares, each between spaces."""
        wanted = list(blobs)
        known = self._load_summaries(wanted)
        return {blob: known.get(blob, b"  ").decode("ascii", "replace") for blob in wanted}


def _scan_declared_names(source: bytes) -> bytes:
    unique_names: dict[bytes, None] = {}
    for function, type_name, fields in _DECLARATION.findall(source):
        unique_names.update(dict.fromkeys((function or type_name or fields).split(b", ")))
    return b" %s " % b" ".join(name for name in unique_names if name not in _GO_KEYWORDS)


# "func (e *T[K]) M(", "func F[K any](", as gofmt formats them
_FUNCTION_HEADER = re.compile(rb"func (?:\((?:\w+ )?\*?(\w+)(?:\[[^\]\n]{0,200}\])?\) )?([^\s()\[\]]{1,200})[\[(]")
# a brace in the first column before a declaration or the end; others are in raw strings
_FUNCTION_END = re.compile(rb"\n\}(?=\Z|[\n\r](?:\Z|[\nftvc/i\r]))")


class FunctionOutline(NamedTuple):
    """The lines of a function (from 1) in a file version, and a digest of its text."""

    first: int
    last: int
    digest: str


class FunctionOutlineIndex(_BlobIndex):
    """The functions of each file version."""

    def __init__(self, git: GitReader) -> None:
        super().__init__(git, "outlines", "outline", lambda source: b"\n" + b"".join(_outline_rows(source)))

    def find_function(self, function: str, blobs: Iterable[str]) -> dict[str, FunctionOutline | None]:
        """The function in each readable version; None if it is not there."""
        owner, _, name = function.encode("utf-8", "replace").rpartition(b".")
        owner = owner.strip(b"(*)")
        key = b"\n" + (owner + b"." + name if owner else name) + b" "
        return {blob: _parse_outline(outline, key) for blob, outline in self._load_summaries(blobs).items()}

    def changed_functions(self, old: str, new: str) -> list[str]:
        """The functions that are in both versions with different texts: `T.M`, `F`."""
        outlines = self._load_summaries([old, new])
        before, after = (dict(map(_name_and_digest, outlines.get(blob, b"").split(b"\n")[1:-1])) for blob in (old, new))
        return [name.decode("utf-8", "replace") for name, d in before.items() if after.get(name, d) != d]


def _name_and_digest(row: bytes) -> tuple[bytes, bytes]:
    name, _, _, digest = row.split(b" ")
    return name, digest


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
_NO_WORD_CHARACTERS = re.compile(rb"\W+")
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
        removed_at = next((v.pos for v in versions if v.pos > position and v.blob is None), None)
        periods.append(PathPeriod(path, position, removed_at))
        if removed_at is None:
            break
        target = _renamed_path(clone, path, removed_at, version_at(versions, removed_at - 1), to_new_path=True)
        if target is None:
            break
        path, position = target, removed_at
    return periods


def paths_before(clone: Clone, path: str, position: int) -> Iterator[tuple[str, list[FileVersion]]]:
    """The paths of a file up to a position with their versions, both newest first."""
    for _ in range(_MAX_RENAMES):
        versions = [version for version in clone.main.file_versions(path) if version.pos <= position]
        created_index = next((n for n in range(len(versions) - 1, 0, -1) if versions[n - 1].blob is None), 0)
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
    similar.sort(key=lambda candidate: -_shared_suffix_length(path, candidate[0]))
    text = clone.git.read_object(blob)
    lines = set((text or b"").split(b"\n"))
    for other, content in similar[:20]:
        other_text = clone.git.read_object(content)
        other_lines = set((other_text or b"").split(b"\n"))
        is_similar = len(lines & other_lines) >= _MIN_SIMILARITY * max(len(lines), len(other_lines))
        if text and other_text and is_similar:
            return other
    return None


def _shared_suffix_length(a: str, b: str) -> int:
    return common_suffix_length(a.split("/"), b.split("/"))


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
    first_with_same_text = {blob: blob for blob in missing}
    if language == "go":
        first_by_digest: dict[str, str] = {}
        outlines = clone.outlines.find_function(function, missing).items()
        first_with_same_text = {b: first_by_digest.setdefault(found.digest, b) for b, found in outlines if found}
    known.update(dict.fromkeys(missing))
    for blob, source in clone.git.read_objects(dict.fromkeys(first_with_same_text.values())):
        known[blob] = _extract_function(source, path, function) if source is not None else None
    known.update((blob, known[other]) for blob, other in first_with_same_text.items())
    return known


def _extract_function(source: bytes, path: str, function: str) -> bytes | None:
    language = language_of_path(path)
    if language is None or not function:
        return None
    if language == "go":
        location = line_claims.go_function_offsets(function, source)
        end = source.find(b"\n", location[1]) if location else -1
        return source[location[0] : end if end >= 0 else len(source)] if location else None
    owner, _, name = function.rpartition("::")
    texts = [b"\n".join(parser.source_lines(source, *s)) for s in line_claims.function_extents(language, source, name)]
    return next((text for text in texts if _names_owner(text, owner)), texts[0] if texts else None)


def _names_owner(text: bytes, owner: str) -> bool:
    """Whether a header names the class: `int Feed::Close() {`, `TEST_F(Feed, Close) {` of `Feed_Close_Test`."""
    header = _NO_WORD_CHARACTERS.sub(b"_", text.partition(b"{")[0])
    return owner.removesuffix("_Test").encode("utf-8", "replace") in header


def position_introducing_line(clone: Clone, path: str, function: str, line: bytes, position: int) -> int | None:
    """The position of the commit that added a line to a function, searched back from a position."""
    wanted, introduced_at = normalize_line(line), None
    for file_path, versions in paths_before(clone, path, position):
        for start in range(0, len(versions), _VERSIONS_PER_BATCH):
            batch = versions[start : start + _VERSIONS_PER_BATCH]
            blobs = [version.blob for version in batch if version.blob]
            versions_with = _versions_with_line(clone, file_path, function, wanted, blobs)
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
