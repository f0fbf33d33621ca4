"""Text for a terminal: each race once, with its two accesses side by side."""

from __future__ import annotations

import codecs
from typing import IO, TYPE_CHECKING, Final

from deadheat.identity.evidence import address, mark
from deadheat.identity.fingerprint import FINGERPRINT_VERSION, parts
from deadheat.model import Access, Actor, Frame, Location, Origin, Report, State
from deadheat.render.tally import Count, Tally, TallyGatherer, example

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deadheat.model import Claim, Document, Sighting
    from deadheat.render import Style

_RUNTIME: Final = Origin.RUNTIME
_TEST: Final = Origin.TEST
_GENERATED: Final = Origin.GENERATED
_CODES: Final = {"bold": "1", "dim": "2", "red": "31", "yellow": "33", "cyan": "36"}
_NARROW: Final = 96
# bytes written at once
_BLOCK: Final = 1 << 16
# replaced by "…" at the end: one non-Latin-1 character doubles the memory of a string;
# `terminal_text` removes it from documents
_MORE: Final = "\0"
# the kinds of claims that are shown, and the text before their value
_TOLD: Final = {
    "version": "",
    "suspect": "suspects",
    "workaround": "workaround:",
    "setting": "needs",
    "injection": "injected",
}


class Paint:
    """Colours text if colours are enabled."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, how: str) -> str:
        return f"\x1b[{_CODES[how]}m{text}\x1b[0m" if self.colour and text else text


def plain(text: str) -> str:
    """Replaces control and bidirectional characters in untrusted text."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


class TextOutput:
    """Prints each race with its count at the end."""

    def __init__(self, out: IO[str], style: Style) -> None:
        self._out = out
        self._brief = style.brief
        self._paint = Paint(style.colour)
        self._tally = Tally()

    def merge(self, packed: dict[str, Count]) -> None:
        self._tally.merge(packed)

    def live(self, packed: dict[str, Count]) -> None:
        self.merge(packed)  # each race is printed once, at the end

    def close(self, ids: Mapping[str, str]) -> None:
        paint = self._paint
        self._tally.name(ids)
        races, sightings = self._tally.totals()
        blocks = _Blocks(_writer(self._out))
        write = blocks.add
        for number, race in enumerate(self._tally.races(), 1):
            if self._brief:
                seen, where = f"{race.seen:6}x", plain(race.places[0])
                title = f"{race.title}  {race.race}"
                write(f"{paint(seen, 'yellow')} {title}  {paint(where, 'dim')}\n".encode())
                continue
            times = paint(f"  seen {race.seen} times", "yellow") if race.seen > 1 else ""
            places = "".join([paint(f"   {plain(place)}", "dim") + "\n" for place in race.places])
            head = paint(f"{number}. {race.title}", "bold")
            cut = race.body.find(b"\n")
            named = _named(race.race, race.body[:cut].decode(), paint)
            write(f"{head}{times}\n{places}{named}".encode())
            write(race.body[cut:])
            write(b"\n\n")
        if races:
            many = f"{races} race{'s' * (races > 1)}, {sightings} sighting{'s' * (sightings > 1)}"
            write(f"{paint(many, 'bold')}\n".encode())
        blocks.flush()
        self._out.flush()


def _named(race: str, facts: str, paint: Paint) -> str:
    return paint(f"   {race}  {facts}", "dim")


def _writer(out: IO[str]) -> Callable[[bytes], object]:
    """A function that writes UTF-8 bytes, directly if that is the encoding of the stream."""
    raw, encoding = getattr(out, "buffer", None), getattr(out, "encoding", None)
    if raw is None or codecs.lookup(encoding or "utf-8").name != "utf-8":
        return lambda text: out.write(text.decode())
    out.flush()
    write: Callable[[bytes], object] = raw.write
    return write


class _Blocks:
    """Joins texts into blocks, for fewer writes."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._held: list[bytes] = []
        self._size = 0

    def add(self, text: bytes) -> None:
        self._held.append(text)
        self._size += len(text)
        if self._size > _BLOCK:
            self.flush()

    def flush(self) -> None:
        self._write(b"".join(self._held))
        self._held, self._size = [], 0


class RaceText:
    """Formats a race as lines for a terminal."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._paint = Paint(style.colour)
        # width of a column; 0 if the accesses are shown below each other
        self._half = (style.width - 6) // 2 if style.width >= _NARROW else 0

    def __call__(self, sighting: Sighting) -> tuple[str, str]:
        """Returns title and body."""
        facts, *lines = self._lines(sighting)
        head = _named(sighting.verdict.race, facts, self._paint)
        body = "\n".join([head, *lines]).replace(_MORE, "…")
        return plain(sighting.verdict.title), body

    def example(self, sighting: Sighting) -> bytes:
        """Returns title and body encoded as an example for `RaceCounter`."""
        lines = [] if self._style.brief else self._lines(sighting)
        body = "\n".join(lines).encode().replace(_MORE.encode(), "…".encode())
        return example(plain(sighting.verdict.title), body)

    def _lines(self, sighting: Sighting) -> list[str]:
        """The line of facts, without the race id, and the lines below it."""
        report = sighting.report
        says = self._says(sighting.document)
        why = self._why(report) if self._style.why else []
        sides = self._sides(report, _is_harmless(sighting))
        facts = self._facts(report)
        return [facts, *says, *why, "", *sides, *self._memory(report.location)]

    def _why(self, report: Report) -> list[str]:
        """The parts of the fingerprint, and what else joins or separates races."""
        kind, *sides = parts(report)
        known = mark(report)
        lines = [f"   fingerprint {known.fingerprint} (version {FINGERPRINT_VERSION}): {kind}"]
        lines += [f"      {side}" for side in sides]
        callers = sorted({s.callers[0] for s in known.sides} - {""})
        if callers:
            lines.append(
                f"   called by {', '.join(callers)}: separates races if one run has two objects"
            )
        if (at := address(report)) != 0:
            lines.append(f"   at 0x{at:x}: the same address in the same run is the same race")
        return [self._paint(plain(line), "dim") for line in lines]

    def _memory(self, location: Location | None) -> list[str]:
        """The memory location, if the detector prints it."""
        if location is None:
            return []
        name = f" {location.name}" if location.name else ""
        size = f" of {location.size} bytes" if location.size else ""
        whose = f" of {location.actor}" if location.actor and location.kind != "heap" else ""
        declared = f" declared at {location.file}:{location.line}" if location.file else ""
        column = Column(self._paint)
        column.add(plain(f"{location.kind}{name}{size}{whose}{declared}"), "cyan")
        if location.stack:
            column.add(plain(f"allocated by {location.actor or 'an unknown actor'}"), "cyan")
            column.frames(location.stack, 3)
        return ["", *column.lines]

    def _says(self, document: Document | None) -> list[str]:
        """The claims of the bug report, on at most two lines."""
        if document is None or not document.claims:
            return []
        told = dict.fromkeys(_claimed(claim) for claim in document.claims if claim.kind in _TOLD)
        steps = sum(claim.kind == "step" for claim in document.claims)
        told |= {f"{steps} step{'s' * (steps > 1)} to reproduce it": None} if steps else {}
        words = plain("; ".join(text for text in told if text))
        most = 2 * self._style.width
        words = words if len(words) <= most else words[: most - 1] + "…"
        return [self._paint(f"   the author says: {words}", "dim")] if words else []

    def _facts(self, report: Report) -> str:
        facts = [report.detector]
        if report.test:
            facts.append(f"in {plain(report.test)}")
        if report.damage:
            facts.append(f"text damaged: {', '.join(report.damage)}")
        return "  ".join(facts)

    def _sides(self, report: Report, harmless: bool) -> list[str]:
        """The accesses, side by side if there are two and the width allows it."""
        accesses = report.accesses
        actors = {actor.id: actor for actor in report.actors}
        width = self._half if len(accesses) == 2 else 0
        sides = []
        for number, access in enumerate(accesses):
            column = Column(self._paint, width, number == 0, harmless)
            self._side(column, access, actors.get(access.actor))
            sides.append(column.lines)
        if width:
            return _face_to_face(sides[0], sides[1], " " * width)
        return [line for side in sides for line in [*side, ""]][:-1]

    def _side(self, column: Column, access: Access, actor: Actor | None) -> None:
        where = f" at {plain(access.address)}" if access.address else ""
        who = f" by {plain(access.actor)}" if access.actor else ""
        finished = " (finished)" if actor and actor.state is State.FINISHED else ""
        column.add(f"{access.op.upper()}{who}{finished}{where}", "red")
        if access.stack:
            column.frames(access.stack, self._style.frames)
        else:
            column.add("  (the detector could not restore this stack)", "dim")
        if actor and actor.created_at:
            column.add("created at", "cyan")
            column.frames(actor.created_at, 3)


def _face_to_face(left: list[str], right: list[str], gap: str) -> list[str]:
    rows = [f"   {a}   {b}".rstrip() for a, b in zip(left, right, strict=False)]
    both = len(rows)
    rows += [f"   {a}".rstrip() for a in left[both:]]
    rows += [f"   {gap}   {b}".rstrip() for b in right[both:]]
    return rows


def _is_harmless(sighting: Sighting) -> bool:
    """Whether all text of a report is known to be printable.

    A lazily parsed report comes from clean text; only %-escapes can decode to other characters.
    """
    return not isinstance(sighting.told, Report) and b"%" not in sighting.told.raw


class Column:
    """The lines of one access, cut to the column width; the left column is padded."""

    def __init__(
        self, paint: Paint, width: int = 0, padded: bool = False, harmless: bool = False
    ) -> None:
        self.lines: list[str] = []
        self._paint = paint
        self._width = width
        self._padded = padded
        self._harmless = harmless

    def add(self, text: str, how: str = "") -> None:
        if not self._width:
            text = f"   {text}"
        elif len(text) > self._width:
            text = _cut(text, self._width)
        elif self._padded:
            text = text.ljust(self._width)
        self.lines.append(self._paint(text, how) if self._paint.colour and how else text)

    def frames(self, stack: tuple[Frame, ...], most: int) -> None:
        # indexes instead of names: this runs for every frame
        live = [frame for frame in stack if not frame[6]]
        telling = [frame for frame in live if not _is_noise(frame[4])] or live or [*stack]
        for frame in telling[:most]:
            function, file, line = frame[0], frame[2], frame[3]
            if not self._harmless:
                function, file = plain(function), plain(file)
            self.add(f"  {function}")
            if file:
                self.add(f"      {file}" if line is None else f"      {file}:{line}", "dim")
        rest, stale = len(telling) - most, len(stack) - len(live)
        if rest > 0 or stale:
            notes = [f"{rest} more"] * (rest > 0) + [f"{stale} stale"] * (stale > 0)
            self.add(f"  {_MORE} {', '.join(notes)}", "dim")


def _is_noise(origin: Origin) -> bool:
    """Whether a frame is shown only if there is no other."""
    return origin is _RUNTIME or origin is _TEST or origin is _GENERATED


def _claimed(claim: Claim) -> str:
    """`found in v5.2.2`, `suspects acme/outbox#203`, `workaround: GOMAXPROCS=1`."""
    if claim.kind == "version":
        return f"{claim.role.replace('-', ' ')} {claim.value}" if claim.role != "mentioned" else ""
    return f"{_TOLD[claim.kind]} {claim.value}"


def _cut(text: str, width: int) -> str:
    indent = len(text) - len(text.lstrip())
    # the end of a symbol or path says more than its beginning
    return " " * indent + _MORE + text[indent + 1 + len(text) - width :]


class Text:
    name = "text"
    full = True
    waits = True

    def gatherer(self, style: Style) -> TallyGatherer:
        return TallyGatherer(RaceText(style).example)

    def output(self, out: IO[str], style: Style) -> TextOutput:
        return TextOutput(out, style)


RENDERER: Final = Text()
