"""Parses an undamaged Go race report in one pass; returns None for anything unusual."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from deadheat.dialects import go_stack
from deadheat.dialects.go_grammar import BANNER, OPS
from deadheat.dialects.go_stack import Side
from deadheat.model import Access, Frame, Origin, Report, State
from deadheat.symbols import go, go_printed, roots

_new: Final = tuple.__new__
_FIRST: Final = f"{BANNER}\n"
# the starts of the second access and of the creations
_PREVIOUS, _CREATED = "\n\nPrevious ", "\n\nGoroutine "
_DIGITS, _HEX = "0123456789", "0123456789abcdef"
# the start of an access header: its operation, and whether it is the previous access
_OPS: Final = {
    f"{previous}{word}" if previous else word.capitalize(): (done, bool(previous))
    for word, done in OPS.items()
    for previous in ("", "Previous ")
}
_STATES: Final = {f"{state}) created at:": state for state in (State.RUNNING, State.FINISHED)}
_USER: Final = Origin.USER
_MAIN: Final = "main goroutine"
# frames below these may be stale
_ENTRIES: Final = ("testing.tRunner", "main.main")
# for a summary: the number of user frames, and of frames above them
CALLS: Final = 4
TOP: Final = 2
# callers of a test function
_HARNESS: Final = ("\n  testing.tRunner()", "\n  testing.runExample()", "\n  testing.(*B).runN()")


def whole(text: str) -> Report | None:
    """Parse a report; None for anything that is not exactly as printed.

    `text` starts at the banner and ends before the closing bar. A test checks that `GoRaceParser`,
    which is slower, returns the same report.
    """
    sections = _sections(text)
    if sections is None:
        return None
    accesses: list[Side] = []
    creations: list[Side] = []
    for number, section in enumerate(sections):
        end = section.find("\n")
        header = section[:end]
        side = _access(header, number == 1) if number < 2 else _creation(header)
        frames = go_printed.frames(section[end:])
        if side is None or not frames:
            return None
        side.frames = frames
        (accesses if number < 2 else creations).append(side)
    for side, section in zip(accesses, sections, strict=False):
        side.offset, side.called_from = _offsets(section)
    return go_stack.report("go", "data-race", accesses, creations, ())


def glance(text: str) -> Report | None:
    """Parse only the accesses with their sites and callers, which identify the race."""
    sections = _sections(text)
    if sections is None or not _is_even(text, len(sections)):
        return None
    accesses = []
    for number, section in enumerate(sections[:2]):
        side = _access(section.partition("\n")[0], number == 1)
        stack = _calls(section)
        if side is None or stack is None:
            return None
        site = _first_own(stack)
        at = _offset(section) if site is stack[0] else None
        values = side.op, side.actor, stack, side.address, None, (), site, None, at, None
        accesses.append(_new(Access, values))
    return Report("go", "data-race", tuple(accesses))


def _first_own(stack: tuple[Frame, ...]) -> Frame:
    for frame in stack:
        if frame[4] is _USER:
            return frame
    return stack[0]


def _offset(section: str) -> str:
    """The code offset of the innermost frame: "0x45"."""
    at = section.find(" +") + 2
    end = section.find("\n", at)
    return section[at:end] if end >= 0 else section[at:]


def _offsets(section: str) -> tuple[str, str]:
    """The code offsets of the two innermost frames; "" if there is no second one."""
    at = section.find(" +") + 2
    end = section.find("\n", at)
    if end < 0:
        return section[at:], ""
    rest = section.find(" +", end) + 2
    if rest < 2:
        return section[at:end], ""
    last = section.find("\n", rest)
    return section[at:end], section[rest:last] if last >= 0 else section[rest:]


def _sections(text: str) -> list[str] | None:
    """Split the text into two accesses and the creation of every goroutine except main."""
    # a long literal is found faster than a blank line
    ends = [text.find(_PREVIOUS)]
    if ends[0] < 0 or not text.startswith(_FIRST):
        return None
    actors = {_actor(text, len(_FIRST)), _actor(text, ends[0])} - {_MAIN}
    created: set[str] = set()
    while len(ends) < 3 and (at := text.find(_CREATED, ends[-1] + 1)) >= 0:
        ends.append(at)
        created.add(f"g{text[at + 3 : text.find(' (', at)]}")
    if created != actors:
        return None
    bounds = [len(BANNER) - 1, *ends, len(text)]
    return [text[begin + 2 : end] for begin, end in pairwise(bounds)]


def _actor(text: str, at: int) -> str:
    """The actor in the header at `at`."""
    end = text.find(":", at)
    return text[text.rfind(" by ", at, end) + 4 : end]


def _is_even(text: str, sections: int) -> bool:
    """Does the number of lines fit two lines per frame?"""
    frames = text.count("()\n      ")
    return text.count("\n") == 2 * (frames + sections) - 1 and text.count(" +0x") == frames


def _access(header: str, previous: bool) -> Side | None:
    """Parse "Previous write at 0x00c0000a1238 by goroutine 6:"."""
    what, _, rest = header.partition(" at 0x")
    address, _, actor = rest.partition(" by ")
    known = _OPS.get(what)
    if known is None or known[1] is not previous or not 0 < len(address) <= 16:
        return None
    if actor != f"{_MAIN}:" and not (
        actor.startswith("goroutine ") and actor.endswith(":") and _is_digits(actor[10:-1])
    ):
        return None
    return Side(actor[:-1], known[0], f"0x{address}") if not address.strip(_HEX) else None


def _is_digits(text: str) -> bool:
    return 0 < len(text) <= 18 and not text.strip(_DIGITS)


def _creation(header: str) -> Side | None:
    """Parse "Goroutine 7 (running) created at:"."""
    number, _, rest = header.removeprefix("Goroutine ").partition(" (")
    state = _STATES.get(rest)
    if state is None or not _is_digits(number):
        return None
    side = Side(f"goroutine {number}")
    side.state = state
    return side


def _calls(section: str) -> tuple[Frame, ...] | None:
    """The innermost user frames and the frames above them, as many as fingerprints use.

    The files are not relative to the module.
    """
    if _has_second_entry(section) or "\\" in section:
        return None
    head: list[Frame] = []
    found: list[Frame] = []
    at, number = section.find("\n"), 0
    while at < len(section):
        lines = go_printed.two_lines(section, at)
        symbol, path, line = go_printed.pieces(lines)
        at += len(lines)
        package, function = go.split(symbol) if go.is_unusual(symbol) else go.split_plain(symbol)
        if not package:
            return None
        number += 1
        whose = go.origin(package, path)
        if whose is _USER:
            # a closure may be in another package than its name says
            if function[-1].isdigit() and _is_lost(package, path):
                return None
            found.append(_new(Frame, (function, package, path, line, whose, path, False, False)))
            if len(found) == CALLS:
                break
        elif not found:
            if package == "sync/atomic":
                return None
            if number <= TOP:
                head.append(Frame(function, package, path, line, whose, path))
        # frames below may be stale
        if function in _ENTRIES:
            break
        if go.is_test(function) and not section.startswith(_HARNESS, at):
            return None
    return (*head, *found) if found else None


def _is_lost(package: str, path: str) -> bool:
    """Is the file outside any known module root?"""
    folder = path[: path.rfind("/") + 1]
    return roots.is_absolute(go.place(package, folder)[1])


def _has_second_entry(section: str) -> bool:
    """Does the goroutine's entry occur twice? Then the frames below the first are stale."""
    last = section.rfind("\n  ")
    entry = section[section.rfind("\n  ", 0, last) + 3 : last]
    return (".gowrap" in entry or "·dwrap·" in entry) and section.count(entry) > 1
