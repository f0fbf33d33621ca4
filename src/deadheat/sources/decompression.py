"""Decompresses gzip, bzip2, xz and zstd, with bounds on memory."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

from deadheat.errors import UnreadableError
from deadheat.sources import file_listing

if TYPE_CHECKING:
    from collections.abc import Callable

_READ_SIZE = 1 << 14
# 128 KiB of zstd can be packed in four bytes, and its decoder does not limit what it returns
_ZSTD_READ_SIZE = 1 << 10
MAX_OUTPUT = 1 << 16
# a decompressor that meets damage drops what it unpacked in the same call
_PIECE_SIZE = 1 << 12
# dictionaries of xz files are usually 8 MiB, at most 64 MiB with `xz -9`
_XZ_MEMORY = 1 << 28
_ZSTD_WINDOW = 1 << 27


class _Decompressor(Protocol):
    """The interface of the decompressors in bz2 and lzma."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipDecompressor:
    """The same for gzip."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self.may_end = False  # the checksum may be in the input
        self._error: zlib.error | None = None

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return self._error is None and not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if self._error is not None:
            raise self._error
        data = self._inner.unconsumed_tail + data
        saved = self._inner.copy() if self.may_end else None
        try:
            return self._inner.decompress(data, max_length)
        except zlib.error as error:
            if saved is None:
                raise
            self._error = error  # raised by the next call
            return _output_before_error(saved, data)


def _output_before_error(inner: Any, data: bytes) -> bytes:
    """What a decompressor gives byte by byte: it drops what it unpacked in the call that fails."""
    output = bytearray()
    try:
        while byte := inner.decompress(data, 1):
            output += byte
            data = inner.unconsumed_tail
    except zlib.error:
        pass
    return bytes(output)


class _ZstdDecompressor:
    """The same for zstd."""

    needs_input = True

    def __init__(self) -> None:
        import zstandard

        self._inner: Any = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        self._error: type[Exception] = zstandard.ZstdError

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        try:
            return bytes(self._inner.decompress(data))
        except self._error as error:
            raise OSError(str(error)) from error


class _CompressionFormat(NamedTuple):
    name: str
    new_decompressor: Callable[[], _Decompressor]
    matches: Callable[[bytes], bool]
    read_size: int = _READ_SIZE


_FORMATS = (
    _CompressionFormat("gzip", _GzipDecompressor, lambda head: head.startswith(file_listing.GZIP)),
    _CompressionFormat("bzip2", bz2.BZ2Decompressor, file_listing.is_bzip2),
    _CompressionFormat(
        "xz", lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY), lambda head: head.startswith(file_listing.XZ)
    ),
    _CompressionFormat(
        "zstd", _ZstdDecompressor, lambda head: head.startswith(file_listing.ZSTD), _ZSTD_READ_SIZE
    ),
)  # fmt: skip
# the empty stream of bzip2 has 14 bytes
_HEAD_SIZE = 14


def open_decompressor(file: IO[bytes], head: bytes, uri: str) -> DecompressedFile | None:
    """The decompressed content of a file that begins with `head`; None if it is not compressed."""
    for compression in _FORMATS:
        if compression.matches(head):
            if compression.name == "zstd":
                _require_zstandard(uri)
            return DecompressedFile(file, compression)
    return None


def _require_zstandard(uri: str) -> None:
    try:
        import zstandard  # noqa: F401
    except ImportError:
        raise UnreadableError("is compressed with zstd", uri, "pip install 'deadheat[zstd]' to read it") from None


class DecompressedFile(io.RawIOBase):
    """The content of consecutive compressed streams.

    What was unpacked before an error is returned first; then `read` raises EOFError or an error of the decompressor.
    """

    def __init__(self, file: IO[bytes], compression: _CompressionFormat) -> None:
        self._file, self._format = file, compression
        self._decompressor: _Decompressor | None = compression.new_decompressor()
        self._input = b""
        self._unpacked = b""
        self._error: Exception | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        size = min(size, MAX_OUTPUT) if size >= 0 else MAX_OUTPUT
        if not self._unpacked:
            self._unpacked = self._unpack_block()
        data, self._unpacked = self._unpacked[:size], self._unpacked[size:]
        return data

    def _unpack_block(self) -> bytes:
        """Unpacks up to about `MAX_OUTPUT` bytes. An error is raised once the bytes before it have been returned."""
        pieces: list[bytes] = []
        size = 0
        try:
            while self._error is None and size < MAX_OUTPUT and (piece := self._unpack_piece()):
                pieces.append(piece)
                size += len(piece)
        except Exception as error:  # noqa: BLE001, raised by the next call
            self._error = error
        if self._error is not None and not pieces:
            raise self._error
        return b"".join(pieces)

    def _unpack_piece(self) -> bytes:
        while (decompressor := self._current_decompressor()) is not None:
            block, self._input = self._input, b""
            is_at_end = False
            if not block and decompressor.needs_input:
                block = self._file.read(self._format.read_size)
                is_at_end = not block
                if isinstance(decompressor, _GzipDecompressor):
                    decompressor.may_end = len(block) < self._format.read_size
            if data := decompressor.decompress(block, _PIECE_SIZE):
                return data
            if is_at_end and not decompressor.eof:
                raise EOFError("the data is cut off")
        return b""

    def _current_decompressor(self) -> _Decompressor | None:
        """The decompressor of the current stream, or of the next one; None after the last."""
        if self._decompressor is not None and self._decompressor.eof:
            self._input, self._decompressor = self._decompressor.unused_data, None
            self._input = self._skip_padding()
            if self._input:
                if not self._format.matches(self._input):
                    raise EOFError(f"what follows the {self._format.name} data is not {self._format.name}")
                self._decompressor = self._format.new_decompressor()
        return self._decompressor

    def _skip_padding(self) -> bytes:
        """The beginning of the next stream, without the zero bytes that tapes and xz put in front of it."""
        data = self._input.lstrip(b"\0")
        while len(data) < _HEAD_SIZE and (block := self._file.read(self._format.read_size)):
            data = (data + block).lstrip(b"\0")
        return data
