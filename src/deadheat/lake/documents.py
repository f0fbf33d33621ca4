"""What identifies a document in a lake, and what it contained when it was read.

A document of a CI run is a file of that run: reading it again replaces its sightings. Any other document is its
content: a file that was overwritten is another document, and its earlier sightings stay. A file that has grown is
the same document in both cases. Equal content within one run, or among documents without a run, counts once."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from deadheat.model import CiRun

    JsonDict = dict[str, Any]

# bytes at the beginning and end of a file that tell whether it was only appended to
END_BYTES = 4096
_CHECKSUM_BITS = 62
DIGEST_SIZE = 16


def bytes_digest(data: bytes) -> str:
    return blake2b(data, digest_size=DIGEST_SIZE).hexdigest()


def _text_digest(*parts: object) -> str:
    return bytes_digest("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"))


def document_id(uri: str, run: CiRun, size: int, modified: float, etag: str) -> str:
    if run.run is not None:
        return _text_digest(uri, run.repo or "", run.run, run.job or "")
    return _text_digest(uri, size, etag or round(modified, 6))


def stream_id(uri: str) -> str:
    """The document of a stream of log records, which grows with each ingest."""
    return _text_digest(uri)


def scope_of(row: JsonDict) -> tuple[str | None, str | None]:
    """Within which equal content counts once."""
    return (row["repo"], row["run"]) if row["run"] is not None else (None, None)


class KnownDocument(NamedTuple):
    """What the lake knows of a document that may have grown."""

    document: str
    length: int
    head: str
    tail: str
    sightings: int
    checksum: int
    state: int  # of the lake when it was read
    uri: str  # where it was read last


class FileContent(NamedTuple):
    """What was read of a file. The sums are those of the sightings that were read."""

    document: str
    uri: str
    length: int = 0
    head: str = ""
    tail: str = ""
    decoded_ends: str = ""  # digest of length, head and tail after decompression
    sightings: int = 0
    checksum: int = 0
    replaces_from: int = 0  # sightings from this offset on are replaced
    continues: KnownDocument | None = None  # a file that is read as a whole: the document that it begins with
    has_grown: bool = False  # the file begins with all that was read before

    def merged_with(self, other: FileContent) -> FileContent:
        """The content of two ranges of a file."""
        first = self if self.head else other
        return first._replace(
            sightings=self.sightings + other.sightings,
            checksum=(self.checksum + other.checksum) & ((1 << _CHECKSUM_BITS) - 1),
            replaces_from=min(self.replaces_from, other.replaces_from),
        )


def sighting_checksum(file: str, row: JsonDict) -> int:
    """A hash of a sighting. Sums of it tell whether two documents have the same sightings."""
    position = row["uri"].removeprefix(file), row["offset"], row["length"], row["lane"]
    digest = blake2b(f"{position}{row['report']}{row['names']}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) & ((1 << _CHECKSUM_BITS) - 1)


def add_checksums(*numbers: int) -> int:
    return sum(numbers) & ((1 << _CHECKSUM_BITS) - 1)


def subtract_checksum(number: int, other: int) -> int:
    return (number - other) & ((1 << _CHECKSUM_BITS) - 1)


def ends_digest(length: int, head: str, tail: str) -> str:
    return _text_digest(length, head, tail)


def content_id(row: JsonDict) -> tuple[Any, ...] | None:
    """What equal contents have in common; None if there are no sightings, which need not be told apart."""
    if not row["sightings"]:
        return None
    return (*scope_of(row), row["content"], row["sightings"], row["checksum"])
