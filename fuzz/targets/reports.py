"""Reports in text: found, read in any blocks, as duplicates, within other text, and written in every format."""

from __future__ import annotations

import io
import json
import re
import shlex
import time
from typing import TYPE_CHECKING
from unittest import mock
from xml.etree import ElementTree

from deadheat import api, plugins
from deadheat.model import Damage, Sighting
from deadheat.output import OutputStyle
from deadheat.parsing.report_reader import ReportReader
from deadheat.repo.reproduction import find_reproduction
from deadheat.text import decoding
from deadheat.text.window import StreamSource
from fuzz.checks import check_sighting, read_items, read_sightings
from fuzz.mutations import mutate_lines
from fuzz.seeds import case_texts, clean_reports
from fuzz.targets import FuzzTarget

if TYPE_CHECKING:
    from deadheat.model import Report, Span

_BLOCK_SIZES = (1, 7, 60, 300, 5000)
# numbers that differ between two occurrences of a report
_VOLATILE = re.compile(rb"0x[0-9a-f]{4,16}|goroutine [0-9]+")
_STYLE = OutputStyle()
_JSON_FORMATS = ("json", "sarif", "gitlab", "documents")
# a repeated text, and how much longer the second one is
_GROWTH_SIZE, _GROWTH = 1 << 13, 4
_MIN_GROWTH_SECONDS = 0.4
# "'a b'", "\"$(rustc -vV)\"", "\\;" in a command
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\\.")
# unquoted characters that a shell takes for more than a word
_SHELL_SYNTAX = frozenset(";|&<>()\n`")


def scan_text(data: bytes) -> None:
    for sighting in read_sightings(data, opt_in=data[:1] == b"\n"):
        check_sighting(sighting, len(data))


def scan_blocks(data: bytes) -> None:
    """The size of the blocks that are read does not change what is found."""
    size, data = _BLOCK_SIZES[data[0] % len(_BLOCK_SIZES)] if data else 1, data[1:]
    whole = list(api.read_sightings(StreamSource(io.BytesIO(data).read), "text"))
    file = io.BytesIO(data)
    assert list(api.read_sightings(StreamSource(lambda _: file.read(size)), "text")) == whole


def scan_duplicate(data: bytes) -> None:
    """A report is read in the same way before and after one that differs only in its numbers."""
    other = _VOLATILE.sub(_next_number, data)
    first, second = (ReportReader(plugins.default_detectors()) for _ in range(2))
    list(first.read_reports(StreamSource(io.BytesIO(other).read)))
    again = [(source.report(), span) for source, span in first.read_reports(StreamSource(io.BytesIO(data).read))]
    assert again == [
        (source.report(), span) for source, span in second.read_reports(StreamSource(io.BytesIO(data).read))
    ]


def scan_intact(data: bytes) -> None:
    """A report without damage is read by line as it is at once."""
    found = _reports_and_spans(data)
    with mock.patch.object(decoding, "is_clean", return_value=False):
        again = _reports_and_spans(data)
    assert found == again


def _reports_and_spans(data: bytes) -> list[tuple[Report, Span]]:
    """What a new reader finds. Stray bytes near a report are a damage only for the parser of lines."""
    found = ReportReader(plugins.default_detectors()).read_reports(StreamSource(io.BytesIO(data).read))
    reports = [(source.report(), span) for source, span in found]
    return [
        (report._replace(damage=tuple(one for one in report.damage if one is not Damage.STRAY_BYTES)), span)
        for report, span in reports
    ]


def _next_number(match: re.Match[bytes]) -> bytes:
    """Another number of the same length."""
    return match[0][:-1] + (b"1" if match[0].endswith(b"2") else b"2")


def scan_surrounded(data: bytes) -> None:
    """A report is found with its fingerprint whatever other text is around it."""
    reports = clean_reports()
    report = reports[data[0] % len(reports)] if data else reports[0]
    before, _, after = _foreign_text(data[1:]).partition("|")
    expected = {sighting.verdict.fingerprint for sighting in read_sightings(report)}
    text = before.encode() + b"\n" + report.rstrip(b"\n") + b"\n" + after.encode()
    found = {sighting.verdict.fingerprint for sighting in read_sightings(text)}
    assert expected <= found, (expected, found)


def _foreign_text(data: bytes) -> str:
    """Printable text in which no detector would look for a report."""
    text = "".join(
        character for character in data.decode("ascii", "ignore") if character.isprintable() or character == "\n"
    )
    lines = [line for line in text.split("\n") if not any(anchor in line.encode() for anchor in _anchors())]
    return "\n".join(lines)


def _anchors() -> list[bytes]:
    return [anchor for detector in plugins.all_detectors() for anchor in detector.anchors]


def scan_repeated(data: bytes) -> None:
    """The time grows in proportion to the size, for any text that is repeated."""
    if not data:
        return
    unit = data + b"\n"
    large = unit * (_GROWTH * _GROWTH_SIZE // len(unit) + 1)
    if (seconds := _processor_seconds(large)) < _MIN_GROWTH_SECONDS:
        return
    small = large[: len(large) // _GROWTH]
    seconds = min(seconds, *(_processor_seconds(large) for _ in range(2)))
    expected = _GROWTH * max(_processor_seconds(small) for _ in range(2))
    assert seconds < max(_MIN_GROWTH_SECONDS, 2.2 * expected), (seconds, expected)


def _processor_seconds(data: bytes) -> float:
    start = time.process_time()
    read_items(data)
    return time.process_time() - start


def write_formats(data: bytes) -> None:
    """JSON and XML are well-formed, and every format can be written."""
    sightings: list[Sighting] = []
    items = read_items(data)
    for name, output_format in plugins.output_formats().items():
        collector = output_format.new_collector(_STYLE)
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        writer = output_format.new_writer(out, _STYLE)
        for item in items:
            if isinstance(item, Sighting):
                collector.add_sighting(item)
                sightings.append(item)
            else:
                collector.add_document(item)
        writer.merge_batch(collector.pack_batch())
        writer.write_remaining({})
        out.flush()
        text = out.buffer.getvalue().decode()
        if name in _JSON_FORMATS:
            json.loads(text)
        elif name == "jsonl":
            for line in text.splitlines():
                json.loads(line)
        elif name == "junit":
            ElementTree.fromstring(text)  # our own output


def render_commands(data: bytes) -> None:
    """A command that reproduces a race has no shell syntax from the report."""
    for sighting in read_sightings(data):
        api.diagnose_sighting(sighting)
        found = find_reproduction(sighting.report)
        if found is not None and found.command and not found.from_document:
            shlex.split(found.command)
            # "make olddefconfig && make"
            allowed = "&" if found.framework == "kcsan" else ""
            assert not {*_QUOTED.sub("", found.command)} & _SHELL_SYNTAX - {*allowed}, found.command


def _numbered_cases() -> list[bytes]:
    return [bytes((number % 64,)) + text for number, text in enumerate(case_texts())]


def _foreign_seeds() -> list[bytes]:
    texts = (
        b"{}\n|{}",
        b'{"title": "x", "body": "',
        b"# Title\n\n|```",
        b"<testsuite>|</testsuite>",
        b"From a@b 2024\n|",
    )
    return [bytes((number,)) + text for number in range(7) for text in (*texts, b"2024-05-01T12:00:00Z ok\n" * 3)]


_LINES = (mutate_lines,)
TARGETS = (
    FuzzTarget("scan", scan_text, case_texts, _LINES, 8),
    FuzzTarget("scan-blocks", scan_blocks, _numbered_cases, _LINES, 3),
    FuzzTarget("scan-duplicate", scan_duplicate, case_texts, _LINES, 3),
    FuzzTarget("scan-intact", scan_intact, case_texts, _LINES, 3),
    FuzzTarget("scan-surrounded", scan_surrounded, _foreign_seeds, _LINES, 3, 1024),
    FuzzTarget(
        "scan-repeated",
        scan_repeated,
        lambda: [line for text in case_texts() for line in text.split(b"\n")[:3]],
        _LINES,
        3,
        300,
    ),
    FuzzTarget("output", write_formats, case_texts, _LINES, 3),
    FuzzTarget("commands", render_commands, case_texts, _LINES, 3),
)
