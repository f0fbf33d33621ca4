"""Generate reports in the format of Go's detector from real lines of a clone's history."""

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
_MAX_FRAMES = 6
_MIN_LINES = 4  # of a function used as a frame


class GoFunction(NamedTuple):
    """A function in one version of a file."""

    path: str
    name: str
    first: int
    last: int


class GeneratedReport(NamedTuple):
    """A report with its commit and variable."""

    text: str
    position: int  # of the commit on the main line
    variable: str


def generate_reports(clone: Clone, count: int, seed: int) -> Iterator[GeneratedReport]:
    """Reports with random commits, files and fields; the same for the same seed."""
    rng = random.Random(seed)
    rows = clone.main.database.execute("SELECT full FROM paths ORDER BY full")
    paths = [
        path for (path,) in rows if path.endswith(".go") and not path.endswith("_test.go") and "vendor/" not in path
    ]
    module = clone.go_modules[0] if clone.go_modules else "example.com/module"
    found = 0
    while found < count:
        if report := _CommitFolder.draw_report(clone, rng, rng.choice(paths), module):
            found += 1
            yield report


class _CommitFolder:
    """The Go files of a folder at one commit."""

    def __init__(self, clone: Clone, rng: random.Random, position: int, path: str) -> None:
        self._clone, self._rng, self._position = clone, rng, position
        folder = path.rpartition("/")[0]
        self._source_lines: dict[str, list[bytes]] = {}
        self._functions: list[GoFunction] = []
        blobs = {
            blob: other
            for other in sorted(clone.main.paths_in_folder(folder))
            if other.endswith(".go") and (blob := version_at(clone.main.file_versions(other), position))
        }
        self._contents: dict[str, bytes] = {}
        for blob, source in clone.git.read_objects(blobs):
            self._contents[blobs[blob]] = source or b""
            self._source_lines[blobs[blob]] = (source or b"").split(b"\n")
            self._functions += _parse_functions(blobs[blob], source or b"")

    @classmethod
    def draw_report(cls, clone: Clone, rng: random.Random, path: str, module: str) -> GeneratedReport | None:
        versions = clone.main.file_versions(path)
        at = rng.randrange(len(versions)) if versions else 0
        blob = versions[at].blob if versions else None
        if blob is None or not _WRITE.search(clone.git.read_object(blob) or b""):
            return None
        end = versions[at + 1].pos if at + 1 < len(versions) else clone.main.last_position + 1
        position = rng.randrange(versions[at].pos, max(end, versions[at].pos + 1))
        return cls(clone, rng, position, path)._generate_race(path, module)

    def _generate_race(self, path: str, module: str) -> GeneratedReport | None:
        in_file = [f for f in self._functions if f.path == path]
        writes = [
            (f, n, match[1])
            for f in in_file
            for n in range(f.first + 1, f.last)
            if (match := _WRITE.match(self._source_lines[f.path][n - 1]))
        ]
        if not writes:
            return None
        writer, line, field = self._rng.choice(writes)
        mention = re.compile(rb"\w\." + re.escape(field) + rb"\b(?!\(| [+-]?= )")
        reads = [
            (f, n)
            for f in self._functions
            if f != writer
            for n in range(f.first + 1, f.last)
            if mention.search(self._source_lines[f.path][n - 1])
        ]
        if not reads:
            return None
        other = self._rng.choice(reads)
        return GeneratedReport(self._report_text(module, (writer, line), other), self._position, field.decode())

    def _report_text(self, module: str, write: tuple[GoFunction, int], read: tuple[GoFunction, int]) -> str:
        numbers = self._rng.sample(range(7, 4000), 2)
        address = f"0x00c{self._rng.randrange(1 << 32):09x}"
        text = "==================\nWARNING: DATA RACE\n"
        heads = ("Write at", "Previous read at")
        created = ""
        for head, number, site in zip(heads, numbers, (write, read), strict=True):
            stack, starter = self._call_stack(site)
            text += f"{head} {address} by goroutine {number}:\n"
            text += "".join(self._frame_text(module, *frame) for frame in stack) + "\n"
            if starter:
                created += f"Goroutine {number} (running) created at:\n"
                created += self._frame_text(module, *starter) + "\n"
        return f"{text}{created}==================\n"

    def _frame_text(self, module: str, function: GoFunction, line: int) -> str:
        folder = function.path.rpartition("/")[0]
        package = f"{module}/{folder}" if folder else module
        offset = self._rng.randrange(16, 4096)
        location = f"/home/ci/src/repo/{function.path}:{line}"
        return f"  {package}.{function.name}()\n      {location} +0x{offset:x}\n"

    def _call_stack(
        self, site: tuple[GoFunction, int]
    ) -> tuple[list[tuple[GoFunction, int]], tuple[GoFunction, int] | None]:
        """A call stack that ends at a line, and the `go` statement that starts it, if one is found."""
        stack = [site]
        while len(stack) < _MAX_FRAMES:
            callers = self._find_callers(stack[-1][0].name.rpartition(".")[2].encode())
            fresh = [c for c in callers if all(c[0] != frame[0] for frame in stack)]
            if not fresh:
                break
            function, line = self._rng.choice(fresh)
            if self._source_lines[function.path][line - 1].lstrip().startswith(b"go "):
                return stack, (function, line)
            stack.append((function, line))
        return stack, None

    def _find_callers(self, name: bytes) -> list[tuple[GoFunction, int]]:
        call = re.compile(rb"(?<!\w)" + re.escape(name) + rb"\(")
        found = []
        for path, source in self._contents.items():
            at = source.find(name + b"(")
            while at >= 0:
                row = source.count(b"\n", 0, at) + 1
                text = self._source_lines[path][row - 1]
                function = self._function_at(path, row)
                is_code = b"//" not in text and b"func(" not in text
                if function and row > function.first and is_code and call.search(text):
                    found.append((function, row))
                at = source.find(name + b"(", at + 1)
        return found

    def _function_at(self, path: str, row: int) -> GoFunction | None:
        own = [f for f in self._functions if f.path == path]
        at = bisect_right(own, row, key=lambda f: f.first) - 1
        return own[at] if at >= 0 and own[at].last >= row else None


@lru_cache(maxsize=1 << 12)
def _parse_functions(path: str, source: bytes) -> tuple[GoFunction, ...]:
    found, row, at = [], 1, 0
    for match in _FUNCTION.finditer(source):
        row, at = row + source.count(b"\n", at, match.start()), match.start()
        star, owner, name = (group.decode() if group else "" for group in match.groups())
        full = (f"(*{owner}).{name}" if star else f"{owner}.{name}") if owner else name
        end = source.find(b"\n}\n", at)
        length = source.count(b"\n", at, end + 1) if end >= 0 else 0
        if length >= _MIN_LINES and name != "init":
            found.append(GoFunction(path, full, row, row + length))
    return tuple(found)
