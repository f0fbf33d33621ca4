"""Reads an undamaged Go race report in one go; leaves whatever is the least bit unusual to others."""

from __future__ import annotations

from itertools import pairwise

from deadheat.dialects import go_stack
from deadheat.dialects.go_grammar import ACCESS, BANNER, CREATED, op
from deadheat.dialects.go_stack import Side
from deadheat.model import Access, Frame, Origin, Report, State
from deadheat.symbols import go, roots

_new = tuple.__new__
_FIRST = f"{BANNER}\n"
# what begins a report's second part, and each of the others
_NEXT = ("\n\nPrevious ", "\n\nGoroutine ")
_USER = Origin.USER
_MAIN = "main goroutine"
# frames that may have stale ones below them
_ENTRIES = ("testing.tRunner", "main.main")
# how many of the user's frames a glance takes, how many above them, and from how many lines; mostly,
# as much text as so many frames like the first one have will do
CALLS = 4
TOP = 2
_LOOK, _FEW = 32, 5
# what calls a test function
_HARNESS = ("testing.tRunner", "testing.runExample", "testing.(*B).runN")


def whole(text: str) -> Report | None:
    """The report; None for anything that is not exactly as printed.

    `text` begins at the banner and ends before the closing bar. The machine reads the same text to
    the same report, only more slowly: a law says so.
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
        frames = go.frames(section[end:])
        if side is None or not frames:
            return None
        side.frames = frames
        (accesses if number < 2 else creations).append(side)
    for side, section in zip(accesses, sections, strict=False):
        side.offset = _offset(section)
    return go_stack.report("go", "data-race", accesses, creations, ())


def glance(text: str) -> Report | None:
    """The accesses with their sites and callers, for who only wants to know which race it is."""
    sections = _sections(text)
    if sections is None or not _is_even(text, len(sections)):
        return None
    accesses = []
    for number, section in enumerate(sections[:2]):
        side = _access(section.partition("\n")[0], number == 1)
        stack = _calls(section)
        if side is None or stack is None:
            return None
        site = next(frame for frame in stack if frame.origin is Origin.USER)
        at = _offset(section) if site is stack[0] else None
        accesses.append(Access(side.op, side.actor, stack, side.address, site=site, instruction=at))
    return Report("go", "data-race", tuple(accesses))


def _offset(section: str) -> str:
    """How far into its function's code the innermost frame is: "0x45"."""
    return section.partition(" +")[2].partition("\n")[0]


def _sections(text: str) -> list[str] | None:
    """Two accesses and the creation of everybody but main."""
    if not text.startswith(_FIRST):
        return None
    # a long word is found sooner than a blank line; one that stands anywhere else is odd
    ends = [at for word in _NEXT if (at := text.find(word)) >= 0]
    if len(ends) == len(_NEXT) and (at := text.find(_NEXT[1], ends[1] + 1)) >= 0:
        ends.append(at)
    bounds = [len(BANNER) - 1, *ends, len(text)]
    sections = [text[begin + 2 : end] for begin, end in pairwise(bounds)]
    if not 2 <= len(sections) <= 4:
        return None
    actors = {section.partition(":")[0].rpartition(" by ")[2] for section in sections[:2]}
    created = {f"g{section.partition(' (')[0][1:]}" for section in sections[2:]}
    return sections if created == actors - {_MAIN} else None


def _is_even(text: str, sections: int) -> bool:
    """Has every frame its two lines, as far as counting can tell?"""
    frames = text.count("()\n      ")
    return text.count("\n") == 2 * (frames + sections) - 1 and text.count(" +0x") == frames


def _access(header: str, previous: bool) -> Side | None:
    match = ACCESS.fullmatch(header)
    if match is None or (match["previous"] is not None) != previous:
        return None
    return Side(match["actor"], op(match), match["address"])


def _creation(header: str) -> Side | None:
    match = CREATED.fullmatch(header)
    if match is None:
        return None
    side = Side(f"goroutine {match[1]}")
    side.state = State(match[2])
    return side


def _calls(section: str) -> tuple[Frame, ...] | None:
    """The user's innermost frames and what is above them, as many as identity looks at.

    Their files are as printed: nobody asks a glance for more.
    """
    if _has_second_entry(section):
        return None
    start = section.find("\n")
    one = section.find("\n", section.find("()\n", start) + 3) - start
    if 0 < _FEW * one < len(section) - start:
        few = section.rfind("\n", 0, section.rfind("()\n", 0, start + _FEW * one) + 1)
        found = _innermost(section, start, few) if few > start else None
        if found is not None:
            return found
    return _innermost(section, start, _after(section, start, _LOOK))


def _innermost(section: str, start: int, end: int) -> tuple[Frame, ...] | None:
    """What `_calls` tells, from the lines between `start` and `end`; None if these are too few."""
    pairs = go.pairs(section[start:end]) or []
    split = go.split if "%" in section or "[" in section or "(_" in section else go.split_plain
    head: list[Frame] = []
    found: list[Frame] = []
    for number, (symbol, path, line) in enumerate(pairs, 1):
        package, function = split(symbol)
        if not package:
            return None
        whose = go.origin(package, path)
        if whose is _USER:
            # a closure may lie elsewhere than its name says; the other frames tell
            if function[-1].isdigit() and _is_lost(package, path):
                return None
            found.append(
                _new(Frame, (function, package, path, int(line), whose, path, False, False))
            )
            if len(found) == CALLS:
                return (*head, *found)
        elif not found:
            if package == "sync/atomic":
                return None
            if number <= TOP:
                head.append(Frame(function, package, path, int(line), whose, path))
        # what stands below may be stale
        if function in _ENTRIES:
            return (*head, *found) if found else None
        if go.is_test(function) and not _is_harness(pairs, number):
            return None
    return (*head, *found) if found and end == len(section) else None


def _is_lost(package: str, path: str) -> bool:
    """Is a file that nobody can place below a module's root?"""
    folder = path[: path.rfind("/") + 1]
    return roots.is_absolute(go.place(package, folder)[1])


def _after(section: str, start: int, lines: int) -> int:
    """Where the so-manieth line behind `start` ends."""
    for _ in range(lines):
        start = section.find("\n", start + 1)
        if start < 0:
            return len(section)
    return start


def _is_harness(pairs: list[tuple[str, str, str]], number: int) -> bool:
    return number < len(pairs) and pairs[number][0] in _HARNESS


def _has_second_entry(section: str) -> bool:
    """Does the goroutine's entry stand in the middle, too? Then what is below it is stale."""
    entry = section.rpartition("\n  ")[0].rpartition("\n  ")[2].partition("\n")[0]
    return (".gowrap" in entry or "·dwrap·" in entry) and section.count(entry) > 1
