"""The folder of documents that arrived over HTTP: each content once, complete or not at all.

    incoming/RANDOM/…                          what is being received; removed by the next server if it was killed
    documents/SHA-256/repo=acme%2Fshop/run=7/test.log    what the next ingest reads; the folders tell the run

A document is written and synchronised in `incoming`, then its folder is renamed into `documents`. Renaming fails if
there is a folder with this digest, so that one content is there once, whatever happens at the same time.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
import time
import zlib
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

from deadheat.errors import DeadheatError
from deadheat.sources.ci_metadata import run_folders

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deadheat.model import CiRun

# free space is looked at again after so many bytes
_CHECK_BYTES = 64 << 20
# a folder without a lock may be one that another server has just made
_LEAST_ABANDONED_SECONDS = 60
_DIGEST = re.compile(r"[0-9a-f]{64}")
# characters of a name that are kept
_NAME_CHARACTER = re.compile(r"[^\w.+=@,-]")
_MAX_NAME_LENGTH = 120
_DEFAULT_NAME = "document.log"
_FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
_EXISTS = (errno.EEXIST, errno.ENOTEMPTY)


class IntakeError(DeadheatError):
    """A document that cannot be received."""


class TooLargeError(IntakeError):
    """The document is larger than the limit."""


class NoSpaceError(IntakeError):
    """The disk has no space for it."""


class EncodingError(IntakeError):
    """The content is not what its encoding says."""


def is_digest(text: str) -> bool:
    return _DIGEST.fullmatch(text) is not None


def safe_name(text: str) -> str:
    """The name of a file made from a name that a client gives: one component, without special characters."""
    name = _NAME_CHARACTER.sub("_", text.replace("\\", "/").rpartition("/")[2]).lstrip(".")
    while len(name.encode()) > _MAX_NAME_LENGTH:
        name = name[1:]  # the extension stays
    return name or _DEFAULT_NAME


class IntakeFolder:
    """The folder, which several processes and servers may share."""

    def __init__(self, root: Path, max_bytes: int, free_bytes: int) -> None:
        self.root, self.max_bytes, self.free_bytes = root, max_bytes, free_bytes
        self.documents, self.incoming = root / "documents", root / "incoming"
        try:
            for folder in (self.documents, self.incoming):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            what = f"cannot be made ({error.strerror or error})"
            raise DeadheatError(what, str(root), "name a folder that can be written with --intake") from error

    def require_space(self, size: int) -> None:
        """Raises an error unless a document of this size fits."""
        if size > self.max_bytes:
            raise TooLargeError(f"The document is larger than {self.max_bytes} bytes.")
        if shutil.disk_usage(self.root).free < self.free_bytes + size:
            raise NoSpaceError("There is no space for the document.")

    def receive(self, encoding: str) -> IncomingDocument:
        self.require_space(0)
        return IncomingDocument(self, encoding)

    def files_of(self, digest: str) -> list[Path]:
        """The file of a document; none if it was removed, or never arrived here."""
        return [path for path in (self.documents / digest).rglob("*") if path.is_file()]

    def remove_abandoned(self) -> int:
        """Removes what servers that were killed have begun to receive; returns how many documents."""
        count = 0
        for folder in self.incoming.iterdir():
            try:
                if time.time() - folder.stat().st_mtime < _LEAST_ABANDONED_SECONDS or _is_locked(folder / "lock"):
                    continue
                shutil.rmtree(folder)
                count += 1
            except OSError:  # another server removes it
                continue
        return count


def _is_locked(path: Path) -> bool:
    try:
        with path.open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


class IncomingDocument:
    """A document that is being received. `close` removes what `finish` has not put in place."""

    def __init__(self, intake: IntakeFolder, encoding: str) -> None:
        self._intake = intake
        self._decoder = _DECODERS[encoding]()
        self._hash = sha256()
        self.size = 0
        self._checked_at = 0
        self._folder = intake.incoming / secrets.token_hex(16)
        with _disk_errors():
            self._folder.mkdir()
            self._lock = open(self._folder / "lock", "wb")  # noqa: SIM115, closed by `close`
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self._file = open(self._folder / "content", "wb")  # noqa: SIM115

    def write(self, data: bytes) -> None:
        """Adds a part of the body."""
        for block in self._decoder.decode(data):
            self.size += len(block)
            if self.size > self._intake.max_bytes:
                raise TooLargeError(f"The document is larger than {self._intake.max_bytes} bytes.")
            if self.size - self._checked_at > _CHECK_BYTES:
                self._checked_at = self.size
                self._intake.require_space(0)
            self._hash.update(block)
            with _disk_errors():
                self._file.write(block)

    def finish(self) -> str:
        """The digest of the complete content, which is on disk."""
        self._decoder.finish()
        with _disk_errors():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        return self._hash.hexdigest()

    def place(self, digest: str, name: str, run: CiRun) -> None:
        """Puts the document where an ingest finds it, unless its content is there."""
        with _disk_errors():
            document = self._folder / "document"
            folder = document.joinpath(*run_folders(run))
            folder.mkdir(parents=True)
            (self._folder / "content").rename(folder / safe_name(name))
            while folder != self._folder:
                _sync_folder(folder)
                folder = folder.parent
            try:
                document.rename(self._intake.documents / digest)
            except OSError as error:
                if error.errno not in _EXISTS:
                    raise
            _sync_folder(self._intake.documents)

    def close(self) -> None:
        self._file.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._lock.close()


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _disk_errors() -> Iterator[None]:
    """Reports a full disk as such."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL_DISK:
            raise NoSpaceError("There is no space for the document.") from error
        raise


# -- encodings ---------------------------------------------------------------------------------------

_BLOCK_BYTES = 1 << 20
# these become at most 8 MiB: a block of Zstandard has at least 4 bytes and at most 128 KiB of content
_ZSTANDARD_BYTES = 256


class _IdentityDecoder:
    def decode(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None: ...


class _GzipDecoder:
    """Decodes gzip members, a block at a time."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)
        self._is_begun = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        is_full = False
        while data or is_full:
            self._is_begun = True
            try:
                block = self._stream.decompress(data, _BLOCK_BYTES)
            except zlib.error as error:
                raise EncodingError("The body is not gzip.") from error
            yield block
            data, is_full = self._stream.unconsumed_tail, len(block) == _BLOCK_BYTES
            if self._stream.eof:
                data, is_full = self._stream.unused_data, False
                self._stream, self._is_begun = zlib.decompressobj(wbits=31), False

    def finish(self) -> None:
        if self._is_begun:
            raise EncodingError("The gzip stream of the body is not complete.")


class _ZstandardDecoder:
    """Decodes frames of Zstandard, a block at a time."""

    def __init__(self) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        self._stream = self._decompressor.decompressobj()
        self._is_begun = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        position = 0
        while position < len(data):
            self._is_begun = True
            part = data[position : position + _ZSTANDARD_BYTES]
            try:
                block = self._stream.decompress(part)
            except self._error as error:
                raise EncodingError("The body is not Zstandard, or needs too much memory.") from error
            position += len(part)
            yield block
            if self._stream.eof:
                position -= len(self._stream.unused_data)
                self._stream, self._is_begun = self._decompressor.decompressobj(), False

    def finish(self) -> None:
        if self._is_begun:
            raise EncodingError("The Zstandard stream of the body is not complete.")


_DECODERS: dict[str, type[_IdentityDecoder | _GzipDecoder | _ZstandardDecoder]] = {
    "": _IdentityDecoder, "identity": _IdentityDecoder, "gzip": _GzipDecoder, "x-gzip": _GzipDecoder,
    "zstd": _ZstandardDecoder,
}  # fmt: skip


def is_known_encoding(encoding: str) -> bool:
    if encoding == "zstd":
        from importlib.util import find_spec

        return find_spec("zstandard") is not None
    return encoding in _DECODERS
