"""Text for a terminal: each race once, with its two accesses side by side."""

from __future__ import annotations

import codecs
from typing import IO, TYPE_CHECKING, Final

from deadheat.grouping.fingerprint import fingerprint_parts, version_of
from deadheat.grouping.keys import grouping_key_of, race_address
from deadheat.model import Access, Actor, ActorState, Frame, Location, Origin, Report
from deadheat.output.race_counts import PackedCount, RaceCountCollector, RaceCounter, encode_example
from deadheat.printable import visible_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deadheat.model import Claim, Document, Sighting
    from deadheat.output import OutputStyle

_RUNTIME: Final = Origin.RUNTIME
_TEST: Final = Origin.TEST
_GENERATED: Final = Origin.GENERATED
_COLOUR_CODES: Final = {"bold": "1", "dim": "2", "red": "31", "yellow": "33", "cyan": "36"}
_MIN_WIDTH_FOR_COLUMNS: Final = 96
# bytes written at once
_BLOCK_SIZE: Final = 1 << 16
# replaced by "…" at the end: one non-Latin-1 character doubles the memory of a string;
# `visible_text` removes it from documents
_ELLIPSIS_PLACEHOLDER: Final = "\0"
# the kinds of claims that are shown, and the text before their value
_CLAIM_PREFIXES: Final = {
    "version": "",
    "suspect": "suspects",
    "workaround": "workaround:",
    "setting": "needs",
    "injection": "injected",
}


class TextPainter:
    """Colours text if colours are enabled."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, colour_name: str) -> str:
        return f"\x1b[{_COLOUR_CODES[colour_name]}m{text}\x1b[0m" if self.colour and text else text


class TextWriter:
    """Prints each race with its count at the end."""

    def __init__(self, out: IO[str], style: OutputStyle) -> None:
        self._out = out
        self._brief = style.brief
        self._paint = TextPainter(style.colour)
        self._counter = RaceCounter()

    def merge_batch(self, packed: dict[str, PackedCount]) -> None:
        self._counter.merge_counts(packed)

    def write_live(self, packed: dict[str, PackedCount]) -> None:
        self.merge_batch(packed)  # each race is printed once, at the end

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        paint = self._paint
        self._counter.assign_races(ids)
        races, sightings = self._counter.count_totals()
        blocks = _BlockWriter(_bytes_writer(self._out))
        write = blocks.add_text
        for number, race in enumerate(self._counter.iter_races(), 1):
            if self._brief:
                count, first_location = f"{race.sighting_count:6}x", visible_text(race.locations[0])
                title = f"{race.title}  {race.race}"
                write(f"{paint(count, 'yellow')} {title}  {paint(first_location, 'dim')}\n".encode())
                continue
            count_note = paint(f"  seen {race.sighting_count} times", "yellow") if race.sighting_count > 1 else ""
            locations = "".join([paint(f"   {visible_text(location)}", "dim") + "\n" for location in race.locations])
            title_line = paint(f"{number}. {race.title}", "bold")
            first_line_end = race.body.find(b"\n")
            heading = _race_heading(race.race, race.body[:first_line_end].decode(), paint)
            write(f"{title_line}{count_note}\n{locations}{heading}".encode())
            write(race.body[first_line_end:])
            write(b"\n\n")
        if races:
            totals = f"{races} race{'s' * (races > 1)}, {sightings} sighting{'s' * (sightings > 1)}"
            write(f"{paint(totals, 'bold')}\n".encode())
        blocks.flush()
        self._out.flush()


def _race_heading(race: str, facts: str, paint: TextPainter) -> str:
    return paint(f"   {race}  {facts}", "dim")


def _bytes_writer(out: IO[str]) -> Callable[[bytes], object]:
    """A function that writes UTF-8 bytes, directly if that is the encoding of the stream."""
    raw, encoding = getattr(out, "buffer", None), getattr(out, "encoding", None)
    if raw is None or codecs.lookup(encoding or "utf-8").name != "utf-8":
        return lambda text: out.write(text.decode())
    out.flush()
    write: Callable[[bytes], object] = raw.write
    return write


class _BlockWriter:
    """Joins texts into blocks, for fewer writes."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._pending: list[bytes] = []
        self._size = 0

    def add_text(self, text: bytes) -> None:
        self._pending.append(text)
        self._size += len(text)
        if self._size > _BLOCK_SIZE:
            self.flush()

    def flush(self) -> None:
        self._write(b"".join(self._pending))
        self._pending, self._size = [], 0


class RaceText:
    """Formats a race as lines for a terminal."""

    def __init__(self, style: OutputStyle) -> None:
        self._style = style
        self._paint = TextPainter(style.colour)
        # width of a column; 0 if the accesses are shown below each other
        self._column_width = (style.width - 6) // 2 if style.width >= _MIN_WIDTH_FOR_COLUMNS else 0

    def __call__(self, sighting: Sighting) -> tuple[str, str]:
        """Returns title and body."""
        facts, *lines = self._body_lines(sighting)
        head = _race_heading(sighting.verdict.race, facts, self._paint)
        body = "\n".join([head, *lines]).replace(_ELLIPSIS_PLACEHOLDER, "…")
        return visible_text(sighting.verdict.title), body

    def render_example(self, sighting: Sighting) -> bytes:
        """Returns title and body encoded as an example for `RaceCounter`."""
        lines = [] if self._style.brief else self._body_lines(sighting)
        body = "\n".join(lines).encode().replace(_ELLIPSIS_PLACEHOLDER.encode(), "…".encode())
        return encode_example(visible_text(sighting.verdict.title), body)

    def _body_lines(self, sighting: Sighting) -> list[str]:
        """The line of facts, without the race id, and the lines below it."""
        report = sighting.report
        claims = self._claim_lines(sighting.document)
        identity = self._identity_lines(report) if self._style.why else []
        accesses = self._access_lines(report, sighting.source.is_printable)
        facts = self._report_facts(report)
        return [facts, *claims, *identity, "", *accesses, *self._memory_lines(report.location)]

    def _identity_lines(self, report: Report) -> list[str]:
        """The parts of the fingerprint, and what else joins or separates races."""
        kind, *side_keys = fingerprint_parts(report)
        grouping_key = grouping_key_of(report)
        lines = [f"   fingerprint {grouping_key.fingerprint} (version {version_of(kind)}): {kind}"]
        lines += [f"      {side_text}" for side_text in side_keys]
        callers = sorted({s.callers[0] for s in grouping_key.side_keys} - {""})
        if callers:
            lines.append(f"   called by {', '.join(callers)}: separates races if one run has two objects")
        if (address_text := race_address(report)) != 0:
            lines.append(f"   at 0x{address_text:x}: the same address in the same run is the same race")
        return [self._paint(visible_text(line), "dim") for line in lines]

    def _memory_lines(self, location: Location | None) -> list[str]:
        """The memory location, if the detector prints it."""
        if location is None:
            return []
        name = f" {location.name}" if location.name else ""
        size = f" of {location.size} bytes" if location.size else ""
        owner = f" of {location.actor}" if location.actor and location.kind != "heap" else ""
        declared = f" declared at {location.file}:{location.line}" if location.file else ""
        column = TextColumn(self._paint)
        column.add_line(visible_text(f"{location.kind}{name}{size}{owner}{declared}"), "cyan")
        if location.stack:
            column.add_line(visible_text(f"allocated by {location.actor or 'an unknown actor'}"), "cyan")
            column.add_frames(location.stack, 3)
        return ["", *column.lines]

    def _claim_lines(self, document: Document | None) -> list[str]:
        """The claims of the bug report, on at most two lines."""
        if document is None or not document.claims:
            return []
        claims = dict.fromkeys(_describe_claim(claim) for claim in document.claims if claim.kind in _CLAIM_PREFIXES)
        steps = sum(claim.kind == "step" for claim in document.claims)
        claims |= {f"{steps} step{'s' * (steps > 1)} to reproduce it": None} if steps else {}
        text = visible_text("; ".join(claim_text for claim_text in claims if claim_text))
        max_length = 2 * self._style.width
        text = text if len(text) <= max_length else text[: max_length - 1] + "…"
        return [self._paint(f"   the author says: {text}", "dim")] if text else []

    def _report_facts(self, report: Report) -> str:
        facts = [report.detector]
        if report.test:
            facts.append(f"in {visible_text(report.test)}")
        if report.damage:
            facts.append(f"text damaged: {', '.join(report.damage)}")
        return "  ".join(facts)

    def _access_lines(self, report: Report, printable: bool) -> list[str]:
        """The accesses, side by side if there are two and the width allows it."""
        accesses = report.accesses
        actors = {actor.id: actor for actor in report.actors}
        width = self._column_width if len(accesses) == 2 else 0
        columns = []
        for number, access in enumerate(accesses):
            column = TextColumn(self._paint, width, number == 0, printable)
            self._add_access(column, access, actors.get(access.actor))
            columns.append(column.lines)
        if width:
            return _join_columns(columns[0], columns[1], " " * width)
        return [line for column_lines in columns for line in [*column_lines, ""]][:-1]

    def _add_access(self, column: TextColumn, access: Access, actor: Actor | None) -> None:
        where = f" at {visible_text(access.address)}" if access.address else ""
        actor_name = f" by {visible_text(access.actor)}" if access.actor else ""
        finished = " (finished)" if actor and actor.state is ActorState.FINISHED else ""
        column.add_line(f"{access.op.upper()}{actor_name}{finished}{where}", "red")
        if access.stack:
            column.add_frames(access.stack, self._style.frames)
        else:
            column.add_line("  (the detector could not restore this stack)", "dim")
        if actor and actor.created_at:
            column.add_line("created at", "cyan")
            column.add_frames(actor.created_at, 3)


def _join_columns(left: list[str], right: list[str], gap: str) -> list[str]:
    rows = [f"   {left_line}   {right_line}".rstrip() for left_line, right_line in zip(left, right, strict=False)]
    paired = len(rows)
    rows += [f"   {left_line}".rstrip() for left_line in left[paired:]]
    rows += [f"   {gap}   {right_line}".rstrip() for right_line in right[paired:]]
    return rows


class TextColumn:
    """The lines of one access, cut to the column width; the left column is padded."""

    def __init__(self, paint: TextPainter, width: int = 0, padded: bool = False, printable: bool = False) -> None:
        self.lines: list[str] = []
        self._paint = paint
        self._width = width
        self._padded = padded
        self._printable = printable

    def add_line(self, text: str, colour_name: str = "") -> None:
        if not self._width:
            text = f"   {text}"
        elif len(text) > self._width:
            text = _shorten_line(text, self._width)
        elif self._padded:
            text = text.ljust(self._width)
        self.lines.append(self._paint(text, colour_name) if self._paint.colour and colour_name else text)

    def add_frames(self, stack: tuple[Frame, ...], limit: int) -> None:
        frames_not_stale = [frame for frame in stack if not frame.stale]
        interesting = (
            [frame for frame in frames_not_stale if not _is_uninteresting(frame.origin)] or frames_not_stale or [*stack]
        )
        for frame in interesting[:limit]:
            function, file, line = frame.function, frame.file, frame.line
            if not self._printable:
                function, file = visible_text(function), visible_text(file)
            self.add_line(f"  {function}")
            if file:
                self.add_line(f"      {file}" if line is None else f"      {file}:{line}", "dim")
        omitted, stale_count = len(interesting) - limit, len(stack) - len(frames_not_stale)
        if omitted > 0 or stale_count:
            notes = [f"{omitted} more"] * (omitted > 0) + [f"{stale_count} stale"] * (stale_count > 0)
            self.add_line(f"  {_ELLIPSIS_PLACEHOLDER} {', '.join(notes)}", "dim")


def _is_uninteresting(origin: Origin) -> bool:
    """Whether a frame is shown only if there is no other."""
    return origin is _RUNTIME or origin is _TEST or origin is _GENERATED


def _describe_claim(claim: Claim) -> str:
    """`found in v5.2.2`, `suspects acme/outbox#203`, `workaround: GOMAXPROCS=1`."""
    if claim.kind == "version":
        return f"{claim.role.replace('-', ' ')} {claim.value}" if claim.role != "mentioned" else ""
    return f"{_CLAIM_PREFIXES[claim.kind]} {claim.value}"


def _shorten_line(text: str, width: int) -> str:
    indent = len(text) - len(text.lstrip())
    # the end of a symbol or path says more than its beginning
    return " " * indent + _ELLIPSIS_PLACEHOLDER + text[indent + 1 + len(text) - width :]


class TextFormat:
    name = "text"
    prints_at_end = True

    def new_collector(self, style: OutputStyle) -> RaceCountCollector:
        return RaceCountCollector(RaceText(style).render_example)

    def new_writer(self, out: IO[str], style: OutputStyle) -> TextWriter:
        return TextWriter(out, style)


FORMAT: Final = TextFormat()
