"""For a person at a terminal: each race once, its two sides face to face."""

from __future__ import annotations

from itertools import zip_longest
from typing import IO, TYPE_CHECKING

from deadheat.identity.evidence import address, mark
from deadheat.identity.fingerprint import FINGERPRINT_VERSION, parts
from deadheat.model import Access, Actor, Frame, Location, Origin, Report, State
from deadheat.render.tally import Count, Tally, TallyGatherer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Claim, Document, Sighting
    from deadheat.render import Style

# frames that say nothing about a race; shown only where nothing else is left
_NOISE = (Origin.RUNTIME, Origin.TEST, Origin.GENERATED)
_CODES = {"bold": "1", "dim": "2", "red": "31", "yellow": "33", "cyan": "36"}
_NARROW = 96
# the kinds of claims that are worth a line here, and how they read
_TOLD = {
    "version": "",
    "suspect": "suspects",
    "workaround": "workaround:",
    "setting": "needs",
    "injection": "injected",
}


class Paint:
    """Colours text, or leaves it alone; never lets a document's own control characters through."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, how: str) -> str:
        return f"\x1b[{_CODES[how]}m{text}\x1b[0m" if self._colour and text else text


def plain(text: str) -> str:
    """Untrusted text with nothing in it that a terminal would obey, or that would reorder a line."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)


class TextOutput:
    """Prints each race with its count once everything has been seen."""

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
        for number, race in enumerate(self._tally.races(), 1):
            if self._brief:
                seen, where = f"{race.seen:6}x", plain(race.places[0])
                self._out.write(f"{paint(seen, 'yellow')} {race.title}  {paint(where, 'dim')}\n")
                continue
            times = paint(f"  seen {race.seen} times", "yellow") if race.seen > 1 else ""
            places = "".join(paint(f"   {plain(place)}", "dim") + "\n" for place in race.places)
            head = paint(f"{number}. {race.title}", "bold")
            self._out.write(f"{head}{times}\n{places}{race.body}\n\n")
        if races:
            many = f"{races} race{'s' * (races > 1)}, {sightings} sighting{'s' * (sightings > 1)}"
            self._out.write(paint(many, "bold") + "\n")
        self._out.flush()


class RaceText:
    """A race as lines for a terminal."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self._paint = Paint(style.colour)

    def __call__(self, sighting: Sighting) -> tuple[str, str]:
        """Title and body."""
        if self._style.brief:
            return f"{plain(sighting.verdict.title)}  {sighting.verdict.race}", ""
        report = sighting.report
        facts = self._paint(f"   {sighting.verdict.race}  {self._facts(report)}", "dim")
        actors = {actor.id: actor for actor in report.actors}
        sides = [self._side(a, actors.get(a.actor)) for a in report.accesses]
        says = self._says(sighting.document)
        why = self._why(report) if self._style.why else []
        body = [facts, *says, *why, "", *self._facing(sides), *self._memory(report.location)]
        return plain(sighting.verdict.title), "\n".join(body)

    def _why(self, report: Report) -> list[str]:
        """What went into the fingerprint, and what else may join or divide races."""
        kind, *sides = parts(report)
        known = mark(report)
        lines = [f"   fingerprint {known.fingerprint} (version {FINGERPRINT_VERSION}): {kind}"]
        lines += [f"      {side}" for side in sides]
        callers = sorted({s.callers[0] for s in known.sides} - {""})
        if callers:
            lines.append(
                f"   called by {', '.join(callers)}: counts where one run shows two objects"
            )
        if (at := address(report)) != 0:
            lines.append(f"   at 0x{at:x}: the same address in the same run is the same race")
        return [self._paint(plain(line), "dim") for line in lines]

    def _memory(self, location: Location | None) -> list[str]:
        """What was raced for, where the detector says so."""
        if location is None:
            return []
        name = f" {location.name}" if location.name else ""
        size = f" of {location.size} bytes" if location.size else ""
        whose = f" of {location.actor}" if location.actor and location.kind != "heap" else ""
        declared = f" declared at {location.file}:{location.line}" if location.file else ""
        lines = [(plain(f"{location.kind}{name}{size}{whose}{declared}"), "cyan")]
        if location.stack:
            by = f"allocated by {location.actor or 'an unknown actor'}"
            lines += [(plain(by), "cyan"), *self._frames(location.stack, 3)]
        return ["", *self._column(lines, 0)]

    def _says(self, document: Document | None) -> list[str]:
        """What the author of the bug report claims, on a line or two."""
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

    def _side(self, access: Access, actor: Actor | None) -> list[tuple[str, str]]:
        """The lines of one side, each with the way to paint it."""
        where = f" at {access.address}" if access.address else ""
        who = f" by {plain(access.actor)}" if access.actor else ""
        finished = " (finished)" if actor and actor.state is State.FINISHED else ""
        lines = [(f"{access.op.upper()}{who}{finished}{where}", "red"), *self._stack(access)]
        if actor and actor.created_at:
            lines += [("created at", "cyan"), *self._frames(actor.created_at, 3)]
        return lines

    def _stack(self, access: Access) -> list[tuple[str, str]]:
        if not access.stack:
            return [("  (the detector could not restore this stack)", "dim")]
        return self._frames(access.stack, self._style.frames)

    def _frames(self, stack: tuple[Frame, ...], most: int) -> list[tuple[str, str]]:
        live = [f for f in stack if not f.stale]
        telling = [f for f in live if f.origin not in _NOISE] or live or list(stack)
        lines = []
        for frame in telling[:most]:
            place = f"{frame.file}:{frame.line}" if frame.line is not None else frame.file
            lines.append((f"  {plain(frame.function)}", ""))
            lines.append((f"      {plain(place)}", "dim"))
        rest, stale = len(telling) - most, len(stack) - len(live)
        notes = [f"{rest} more"] * (rest > 0) + [f"{stale} stale"] * (stale > 0)
        return [*lines, (f"  … {', '.join(notes)}", "dim")] if notes else lines

    def _facing(self, sides: list[list[tuple[str, str]]]) -> list[str]:
        if len(sides) != 2 or self._style.width < _NARROW:
            return [line for side in sides for line in [*self._column(side, 0), ""]][:-1]
        half = (self._style.width - 6) // 2
        left, right = (self._column(side, half) for side in sides)
        return [
            f"   {a or ' ' * half}   {b}".rstrip()
            for a, b in zip_longest(left, right, fillvalue="")
        ]

    def _column(self, side: list[tuple[str, str]], width: int) -> list[str]:
        """The side's lines, cut in their middle and padded to a width; 0 leaves them alone."""
        lines = []
        for text, how in side:
            text = _fitted(text, width) if width else f"   {text}"
            lines.append(self._paint(text, how) if how else text)
        return lines


def _claimed(claim: Claim) -> str:
    """`found in v5.2.2`, `suspects acme/outbox#203`, `workaround: GOMAXPROCS=1`."""
    if claim.kind == "version":
        return f"{claim.role.replace('-', ' ')} {claim.value}" if claim.role != "mentioned" else ""
    return f"{_TOLD[claim.kind]} {claim.value}"


def _fitted(text: str, width: int) -> str:
    if len(text) > width:
        indent = len(text) - len(text.lstrip())
        # the end of a symbol or path says more than its beginning
        text = " " * indent + "…" + text[indent + 1 + len(text) - width :]
    return text.ljust(width)


class Text:
    name = "text"
    full = True
    waits = True

    def gatherer(self, style: Style) -> TallyGatherer:
        return TallyGatherer(RaceText(style))

    def output(self, out: IO[str], style: Style) -> TextOutput:
        return TextOutput(out, style)


RENDERER = Text()
