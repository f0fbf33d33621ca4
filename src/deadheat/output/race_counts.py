"""Counts the sightings of each race; batches are kept in memory up to a limit, then in a temporary file."""

from __future__ import annotations

import pickle
from array import array
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from deadheat.grouping.fingerprint import title_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from deadheat.model import Document, Sighting


_MAX_BYTES_IN_MEMORY: Final = 1 << 21
# texts are mostly read in order
_FILE_BUFFER_SIZE: Final = 1 << 16


class SpillBuffer:
    """Stores texts by offset and size."""

    def __init__(self) -> None:
        self._memory = bytearray()
        self._file_size = 0  # bytes in the file
        self._file: IO[bytes] | None = None

    def store_text(self, text: bytes) -> int:
        """Stores a text and returns its offset."""
        offset = self._file_size + len(self._memory)
        self._memory += text
        if len(self._memory) > _MAX_BYTES_IN_MEMORY:
            self._write_to_file()
        return offset

    def read_text(self, offset: int, size: int) -> bytes:
        if self._file is None or offset >= self._file_size:
            return bytes(self._memory[offset - self._file_size : offset - self._file_size + size])
        self._file.seek(offset)
        return self._file.read(size)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _write_to_file(self) -> None:
        from tempfile import TemporaryFile  # rarely needed, slow to import

        self._file = self._file or TemporaryFile(buffering=_FILE_BUFFER_SIZE)  # noqa: SIM115
        self._file.seek(self._file_size)
        self._file.write(self._memory)
        self._file_size += len(self._memory)
        self._memory = bytearray()


# a text with gaps: its pieces, one more than there are gaps; the index of the value for each gap; how
# many of the values, from the first, are race ids
LineTemplate = tuple[list[bytes], list[int], int]

# bytes joined at a time, small enough for the processor cache
_CHUNK_SIZE: Final = 1 << 18


class LinePacker:
    """Takes lines in order, either as values for a template or complete."""

    def __init__(self) -> None:
        self._templates: list[LineTemplate] = []
        self._template_numbers = array("I")  # of the filled templates, in order
        self._gap_values: list[bytes] = []  # the values of each, separated by blanks
        self._unique_lines = _UniqueLines()

    def add_template(self, template: LineTemplate) -> int:
        """Adds the template of a line with its newline; the number is valid until `pack_lines`."""
        self._templates.append(template)
        return len(self._templates) - 1

    def add_filled_template(self, number: int, values: list[bytes]) -> None:
        """Adds a line: a template and its values, which contain no blanks."""
        if self._unique_lines.size:
            self._flush_unique_lines()
        self._template_numbers.append(number)
        self._gap_values.append(b" ".join(values))

    def add_unique_line(self, pieces: list[bytes], races: list[bytes]) -> None:
        """Adds a line without a template: its pieces and the race ids between them."""
        self._unique_lines.add_line(pieces, races)
        if self._unique_lines.size > _CHUNK_SIZE:
            self._flush_unique_lines()

    def _flush_unique_lines(self) -> None:
        unique_lines, self._unique_lines = self._unique_lines, _UniqueLines()
        self.add_filled_template(self.add_template(unique_lines.as_template()), unique_lines.races)

    def pack_lines(self) -> bytes:
        """Returns all lines packed and resets; empty if there are none."""
        if self._unique_lines.size:
            self._flush_unique_lines()
        if not self._gap_values:
            return b""
        content = self._templates, self._template_numbers, b"\n".join(self._gap_values)
        packed = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
        self._templates, self._template_numbers, self._gap_values = [], array("I"), []
        return packed


class _UniqueLines:
    """Consecutive lines without a template, stored as one template."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.races: list[bytes] = []
        self.size = 0

    def add_line(self, pieces: list[bytes], races: list[bytes]) -> None:
        if self.size:
            self._pieces[-1] = b"\n".join([self._pieces[-1], pieces[0]])
            self._pieces += pieces[1:]
        else:
            self._pieces = pieces
        self.races += races
        self.size += len(pieces[-1])

    def as_template(self) -> LineTemplate:
        self._pieces[-1] += b"\n"
        return self._pieces, list(range(len(self.races))), len(self.races)


def unpack_lines(packed: bytes, ids: Mapping[str, str]) -> Iterator[bytes]:
    """Yields the lines with their final race ids, in chunks."""
    templates: list[LineTemplate]
    numbers: array[int]
    joined_values: bytes
    templates, numbers, joined_values = pickle.loads(packed)  # noqa: S301, packed by LinePacker
    lines = [_with_gaps(pieces) for pieces, _, _ in templates]
    sizes = [sum(map(len, line)) for line in lines]
    chunk: list[bytes] = []
    size = 0
    for number, line_values in zip(numbers, joined_values.split(b"\n"), strict=True):
        _, gaps, races = templates[number]
        line, values = lines[number], line_values.split(b" ")
        for index in range(races):
            race = values[index].decode()
            values[index] = ids.get(race, race).encode()
        line[1::2] = [values[gap] for gap in gaps]
        chunk += line
        size += sizes[number]
        if size > _CHUNK_SIZE:
            yield b"".join(chunk)
            chunk.clear()
            size = 0
    if chunk:
        yield b"".join(chunk)


def _with_gaps(pieces: list[bytes]) -> list[bytes]:
    """The pieces with an empty item between each two."""
    line = [b""] * (2 * len(pieces) - 1)
    line[::2] = pieces
    return line


class PackedLineStore:
    """Packed lines in the order in which they were added."""

    def __init__(self) -> None:
        self._buffer = SpillBuffer()
        self._spans: list[tuple[int, int]] = []

    def add_packed(self, packed: bytes) -> None:
        if packed:
            self._spans.append((self._buffer.store_text(packed), len(packed)))

    def iter_lines(self, ids: Mapping[str, str]) -> Iterator[bytes]:
        """Yields all lines with their final race ids, in chunks."""
        for offset, size in self._spans:
            yield from unpack_lines(self._buffer.read_text(offset, size), ids)
        self._buffer.close()


_NEWLINE: Final = "\n"
_NEWLINE_PLACEHOLDER: Final = "\0"
# places listed per race
MAX_PLACES: Final = 3
# variant, order of its example, sightings, damage, title, places, offset and size of the example
_CountRow = tuple[str, int, int, int, str, str, int, int]


class ReportPlace(NamedTuple):
    """The document of a report, and its first byte there."""

    uri: str
    offset: int


class RaceCount:
    """The count of a race; its example is in a `SpillBuffer`."""

    def __init__(
        self,
        variant: str,
        order: int,
        sighting_count: int,
        damage: int,
        title: str,
        places: str,
        example_offset: int,
        example_size: int,
    ) -> None:
        self.variant = variant
        self.order = order
        self.sighting_count = sighting_count
        self.damage = damage
        self.title = title
        self.places = places  # "936 ci.log", one per line
        self.example_offset = example_offset
        self.example_size = example_size

    def add_count(self, other: RaceCount) -> None:
        """Adds another count of the same race."""
        self.sighting_count += other.sighting_count
        if self.places.count("\n") < MAX_PLACES - 1:
            self.places = f"{self.places}\n{other.places}"
        if other.example_size and other.example_rank < self.example_rank:
            self.order, self.damage, self.title = other.order, other.damage, other.title
            self.example_offset, self.example_size = other.example_offset, other.example_size

    @property
    def example_rank(self) -> tuple[int, tuple[bool, str], int]:
        """Sorts the example that a race is shown with first, in the order that lakes and dossiers use too."""
        return self.damage, title_rank(self.title), self.order

    @property
    def sort_key(self) -> tuple[int, int, int]:
        """Sorts by sightings (most first), damage of the example, then arrival."""
        return -self.sighting_count, self.damage, self.order

    @property
    def database_row(self) -> _CountRow:
        return (
            self.variant, self.order, self.sighting_count, self.damage, self.title, self.places,
            self.example_offset, self.example_size,
        )  # fmt: skip


def join_variants(ids: Mapping[str, str], variants: Mapping[str, RaceCount]) -> dict[str, RaceCount]:
    """Merges the counts of variants into one count per race."""
    races: dict[str, RaceCount] = {}
    for variant, count in variants.items():
        race = ids.get(variant, variant)
        known = races.get(race)
        if known is None:
            races[race] = count
        else:
            known.add_count(count)
    return races


def _database_rows(counts: Iterable[RaceCount]) -> Iterator[_CountRow]:
    # mypyc turns a generator expression into a list
    for count in counts:
        yield count.database_row


class RaceCountDatabase:
    """Counts in a temporary SQLite file, which only sorts them."""

    def __init__(self) -> None:
        import sqlite3  # rarely needed

        self._connection = sqlite3.connect("", isolation_level=None)
        columns = "node TEXT, n INT, seen INT, damage INT, title TEXT, places TEXT, at INT, size INT"
        self._connection.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;"
            f"CREATE TABLE posted ({columns}); CREATE TABLE raced (race TEXT, {columns});"
            "CREATE TABLE name (node TEXT PRIMARY KEY, race TEXT) WITHOUT ROWID; BEGIN"
        )

    def insert_counts(self, counts: Iterable[RaceCount]) -> None:
        """Inserts counts; a race may occur more than once."""
        self._connection.executemany("INSERT INTO posted VALUES (?, ?, ?, ?, ?, ?, ?, ?)", _database_rows(counts))

    def assign_races(self, ids: Mapping[str, str]) -> None:
        """Joins the variants of each race."""
        self._connection.executemany("INSERT INTO name VALUES (?, ?)", ids.items())
        self._connection.executemany("INSERT INTO raced VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._joined_rows())

    def _joined_rows(self) -> Iterator[tuple[str | int, ...]]:
        for race, count in self._joined_counts():
            yield (race, *count.database_row)

    def _joined_counts(self) -> Iterator[tuple[str, RaceCount]]:
        rows = self._connection.execute(
            "SELECT coalesce(race, node), posted.* FROM posted LEFT JOIN name USING (node) ORDER BY 1, n"
        )
        last: tuple[str, RaceCount] | None = None
        for race, *row in rows:
            count = RaceCount(*row)
            if last is not None and last[0] == race:
                last[1].add_count(count)
                continue
            if last is not None:
                yield last
            last = race, count
        if last is not None:
            yield last

    def count_totals(self) -> tuple[int, int]:
        """The number of races and of sightings."""
        races, sighting_count = self._connection.execute("SELECT count(*), total(seen) FROM raced").fetchone()
        return int(races), int(sighting_count)

    def iter_races(self) -> Iterator[tuple[str, RaceCount]]:
        """Yields every race in the order of `sort_key`."""
        for race, *row in self._connection.execute("SELECT * FROM raced ORDER BY seen DESC, damage, n"):
            yield race, RaceCount(*row)

    def close(self) -> None:
        self._connection.close()


# beyond this a worker may send an example again, and counts are written to a file
_MAX_RACES_IN_MEMORY: Final = 1 << 16

# count of a race in one process since the last batch: sightings, places, damage and title of the example, and
# the example, or None if a good one was sent before; a tuple, because it is made for every sighting
PackedCount = tuple[int, list[str], int, str, bytes | None]


class CountedRace(NamedTuple):
    """A race with its number of sightings and their first locations."""

    title: str
    body: bytes
    sighting_count: int
    places: list[ReportPlace]
    race: str


class RaceCountCollector:
    """Counts sightings in a worker. `render` is called once per race, not once per sighting.

    The example does not contain the race id, which is known only at the end.
    """

    def __init__(self, render: Callable[[Sighting], bytes]) -> None:
        self._render = render
        self._counts: dict[str, PackedCount] = {}
        self._sent_ranks: dict[str, tuple[int, str]] = {}

    def add_sighting(self, sighting: Sighting) -> None:
        verdict = sighting.verdict
        race, title = verdict.race, verdict.title
        sighting_count, places, least_damage, best_title, example = self._counts.get(race) or self._initial_count(race)
        if len(places) < MAX_PLACES:
            # a file name may contain a newline, and no NUL
            places.append(f"{sighting.span.offset} {sighting.uri.replace(_NEWLINE, _NEWLINE_PLACEHOLDER)}")
        # duplicates share their title
        if least_damage or (title is not best_title and title != best_title):
            damage = damage_score(sighting)
            if (damage, title_rank(title)) < (least_damage, title_rank(best_title)):
                least_damage, best_title, example = damage, title, self._render(sighting)
        self._counts[race] = sighting_count + 1, places, least_damage, best_title, example

    def add_document(self, document: Document) -> None:
        """Does nothing: the examples contain the claims."""

    def _initial_count(self, race: str) -> PackedCount:
        damage, title = self._sent_ranks.get(race, (1 << 30, ""))
        return 0, [], damage, title, None

    def pack_batch(self) -> dict[str, PackedCount]:
        packed, self._counts = self._counts, {}
        if len(self._sent_ranks) > _MAX_RACES_IN_MEMORY:
            self._sent_ranks.clear()
        self._sent_ranks.update((race, (count[2], count[3])) for race, count in packed.items())
        return packed


def damage_score(sighting: Sighting) -> int:
    """How unsuitable a report is as an example: damage first, then a missing access."""
    report = sighting.source.original
    return 2 * len(report.damage) + (len(report.accesses) < 2)


class RaceCounter:
    """Merges the counts of all workers, for any number of races."""

    def __init__(self, max_in_memory: int = _MAX_RACES_IN_MEMORY) -> None:
        self._max_in_memory = max_in_memory
        self._examples = SpillBuffer()
        self._counts: dict[str, RaceCount] = {}  # by variant; by race after `assign_races`
        self._database: RaceCountDatabase | None = None
        self._order = 0

    def merge_counts(self, counts: dict[str, PackedCount]) -> None:
        for variant, (sighting_count, places, damage, title, example) in counts.items():
            self._order += 1
            offset = size = 0
            if example is not None:
                offset, size = self._examples.store_text(example), len(example)
            count = RaceCount(variant, self._order, sighting_count, damage, title, "\n".join(places), offset, size)
            known = self._counts.get(variant)
            if known is None:
                self._counts[variant] = count
            else:
                known.add_count(count)
        if len(self._counts) > self._max_in_memory:
            self._move_to_database()

    def _move_to_database(self) -> RaceCountDatabase:
        self._database = self._database or RaceCountDatabase()
        self._database.insert_counts(self._counts.values())
        self._counts = {}
        return self._database

    def assign_races(self, ids: Mapping[str, str]) -> None:
        """Joins the variants of each race."""
        if self._database is not None:
            self._move_to_database().assign_races(ids)
        else:
            self._counts = join_variants(ids, self._counts)

    def count_totals(self) -> tuple[int, int]:
        """The number of races and of sightings."""
        if self._database is not None:
            return self._database.count_totals()
        return len(self._counts), sum(count.sighting_count for count in self._counts.values())

    def iter_races(self) -> Iterator[CountedRace]:
        """Yields every race with its least damaged example, most sightings first."""
        for race, count in self._database.iter_races() if self._database is not None else self._sorted_counts():
            body = self._examples.read_text(count.example_offset, count.example_size)
            places = [_parse_place(place) for place in count.places.split("\n")[:MAX_PLACES]]
            yield CountedRace(count.title, body, count.sighting_count, places, race)
        self._examples.close()
        if self._database is not None:
            self._database.close()

    def _sorted_counts(self) -> list[tuple[str, RaceCount]]:
        return sorted(self._counts.items(), key=lambda item: item[1].sort_key)


def _parse_place(text: str) -> ReportPlace:
    offset, _, uri = text.partition(" ")
    return ReportPlace(uri.replace(_NEWLINE_PLACEHOLDER, _NEWLINE), int(offset))
