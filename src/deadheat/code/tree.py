"""The sources of one commit, searched for declarations and read on demand."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code.languages import language
from deadheat.code.named import is_exported

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.code.git import Git
    from deadheat.code.named import Named

_MOST_FILES, _MOST_LISTED = 30_000, 1_000_000
# "	cancelFunc context.CancelFunc // why": a struct field as gofmt formats it
_FIELD = (
    rb"^[ \t]{1,20}(?:\w{1,80}, ){0,8}%s(?:, \w{1,80}){0,8}[ \t]{1,80}([^\s:=(,][^\n`/]{0,200})"
)
# "	sync.Mutex", "	*Base": embedded fields
_EMBEDDED = re.compile(
    rb"^[ \t]{1,20}\*?(?:\w{1,80}\.)?(\w{1,80})(?:\[[^\]\n]{0,200}\])?[ \t]*(?://.*|`.*)?$",
    re.MULTILINE,
)
_STRUCT = rb"^type %s(?:\[[^\]\n]{0,200}\])? struct \{"
_METHOD = (
    rb"^func (?:\([^)\n]{0,200}\) )?%s(?:\[[^\]\n]{0,200}\])?\([^\n]{0,500}\) ?\(?([*\w.\[\]]+)"
)
# "type StatementContext struct {"
_TYPE = re.compile(rb"^type (\w+)(?:\[[^\]\n]{0,200}\])? struct \{", re.MULTILINE)


class Place(NamedTuple):
    """The location of a declaration."""

    file: str
    line: int


class Field(NamedTuple):
    """A field of a struct with its declared type."""

    owner: str
    name: str
    kind: str
    place: Place


class Tree:
    """The source files of a commit."""

    def __init__(self, git: Git, named: Named, commit: str) -> None:
        self._git, self._named, self.commit = git, named, commit
        self._folders: dict[str, dict[str, str]] = {}
        self._near: dict[str, dict[str, bytes]] = {}

    @cached_property
    def _own(self) -> dict[str, str]:
        """Path and blob id of every Go file that is not vendored or test data."""
        found = {}
        listed = self._git.lines("ls-tree", "-r", "--full-tree", self.commit)
        for line in islice(listed, _MOST_LISTED):
            meta, _, path = line.partition("\t")
            mode, _, blob = meta.split(" ")[:3]
            if mode.startswith("100") and path.endswith(".go"):
                found[path] = blob
        listed.close()
        own = [p for p in found if "vendor/" not in p and "testdata/" not in p]
        return {path: found[path] for path in own[:_MOST_FILES]}

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        """Every Go file with the names it declares."""
        known = self._named.names(self._own.values())
        return [(path, known[blob]) for path, blob in self._own.items()]

    def beside(self, name: str, path: str) -> dict[str, bytes]:
        """The Go files in the folder of a file that may declare the name."""
        files = {
            p: b for p, b in self._beside(path.rpartition("/")[0]).items() if p.endswith(".go")
        }
        known, word = self._named.names(files.values()), f" {name} "
        return self._read({p: b for p, b in files.items() if word in known[b]})

    def declaring(self, name: str, path: str) -> dict[str, bytes]:
        """The Go files that may declare a name: in the folder, and elsewhere if it is exported."""
        near = self.beside(name, path)
        if not is_exported(name):
            return near
        word = f" {name} "
        others = [other for other, names in self._names if word in names and other not in near]
        return near | self._read({other: self._own[other] for other in others})

    def _read(self, files: dict[str, str]) -> dict[str, bytes]:
        contents = self._git.objects(files.values())
        return {path: text or b"" for path, (_, text) in zip(files, contents, strict=True)}

    def folder(self, path: str) -> list[str]:
        """The paths of the source files in the folder of a file."""
        return list(self._beside(path.rpartition("/")[0]))

    def near(self, path: str) -> dict[str, bytes]:
        """The contents of the source files in the folder of a file."""
        above = path.rpartition("/")[0]
        if above not in self._near:
            self._near[above] = self._read(self._beside(above))
        return self._near[above]

    def _beside(self, folder: str) -> dict[str, str]:
        """Path and blob id of the source files directly in a folder."""
        if folder not in self._folders:
            name = f"{self.commit}:{folder}" if folder else f"{self.commit}^{{tree}}"
            prefix = f"{folder}/" if folder else ""
            listed = _listed(self._git.object(name) or b"", len(self.commit) // 2)
            self._folders[folder] = {
                f"{prefix}{file}": blob for file, blob in listed if language(file)
            }
        return self._folders[folder]

    def fields(self, name: str, sources: dict[str, bytes]) -> list[Field]:
        """Every field of that name in these Go files."""
        word = name.encode("utf-8", "replace")
        pattern = re.compile(_FIELD % re.escape(word), re.MULTILINE)
        return [
            field
            for path, source in sources.items()
            if path.endswith(".go")
            for start in rows_with(source, word)
            if (match := pattern.match(source, start))
            and (field := _field(name, path, source, match))
        ]

    def struct(self, name: str, sources: dict[str, bytes]) -> tuple[str, int, bytes] | None:
        """Path, line and body of a struct declaration."""
        word = name.encode("utf-8", "replace")
        pattern = re.compile(_STRUCT % re.escape(word), re.MULTILINE)
        for path, source in sources.items():
            start = source.find(b"type " + word) if path.endswith(".go") else -1
            if start >= 0 and (match := pattern.search(source, start)):
                end = source.find(b"\n}", match.end())
                body = source[match.end() : end if end > 0 else len(source)]
                return path, source.count(b"\n", 0, match.start()) + 1, body
        return None

    def embedded(self, name: str, sources: dict[str, bytes]) -> list[str]:
        """The types that a struct embeds."""
        found = self.struct(name, sources)
        return [m.decode() for m in _EMBEDDED.findall(found[2])] if found else []

    def result(self, function: str, sources: dict[str, bytes]) -> str:
        """The (first) result type of a function or method."""
        word = function.encode("utf-8", "replace")
        pattern = re.compile(_METHOD % re.escape(word), re.MULTILINE)
        told = {
            bare(match[1].decode("utf-8", "replace"))
            for path, source in sources.items()
            if path.endswith(".go")
            for start in rows_with(source, word)
            if (match := pattern.match(source, start))
        }
        return told.pop() if len(told) == 1 else ""


def _listed(tree: bytes, width: int) -> Iterator[tuple[str, str]]:
    """The files in a git tree object: mode, name, NUL, id of `width` bytes."""
    at = 0
    while (end := tree.find(b"\0", at)) >= 0 and len(tree) >= end + 1 + width:
        mode, _, name = tree[at:end].partition(b" ")
        if mode.startswith(b"100"):
            yield name.decode("utf-8", "surrogateescape"), tree[end + 1 : end + 1 + width].hex()
        at = end + 1 + width


def bare(kind: str) -> str:
    """The bare name of a type: `StatementContext` for `[]*stmtctx.StatementContext`."""
    kind = kind.strip().partition(" ")[0] if not kind.strip().startswith("map") else kind.strip()
    kind = re.sub(r"^(?:map\[[^\]]{0,200}\]|\[[^\]]{0,200}\]|\*|chan |<-){0,9}", "", kind)
    return kind.partition("[")[0].rpartition(".")[2].strip("*{} ")


def _field(name: str, path: str, source: bytes, match: re.Match[bytes]) -> Field | None:
    """The field of a match, if it is inside a struct declaration."""
    start = source.rfind(b"\ntype ", 0, match.start())
    if start < 0 or source.find(b"\n}", start, match.start()) >= 0:
        return None
    told = _TYPE.match(source, start + 1)
    if not told:
        return None
    line = source.count(b"\n", 0, match.start()) + 1
    kind = match[1].decode("utf-8", "replace").strip()
    return Field(told[1].decode(), name, kind, Place(path, line))


def rows_with(source: bytes, word: bytes) -> Iterator[int]:
    """The offset of each line that contains a word."""
    at = source.find(word)
    while at >= 0:
        yield source.rfind(b"\n", 0, at) + 1
        end = source.find(b"\n", at)
        at = source.find(word, end) if end >= 0 else -1
