"""Race reports in the words of Go's detector, made up from real lines of a clone's history."""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from deadheat.repo.git.history import version_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.repo.clone import Clone

# "func (e *T) M(", "func F[K any]("
_FUNCTION = re.compile(rb"^func (?:\((?:\w+ )?(\*?)(\w+)[^)\n]*\) )?(\w+)[\[(]", re.MULTILINE)
# "	s.count = 1", "	s.count += 1", "	s.count++": a write to a field
_WRITE = re.compile(rb"^\t+\w+\.(\w{3,})(?: [+-]?= |\+\+)", re.MULTILINE)
_DEPTH = 6
_SHORTEST = 4  # lines of a function that is worth a frame


class Function(NamedTuple):
    """A function in one version of a file."""

    path: str
    name: str
    first: int
    last: int


class Made(NamedTuple):
    """A report, and what is true of it."""

    text: str
    place: int  # of its commit on the main line
    variable: str


def made(clone: Clone, count: int, seed: int) -> Iterator[Made]:
    """So many reports, each from a commit, a file and a field of its own; the same for a seed."""
    chance = random.Random(seed)
    rows = clone.main.database.execute("SELECT full FROM paths ORDER BY full")
    paths = [
        path for (path,) in rows if path.endswith(".go") and not path.endswith("_test.go") and "vendor/" not in path
    ]
    module = clone.go_modules[0] if clone.go_modules else "example.com/module"
    found = 0
    while found < count:
        if told := _Commit.drawn(clone, chance, chance.choice(paths), module):
            found += 1
            yield told


class _Commit:
    """A folder at one commit, from which frames are taken."""

    def __init__(self, clone: Clone, chance: random.Random, place: int, path: str) -> None:
        self._clone, self._chance, self._place = clone, chance, place
        folder = path.rpartition("/")[0]
        self._sources: dict[str, list[bytes]] = {}
        self._functions: list[Function] = []
        blobs = {
            blob: other
            for other in sorted(clone.main.paths_in_folder(folder))
            if other.endswith(".go") and (blob := version_at(clone.main.file_versions(other), place))
        }
        self._whole: dict[str, bytes] = {}
        for blob, source in clone.git.read_objects(blobs):
            self._whole[blobs[blob]] = source or b""
            self._sources[blobs[blob]] = (source or b"").split(b"\n")
            self._functions += _functions(blobs[blob], source or b"")

    @classmethod
    def drawn(cls, clone: Clone, chance: random.Random, path: str, module: str) -> Made | None:
        versions = clone.main.file_versions(path)
        at = chance.randrange(len(versions)) if versions else 0
        blob = versions[at].blob if versions else None
        if blob is None or not _WRITE.search(clone.git.read_object(blob) or b""):
            return None
        end = versions[at + 1].pos if at + 1 < len(versions) else clone.main.last_position + 1
        place = chance.randrange(versions[at].pos, max(end, versions[at].pos + 1))
        return cls(clone, chance, place, path)._race(path, module)

    def _race(self, path: str, module: str) -> Made | None:
        own = [f for f in self._functions if f.path == path]
        writes = [
            (f, n, told[1])
            for f in own
            for n in range(f.first + 1, f.last)
            if (told := _WRITE.match(self._sources[f.path][n - 1]))
        ]
        if not writes:
            return None
        writer, line, field = self._chance.choice(writes)
        mention = re.compile(rb"\w\." + re.escape(field) + rb"\b(?!\(| [+-]?= )")
        reads = [
            (f, n)
            for f in self._functions
            if f != writer
            for n in range(f.first + 1, f.last)
            if mention.search(self._sources[f.path][n - 1])
        ]
        if not reads:
            return None
        other = self._chance.choice(reads)
        return Made(self._text(module, (writer, line), other), self._place, field.decode())

    def _text(self, module: str, write: tuple[Function, int], read: tuple[Function, int]) -> str:
        numbers = self._chance.sample(range(7, 4000), 2)
        address = f"0x00c{self._chance.randrange(1 << 32):09x}"
        text = "==================\nWARNING: DATA RACE\n"
        heads = ("Write at", "Previous read at")
        created = ""
        for head, number, site in zip(heads, numbers, (write, read), strict=True):
            stack, starter = self._stack(site)
            text += f"{head} {address} by goroutine {number}:\n"
            text += "".join(self._frame(module, *frame) for frame in stack) + "\n"
            if starter:
                created += f"Goroutine {number} (running) created at:\n"
                created += self._frame(module, *starter) + "\n"
        return f"{text}{created}==================\n"

    def _frame(self, module: str, function: Function, line: int) -> str:
        folder = function.path.rpartition("/")[0]
        package = f"{module}/{folder}" if folder else module
        offset = self._chance.randrange(16, 4096)
        place = f"/home/ci/src/repo/{function.path}:{line}"
        return f"  {package}.{function.name}()\n      {place} +0x{offset:x}\n"

    def _stack(self, site: tuple[Function, int]) -> tuple[list[tuple[Function, int]], tuple[Function, int] | None]:
        """A line with callers of its function, up to one that a `go` statement calls."""
        stack = [site]
        while len(stack) < _DEPTH:
            callers = self._callers(stack[-1][0].name.rpartition(".")[2].encode())
            fresh = [c for c in callers if all(c[0] != frame[0] for frame in stack)]
            if not fresh:
                break
            function, line = self._chance.choice(fresh)
            if self._sources[function.path][line - 1].lstrip().startswith(b"go "):
                return stack, (function, line)
            stack.append((function, line))
        return stack, None

    def _callers(self, name: bytes) -> list[tuple[Function, int]]:
        call = re.compile(rb"(?<!\w)" + re.escape(name) + rb"\(")
        found = []
        for path, source in self._whole.items():
            at = source.find(name + b"(")
            while at >= 0:
                row = source.count(b"\n", 0, at) + 1
                text = self._sources[path][row - 1]
                function = self._at(path, row)
                plain = b"//" not in text and b"func(" not in text
                if function and row > function.first and plain and call.search(text):
                    found.append((function, row))
                at = source.find(name + b"(", at + 1)
        return found

    def _at(self, path: str, row: int) -> Function | None:
        own = [f for f in self._functions if f.path == path]
        at = bisect_right(own, row, key=lambda f: f.first) - 1
        return own[at] if at >= 0 and own[at].last >= row else None


@lru_cache(maxsize=1 << 12)
def _functions(path: str, source: bytes) -> tuple[Function, ...]:
    found, row, at = [], 1, 0
    for told in _FUNCTION.finditer(source):
        row, at = row + source.count(b"\n", at, told.start()), told.start()
        star, owner, name = (group.decode() if group else "" for group in told.groups())
        full = (f"(*{owner}).{name}" if star else f"{owner}.{name}") if owner else name
        end = source.find(b"\n}\n", at)
        length = source.count(b"\n", at, end + 1) if end >= 0 else 0
        if length >= _SHORTEST and name != "init":
            found.append(Function(path, full, row, row + length))
    return tuple(found)
