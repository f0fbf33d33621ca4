"""Reads git objects with plumbing commands, in a clean environment, through a sandbox directory."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import subprocess
import tempfile
from typing import IO, TYPE_CHECKING

from deadheat.code.shadow import Shadow
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

# larger objects are not source code, and may be malicious
BIGGEST = 1 << 23
_PIECE = 1 << 16
# memory limits of a git process: to read objects, to list changes
_MEMORY, _LISTING = 2 << 30, 1 << 28
_HELD = 1 << 27
# a full object id: its content never changes
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?$")
_QUESTIONS = 1 << 14  # bytes; less than a pipe buffer, so that neither side blocks
_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH")


def environment() -> dict[str, str]:
    """An environment in which git reads no outside configuration and cannot write, prompt or fetch."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "LC_ALL": "C",
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "none",
    }


class Git:
    """Read-only access to a clone."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._shadow = Shadow(where)
        self._batch: subprocess.Popen[bytes] | None = None
        self._held: dict[str, bytes] = {}
        self._size = 0
        self.missing = self._shadow.missing
        self.refs = self._shadow.refs
        self.head_name, self.head = self._shadow.head_name, self._shadow.head
        self.shallow = self._shadow.shallow

    def close(self) -> None:
        self._stop()
        self._shadow.close()

    def __enter__(self) -> Git:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def command(self, *args: str) -> list[str]:
        return [
            "git",
            f"--git-dir={self._shadow.path}",
            "--literal-pathspecs",
            "--no-pager",
            "-c",
            "safe.directory=*",
            "-c",
            "core.bigFileThreshold=8m",
            "-c",
            "core.commitGraph=false",
            "-c",
            "protocol.allow=never",
            *args,
        ]

    def _start(
        self,
        args: tuple[str, ...],
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        memory: int = _MEMORY,
    ) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(
                self.command(*args),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
                cwd=self._shadow.path,
            )
        except OSError as error:
            raise DeadheatError("git cannot be run", do="install git") from error
        _bounded(process.pid, memory)
        return process

    def lines(self, *args: str) -> Generator[str]:
        """The output lines of a git command. If the command fails, the output just ends."""
        with self._start(args) as process:
            assert process.stdout is not None
            for line in process.stdout:
                yield line.decode("utf-8", "surrogateescape").rstrip("\n")

    def records(self, asked: Iterable[str], *args: str) -> Generator[bytes]:
        """The NUL-terminated records that a command prints when it reads these lines from stdin."""
        with tempfile.TemporaryFile() as file:
            file.writelines(f"{line}\n".encode() for line in asked)
            file.seek(0)
            with self._start(args, file, _LISTING) as process:
                assert process.stdout is not None
                rest = b""
                while piece := process.stdout.read(_PIECE):
                    *whole, rest = (rest + piece).split(b"\0")
                    yield from whole
                if process.wait():
                    self.missing.append("git could not read the complete history")

    def objects(self, names: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """The content of each object by name (`id`, `commit:path`); None if it cannot be read."""
        for wanted in _rounds(names):
            held = {name: self._held.get(name) for name in wanted}
            fresh = self._read([name for name in wanted if held[name] is None])
            for name in wanted:
                content = held[name]
                if content is None:
                    _, content = next(fresh)
                    self._hold(name, content)
                yield name, content
            for _ in fresh:  # run the generator to its end
                pass

    def _hold(self, name: str, content: bytes | None) -> None:
        """Caches the content of an object id; evicts the oldest entries first."""
        if content is None or name in self._held or not _ID.match(name):
            return
        self._held[name] = content
        self._size += len(content)
        while self._size > _HELD:
            self._size -= len(self._held.pop(next(iter(self._held))))

    def object(self, name: str) -> bytes | None:
        ((_, content),) = list(self.objects([name]))
        return content

    def ids(self, names: Iterable[str]) -> list[str | None]:
        """The id of each object by name, without reading the object."""
        names = list(names)
        if not names:
            return []
        with tempfile.TemporaryFile() as file:
            file.writelines(_question(name) for name in names)
            file.seek(0)
            with self._start(("cat-file", "--batch-check=%(objectname)"), file) as process:
                assert process.stdout is not None
                return [_id(line) for line in process.stdout]

    def _read(self, names: list[str]) -> Iterator[tuple[str, bytes | None]]:
        """Reads objects that are not cached; restarts git after a broken object."""
        at, done = 0, False
        try:
            while at < len(names):
                for name, content, broken in self._round(names[at:]):
                    at += 1
                    if broken:
                        self._stop()
                    yield name, content
                    if broken:
                        break
            done = True
        finally:
            if not done:  # the caller stopped early: drop the unread replies
                self._stop()

    def _round(self, names: list[str]) -> Iterator[tuple[str, bytes | None, bool]]:
        if self._batch is None:
            self._batch = self._start(("cat-file", "--batch"), subprocess.PIPE)
        stdin, stdout = self._batch.stdin, self._batch.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(b"".join(map(_question, names)))
            stdin.flush()
        except BrokenPipeError:
            yield names[0], None, True
            return
        for name in names:
            head = stdout.readline()
            if not head:  # git exits on a broken object
                yield name, None, True
                return
            fields = head.rsplit(b" ", 2)
            if len(fields) < 3 or not fields[2].strip().isdigit():
                yield name, None, False
                continue
            size = int(fields[2])
            if size > BIGGEST:
                yield name, None, True
                return
            content = stdout.read(size)
            broken = len(content) < size or stdout.read(1) != b"\n"
            genuine = not broken and _is_genuine(fields[0], fields[1], content)
            yield name, content if genuine else None, broken
            if broken:
                return

    def _stop(self) -> None:
        if self._batch is not None:
            self._batch.kill()
            self._batch.communicate()
            self._batch = None


def _bounded(pid: int, memory: int) -> None:
    """Limits the memory that git can allocate; mapped pack files do not count."""
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.prlimit(pid, resource.RLIMIT_DATA, (memory, memory))


def _is_genuine(name: bytes, kind: bytes, content: bytes) -> bool:
    """Whether the content hashes to the id. Cached answers are keyed by id and shared between clones."""
    digest = hashlib.sha1(usedforsecurity=False) if len(name) == 40 else hashlib.sha256()
    digest.update(b"%s %d\0" % (kind, len(content)))
    digest.update(content)
    return digest.hexdigest().encode() == name


def _question(name: str) -> bytes:
    """A request line for `git cat-file`. A newline in a path would end the request."""
    return name.replace("\n", "?").encode("utf-8", "surrogateescape") + b"\n"


def _id(answer: bytes) -> str | None:
    """Parses `<id>` or `<name> missing`."""
    told = answer.rstrip(b"\n")
    return None if b" " in told else told.decode()


def _rounds(names: Iterable[str]) -> Iterator[list[str]]:
    """Splits the names into lists that fit into a pipe buffer."""
    waiting: list[str] = []
    length = 0
    for name in names:
        if waiting and length + len(name) > _QUESTIONS:
            yield waiting
            waiting, length = [], 0
        waiting.append(name[:_QUESTIONS])
        length += len(name) + 1
    if waiting:
        yield waiting
