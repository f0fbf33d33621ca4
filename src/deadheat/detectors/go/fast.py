"""Parses an undamaged Go race report in one pass; returns None for anything unusual."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from deadheat.detectors.go import report_builder
from deadheat.detectors.go.line_patterns import BANNER, OP_BY_WORD
from deadheat.detectors.go.report_builder import GoStackRecord, new_tuple
from deadheat.model import ActorState, Frame, Report
from deadheat.symbols import go

_DECIMAL_DIGITS: Final = "0123456789"
_HEX_DIGITS: Final = "0123456789abcdef"
_MAX_LINE_NUMBER_DIGITS: Final = 9
# cache of frames by their two lines; a frame is only cached when it occurs for the second time
_frame_cache: Final[dict[str, Frame]] = {}
_cache_candidates: Final[set[str]] = set()
_MAX_CACHED_FRAMES: Final = 1 << 12
_MAX_CACHE_CANDIDATES: Final = 1 << 11


def _split_frame_text(frame_text: str) -> tuple[str, str, int]:
    """Symbol, path and line of a frame; the symbol is empty if the lines are not exactly as printed."""
    # "  example.com/shop/cart.(*Cart).Add()" and "      /src/shop/cart/cart.go:31 +0x45", each after a line break;
    # faster than a regular expression, and called about twenty times per report
    middle = frame_text.find("\n", 3)
    gap = frame_text.find(" ", middle + 7)
    colon = frame_text.find(":", 3, gap)
    # `find` with bounds is faster than `startswith`
    if (
        frame_text.find("\n  ", 0, 3) != 0
        or frame_text.find("()\n      ", middle - 2, middle + 7) != middle - 2
        or frame_text.find(" +0x", gap, gap + 4) != gap
        or frame_text.find(" ", 3) != middle + 1
        or colon <= middle + 7
        or frame_text[3].isspace()
        or frame_text[3] == "+"  # the start of an offset
        or frame_text[middle + 7].isspace()
        or gap + 4 == len(frame_text)
        or frame_text[gap + 4 :].strip(_HEX_DIGITS)
    ):
        return "", "", 0
    line = frame_text[colon + 1 : gap]
    if not 0 < len(line) <= _MAX_LINE_NUMBER_DIGITS or line.strip(_DECIMAL_DIGITS):
        return "", "", 0
    return frame_text[3 : middle - 2], frame_text[middle + 7 : colon], int(line)


def _parse_frames(text: str) -> list[Frame] | None:
    """Parse an undamaged stack, starting at the line break before it; None if it is damaged."""
    frames: list[Frame] = []
    at, size = 0, len(text)
    # tested once per stack
    needs_full_parse = "%" in text or "[" in text
    while at < size:
        end = text.find("\n", text.find("\n", at + 1) + 1)
        frame_text = text[at:end] if end > at else text[at:]
        frame = _frame_cache.get(frame_text)
        if frame is None:
            frame = _build_frame(frame_text, needs_full_parse)
            if frame is None:
                return None
            _cache_frame(frame_text, frame)
        frames.append(frame)
        at += len(frame_text)
    return frames


def _cache_frame(frame_text: str, frame: Frame) -> None:
    """Cache a frame when it occurs for the second time."""
    if frame_text in _cache_candidates:
        if len(_frame_cache) >= _MAX_CACHED_FRAMES:
            _frame_cache.clear()
        _frame_cache[frame_text] = frame
        return
    if len(_cache_candidates) >= _MAX_CACHE_CANDIDATES:
        _cache_candidates.clear()
    _cache_candidates.add(frame_text)


def _build_frame(frame_text: str, needs_full_parse: bool) -> Frame | None:
    """Build a frame from its two lines; None if they are not a frame."""
    symbol, path, line = _split_frame_text(frame_text)
    slash = go.find_last_slash(symbol)
    dot = symbol.find(".", slash + 1)
    if dot < 0:
        return None
    name_start = path.rfind("/") + 1
    name = path[name_start:]
    if not name_start or needs_full_parse or ("_" in symbol and "(_" in symbol) or name in go.GENERATED_FILES:
        return go.make_frame(symbol, path, line)
    package = symbol[:dot]
    origin, relative_folder = go.locate_package(package, path[:name_start])
    values = (symbol[slash + 1 :], package, relative_folder + name, line, origin, path, False, False)
    return new_tuple(Frame, values)


_BANNER_LINE: Final = f"{BANNER}\n"
# the starts of the second access and of the creations
_PREVIOUS_SECTION, _CREATION_SECTION = "\n\nPrevious ", "\n\nGoroutine "
# the start of an access header: its operation, and whether it is the previous access
_OP_BY_HEADER: Final = {
    f"{is_previous}{word}" if is_previous else word.capitalize(): (done, bool(is_previous))
    for word, done in OP_BY_WORD.items()
    for is_previous in ("", "Previous ")
}
_STATE_BY_HEADER: Final = {f"{state}) created at:": state for state in (ActorState.RUNNING, ActorState.FINISHED)}
_MAIN_GOROUTINE: Final = "main goroutine"


def parse_intact(text: str) -> Report | None:
    """Parse a report from the banner to the closing bar as `GoRaceParser` does; None if it is not as printed."""
    # a backslash is in a Windows path, or escapes Markdown; the line parser tells them apart
    sections = None if "\\" in text else _split_sections(text)
    if sections is None:
        return None
    accesses: list[GoStackRecord] = []
    creations: list[GoStackRecord] = []
    for number, section in enumerate(sections):
        end = section.find("\n")
        header = section[:end]
        record = _parse_access_header(header, number == 1) if number < 2 else _parse_creation_header(header)
        frames = _parse_frames(section[end:])
        if record is None or not frames:
            return None
        record.frames = frames
        (accesses if number < 2 else creations).append(record)
    for record, section in zip(accesses, sections, strict=False):
        record.offset, record.caller_offset = _innermost_offsets(section)
    return report_builder.build_report("go", "data-race", accesses, creations, ())


def _innermost_offsets(section: str) -> tuple[str, str]:
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


def _split_sections(text: str) -> list[str] | None:
    """Split the text into two accesses and the creation of every goroutine except main."""
    # a long literal is found faster than a blank line
    ends = [text.find(_PREVIOUS_SECTION)]
    if ends[0] < 0 or not text.startswith(_BANNER_LINE):
        return None
    actors = {_actor_at(text, len(_BANNER_LINE)), _actor_at(text, ends[0])} - {_MAIN_GOROUTINE}
    created: set[str] = set()
    while len(ends) < 3 and (at := text.find(_CREATION_SECTION, ends[-1] + 1)) >= 0:
        ends.append(at)
        created.add(f"g{text[at + 3 : text.find(' (', at)]}")
    if created != actors:
        return None
    bounds = [len(BANNER) - 1, *ends, len(text)]
    return [text[begin + 2 : end] for begin, end in pairwise(bounds)]


def _actor_at(text: str, at: int) -> str:
    """The actor in the header at `at`."""
    end = text.find(":", at)
    return text[text.rfind(" by ", at, end) + 4 : end]


def _parse_access_header(header: str, is_previous: bool) -> GoStackRecord | None:
    """Parse "Previous write at 0x00c0000a1238 by goroutine 6:"."""
    operation, _, rest = header.partition(" at 0x")
    address, _, actor = rest.partition(" by ")
    parsed = _OP_BY_HEADER.get(operation)
    if parsed is None or parsed[1] is not is_previous or not 0 < len(address) <= 16:
        return None
    if actor != f"{_MAIN_GOROUTINE}:" and not (
        actor.startswith("goroutine ") and actor.endswith(":") and _is_number(actor[10:-1])
    ):
        return None
    return GoStackRecord(actor[:-1], parsed[0], f"0x{address}") if not address.strip(_HEX_DIGITS) else None


def _is_number(text: str) -> bool:
    return 0 < len(text) <= 18 and not text.strip(_DECIMAL_DIGITS)


def _parse_creation_header(header: str) -> GoStackRecord | None:
    """Parse "Goroutine 7 (running) created at:"."""
    number, _, rest = header.removeprefix("Goroutine ").partition(" (")
    state = _STATE_BY_HEADER.get(rest)
    if state is None or not _is_number(number):
        return None
    return GoStackRecord(f"goroutine {number}", state=state)
