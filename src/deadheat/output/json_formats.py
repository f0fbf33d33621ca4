"""The formats `jsonl` (one line per report), `json` (one array) and `documents` (one array of bug reports)."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, Any

from deadheat import serialization
from deadheat.api import diagnose_sighting
from deadheat.output.race_counts import LinePacker, LineTemplate, PackedLineStore, unpack_lines
from deadheat.printable import format_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Document, Sighting
    from deadheat.output import OutputStyle


# in a JSON string a quote is escaped, so this never occurs in a text
_RACE_KEY = b'"race": "'
# indexes of the values that fill the gaps of a duplicate's line; the varying values come last
_RACE_GAP, _OFFSET_GAP, _LENGTH_GAP, _FIRST_NAME_GAP = range(4)


class DuplicateTemplate:
    """The JSON of a duplicated report with gaps for the values of `_gap_values_of`."""

    def __init__(self, sighting: Sighting) -> None:
        # numbers that are in no other text show where the numbers of a report are
        sighting = sighting._replace(source=sighting.source.with_placeholders())
        record = serialization.sighting_to_wire(diagnose_sighting(sighting))
        position = [*record].index("document")
        before_document, after_document = dict([*record.items()][:position]), dict([*record.items()][position + 1 :])
        self._text_before_race, after_race = _split_at_race(_to_json(before_document)[:-1])
        self._pieces, self._gaps = _split_at_names(after_race, sighting.source.volatile_values)
        self._text_after_document = b", %s\n" % _to_json(after_document)[1:]

    def line_template(self, uri: str, stream: str | None) -> LineTemplate:
        """The template for duplicates in that document."""
        *pieces, last = self._pieces
        document_pieces = [
            b'%s, "document": {"uri": %s, "offset": ' % (last, _to_json(uri)),
            b', "length": ',
            b', "lane": %s}%s' % (_to_json(stream), self._text_after_document),
        ]
        return (
            [self._text_before_race, *pieces, *document_pieces],
            [_RACE_GAP, *self._gaps, _OFFSET_GAP, _LENGTH_GAP],
            1,
        )


def _gap_values_of(sighting: Sighting) -> list[bytes]:
    span = sighting.span
    position = str(span.offset).encode(), str(span.length).encode()
    return [sighting.verdict.race.encode(), *position, *sighting.source.volatile_values]


def _split_at_names(text: bytes, names: tuple[bytes, ...]) -> tuple[list[bytes], list[int]]:
    """Splits the text at the varying values; returns the pieces and the gap indexes."""
    pieces, gaps, end = [], [], 0
    for match in re.finditer(b"|".join(dict.fromkeys(names)), text):
        pieces.append(text[end : match.start()])
        gaps.append(_FIRST_NAME_GAP + names.index(match[0]))
        end = match.end()
    return [*pieces, text[end:]], gaps


def _split_at_race(line: bytes) -> tuple[bytes, bytes]:
    """The text before and after the race id of a report."""
    before, key, rest = line.partition(_RACE_KEY)
    return before + key, rest[rest.index(b'"') :]


def _to_json(value: Any) -> bytes:
    return format_json(value).encode()


class JsonLinesCollector:
    def __init__(self) -> None:
        self._packer = LinePacker()
        self._template_numbers: dict[tuple[DuplicateTemplate, str, str | None], int] = {}

    def add_sighting(self, sighting: Sighting) -> None:
        if sighting.source.volatile_values and sighting.document is None:
            self._packer.add_filled_template(self._template_number(sighting), _gap_values_of(sighting))
        else:
            line = _to_json(serialization.sighting_to_wire(diagnose_sighting(sighting)))
            self._packer.add_unique_line([*_split_at_race(line)], [sighting.verdict.race.encode()])

    def _template_number(self, sighting: Sighting) -> int:
        derived = sighting.source.derived
        template = derived.prepared
        if not isinstance(template, DuplicateTemplate):
            derived.prepared = template = DuplicateTemplate(sighting)
        uri, stream = sighting.uri, sighting.span.stream
        number = self._template_numbers.get((template, uri, stream))
        if number is None:
            number = self._packer.add_template(template.line_template(uri, stream))
            self._template_numbers[template, uri, stream] = number
        return number

    def add_document(self, document: Document) -> None:
        """Does nothing: the lines of its reports contain its claims."""

    def pack_batch(self) -> bytes:
        self._template_numbers.clear()
        return self._packer.pack_lines()


class JsonLinesWriter:
    def __init__(self, out: IO[str]) -> None:
        out.flush()
        self._out: IO[bytes] = out.buffer  # type: ignore[attr-defined]
        self._store = PackedLineStore()

    def merge_batch(self, packed: bytes) -> None:
        self._store.add_packed(packed)

    def write_live(self, packed: bytes) -> None:
        if packed:
            self._out.writelines(unpack_lines(packed, {}))
            self._out.flush()

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        self._out.writelines(self._store.iter_lines(ids))
        self._out.flush()


class JsonLinesFormat:
    name = "jsonl"
    prints_at_end = False

    def new_collector(self, style: OutputStyle) -> JsonLinesCollector:
        return JsonLinesCollector()

    def new_writer(self, out: IO[str], style: OutputStyle) -> JsonLinesWriter:
        return JsonLinesWriter(out)


JSONL_FORMAT = JsonLinesFormat()


class JsonArrayWriter:
    """Writes element by element, in memory that does not grow with the number of reports."""

    def __init__(self, out: IO[str]) -> None:
        out.flush()
        self._out: IO[bytes] = out.buffer  # type: ignore[attr-defined]
        self._store = PackedLineStore()

    def merge_batch(self, packed: bytes) -> None:
        self._store.add_packed(packed)

    write_live = merge_batch  # an incomplete array is of no use

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        separator = b"["
        for text in self._store.iter_lines(ids):
            self._out.write(separator + b"\n")
            self._out.write(text[:-1].replace(b"\n", b",\n"))
            separator = b","
        self._out.write(b"[]\n" if separator == b"[" else b"\n]\n")
        self._out.flush()


class JsonFormat:
    name = "json"
    prints_at_end = False

    def new_collector(self, style: OutputStyle) -> JsonLinesCollector:
        return JsonLinesCollector()

    def new_writer(self, out: IO[str], style: OutputStyle) -> JsonArrayWriter:
        return JsonArrayWriter(out)


JSON_FORMAT = JsonFormat()


class DocumentsCollector:
    """A bug report is added before its sightings. Sightings outside a bug report are skipped."""

    def __init__(self) -> None:
        self._documents: list[dict[str, Any]] = []

    def add_document(self, document: Document) -> None:
        self._documents.append({**serialization.document_to_wire(document), "reports": []})

    def add_sighting(self, sighting: Sighting) -> None:
        if sighting.document is not None and self._documents:
            self._documents[-1]["reports"].append(_report_entry(sighting))

    def pack_batch(self) -> bytes:
        packer = LinePacker()
        for document in self._documents:
            packer.add_unique_line(*_split_at_races(_to_json(document)))
        self._documents = []
        return packer.pack_lines()


def _split_at_races(line: bytes) -> tuple[list[bytes], list[bytes]]:
    """Splits a line into the pieces around race ids, and the race ids."""
    first, *rest = line.split(_RACE_KEY)
    pieces, races = [first], []
    for piece in rest:
        race, quote, after = piece.partition(b'"')
        pieces[-1] += _RACE_KEY
        pieces.append(quote + after)
        races.append(race)
    return pieces, races


def _report_entry(sighting: Sighting) -> dict[str, Any]:
    return {
        "title": sighting.verdict.title,
        "race": sighting.verdict.race,
        "detector": sighting.report.detector,
        "kind": sighting.report.kind,
        "offset": sighting.span.offset,
        "length": sighting.span.length,
    }


class DocumentsFormat:
    name = "documents"
    prints_at_end = False

    def new_collector(self, style: OutputStyle) -> DocumentsCollector:
        return DocumentsCollector()

    def new_writer(self, out: IO[str], style: OutputStyle) -> JsonArrayWriter:
        return JsonArrayWriter(out)


DOCUMENTS_FORMAT = DocumentsFormat()

FORMATS = (JSONL_FORMAT, JSON_FORMAT, DOCUMENTS_FORMAT)
