"""Miri, the interpreter that detects undefined behavior in Rust.

## What it prints

    error: Undefined Behavior: Data race detected between (1) non-atomic write on thread `unnamed-1` and (2) non-atomic read on thread `main` at alloc1352+0x8
      --> src/cart.rs:40:9
       |
    40 |         self.total
       |         ^^^^^^^^^^ (2) just happened here
       |
    help: and (1) occurred earlier here
      --> src/cart.rs:31:9
       |
    31 |         self.total += price;
       |         ^^^^^^^^^^^^^^^^^^^
       = note: this is on thread `main`
       = note: stack backtrace:
               0: shop::Cart::total
                   at src/cart.rs:40:9: 40:19
               1: main
                   at src/main.rs:12:5: 12:17

    error: aborting due to 1 previous error

The later access has a stack, the earlier one only a location. The function of the earlier access is taken from the
other stack if that contains the same line, and is `??` otherwise. Before 2023, accesses had no numbers and the earlier
one had no location. Until 2025, the stack was a list of notes (`= note: inside ... at ...`, `note: inside ...`). All
these formats are parsed, with their names of the operations.

A retag counts as the read or write that Miri calls it, and the creation of an allocation as a write. The printed
wording of each access is a fact. If one access frees the memory, the kind is `use-after-free`; for atomic accesses of
different sizes, it is `mixed-size-race`. The allocation is the location. The actor of the later access was created by
the code that Miri names as the start of its thread.

## Damage that is tolerated

Foreign lines anywhere, a first line wrapped at any column, missing quoted source, indentation, help and stack. A report
needs its first line and one location.
"""  # noqa: E501

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.detectors import Detector, JoinedLinePatterns, find_site
from deadheat.detectors.grammar_parser import GrammarParser, LineRole, LineToken, search_patterns, token_from_match
from deadheat.model import Access, Actor, ActorState, Damage, Frame, Location, Op, Report
from deadheat.symbols import rust
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.detectors.grammar_parser import ReportDraft, ReportSection

# All spaces are optional, as they can be lost where a line is wrapped.
_RACE_PHRASE = r"(?:Data ?race|Race ?condition)"
_ERROR_START = r"(?:test (?P<test>\S{1,200}) \.\.\. )?(?:error: ?)?Undefined ?Behavior:"
# the start of it at the end of a line: "Data ra"
_CUT_PHRASE = r"(?:[DR][a-z]{0,3}(?: ?[a-z]{0,9})?)?=?"
# the start of a report, even if its line continues on the next
_REPORT_START = lazy_compile(rf"{_ERROR_START}(?: ?{_RACE_PHRASE}| ?{_CUT_PHRASE}\s*$)")


def _access_pattern(number: int) -> str:
    """`(1) non-atomic write on thread `unnamed-1``, `Read on Thread(id = 0, name = "main")`."""
    return (
        rf" ?(?:\((?P<number{number}>\d)\) ?)?(?P<op{number}>[A-Za-z0-9, -]{{3,90}}?)"
        rf"(?: ?of ?type ?`(?P<type{number}>[^`]{{1,300}})`)?"
        rf" ?on ?(?:thread ?`(?P<thread{number}>[^`]{{1,100}})`|Thread\((?P<id{number}>[^)]{{1,100}})\))"
    )


# "error: Undefined Behavior: Data race detected between (1) non-atomic write on thread `unnamed-1` and (2) non-atomic
# read on thread `main` at alloc123+0x8. (2) just happened here"
_RACE_LINE = lazy_compile(
    rf"{_ERROR_START} ?(?P<what>{_RACE_PHRASE}) ?detected ?between{_access_pattern(1)} ?and{_access_pattern(2)}"
    r" ?at ?(?P<alloc>alloc\d{1,18})(?:\+0x(?P<offset>[0-9a-f]{1,16}))?"
    r"(?P<end>\. ?\((?P<now>\d)\) ?just ?happened ?here|\. ?The .{1,80} is ?here"
    r"|,? ?\(current ?vector ?clock.{0,2000}|(?P<cut>\+?0?x?=?$|[., (][^`]{0,300}$))?"
)
_CUT_RACE_LINE = lazy_compile(
    rf"{_ERROR_START} ?(?:{_RACE_PHRASE} ?(?:detected.{{0,900}}|[a-z]{{0,7}}=?)|{_CUT_PHRASE})$"
)
_MAX_CUT_LENGTH = 1_200
_OTHER_ERROR = lazy_compile(r"^error: ?Undefined ?Behavior: |^error\[E\d{4}\]: ")
# "help: and (1) occurred earlier here"; of December 2022: "help: and the Write on thread `main` is here"
_EARLIER_ACCESS = lazy_compile(
    r"help: ?(?:and ?\((?P<number>\d)\) ?occurred ?earlier ?here"
    r"|(?:and the|The) (?P<op>[A-Za-z ]{3,40}) on thread `[^`]{1,100}` is here)"
)
# a later line of a report whose first line may be wrapped
_REPORT_FRAGMENT = lazy_compile(r"caused Undefined Behavior|race detected between")

# the starts of lines that were joined
_JOINED_LINES = JoinedLinePatterns(
    lazy_compile(
        r"(?P<end>)(?=error: |-->|(?:= |(?<!= ))(?:help|note): |(?<= )\d{1,7} +\| |(?<! )\| |(?<=  )\| "
        r"|(?<= )\d{1,4}: (?=[A-Za-z_<{&])|(?<= )(?<!` )at (?=[^\s:]{1,300}\.rs:\d))"
    ),
    lazy_compile(r"[\w.`]\W{0,40}?--> [^\s:]{1,300}\.rs:\d"),
)

_SPAN = r"(?:: \d{1,7}:\d{1,7})?"
_LOCATION = r"(?P<path>[^\s`|^][^`|^]{0,500}?\.rs):(?P<line>\d{1,7}):(?P<column>\d{1,7})"
# "  --> src/main.rs:12:5", also with typographic dashes
_ARROW_LINE = lazy_compile(rf"(?:-->|[-–]?→|[–—]>) ?{_LOCATION}")
# "    at src/main.rs:12:5: 12:9", below its function
_AT_LINE = lazy_compile(rf"^at {_LOCATION}{_SPAN}\W{{0,9}}$")
# "= note: inside `shop::Cart::add` at src/cart.rs:12:5: 12:9", "note: inside closure"
_INSIDE_NOTE = lazy_compile(
    r"(?P<inline>=(?:3D)? )?note: inside ?(?:`(?P<function>[^`]{1,2000})`|(?P<closure>closure))"
    rf"(?: ?at ?{_LOCATION}{_SPAN}|(?P<cut> ?at(?: ?\S{{0,500}})?)=?$)?"
)
_CUT_INSIDE_NOTE = lazy_compile(r"(?:= )?note: inside(?: ?`[^`]{0,2000})?=?$")
# "0: shop::Cart::add" in a backtrace
_NUMBERED_FRAME = lazy_compile(r"^(?P<open>\d{1,4}): ?(?P<function>[A-Za-z_<{&*(\[][^`|]{0,2000}?)[^\w>})\]]{0,9}$")
# the same joined with its location, perhaps without the number
_JOINED_FRAME = lazy_compile(
    rf"^(?:\d{{1,4}}: ?)?(?P<function>[A-Za-z_<{{&*][^\s`|^]{{0,500}}?) ?at {_LOCATION}{_SPAN}$"
)
# "note: the current function got called indirectly due to this code"
_SPAWN_NOTE = lazy_compile(
    r"note: the (?:current function|last function in that backtrace) got called indirectly due to this code"
)
_CLOSING_LINE = lazy_compile(r"error: aborting due to |error: test failed, to rerun")
_END_NOTE = lazy_compile(r"note: some details are omitted")
# quoted source "12 |     *x = 1;" with its marks, and constant help texts
_BOILERPLATE = lazy_compile(
    r"^(?:(?:\d{1,7}|LL|\.\.\.)\s{0,8})?\|(?:\s|$)|^=(?:3D)? (?:help|note): |^\^{1,200}(?: |$)"
    r"|^note: run with `RUST_BACKTRACE|^\((?:1|2)\) just happened here$"
)


def _parse_race_line(body: str) -> LineToken | None:
    if "alloc" in body and (match := _RACE_LINE.search(body)):
        has_ended = match["end"] is not None and match["cut"] is None
        is_complete = has_ended or match.end() < len(body.rstrip(" ="))
        return token_from_match(LineRole.SECTION, "race", match, is_complete)
    if match := _CUT_RACE_LINE.search(body, max(0, len(body) - _MAX_CUT_LENGTH)):
        return LineToken(LineRole.SECTION, "race", {}, *match.span(), is_complete=False)
    if match := _OTHER_ERROR.match(body):
        return LineToken(LineRole.STOP, "error", {}, *match.span())
    return None


def _parse_inside_note(body: str) -> LineToken | None:
    if match := _INSIDE_NOTE.search(body):
        # a location may follow or continue on the next line
        is_complete = match["path"] is not None or match["inline"] is None
        return token_from_match(LineRole.SECTION, "inside", match, is_complete)
    if match := _CUT_INSIDE_NOTE.search(body):
        return LineToken(LineRole.SECTION, "inside", {}, *match.span(), is_complete=False)
    return None


def _parse_backtrace_line(body: str) -> LineToken | None:
    if match := _AT_LINE.match(body):
        # the function may be on the line before
        return token_from_match(LineRole.FRAME, "place", match, is_complete=False)
    if match := _JOINED_FRAME.match(body):
        return token_from_match(LineRole.SECTION, "inside", match)
    match = _NUMBERED_FRAME.match(body)
    if match is None or not ("::" in body or match["function"].isidentifier()):
        return None
    is_complete = match["function"].count("<") <= match["function"].count(">")
    return token_from_match(LineRole.SECTION, "inside", match, is_complete)


# names of operations in all versions, without spaces; the first match counts
_OP_PATTERNS = (
    (lazy_compile(r"dealloc"), Op.FREE),
    (lazy_compile(r"alloc"), Op.WRITE),
    (lazy_compile(r"(?<!non-)atomic(?:load|read$)|atomicloads"), Op.ATOMIC_READ),
    (lazy_compile(r"(?<!non-)atomic"), Op.ATOMIC_WRITE),
    (lazy_compile(r"read$"), Op.READ),
    (lazy_compile(r"write$"), Op.WRITE),
)
_ACCESS_SIZE = lazy_compile(r"(\d{1,4})-byte")
# 'id = 0, name = "main"'
_THREAD_ID = lazy_compile(r'id ?= ?(?P<id>\d{1,9})(?:, ?name ?= ?"(?P<name>[^"]{1,100})")?')


def _race_section(draft: ReportDraft) -> ReportSection | None:
    return next((s for s in draft.find_sections("race") if "op1" in s.fields), None)


def _latest_access(fields: dict[str, str], earlier: ReportSection | None) -> int:
    """The number of the later access; 1 if the accesses have no numbers."""
    if "now" in fields:
        return 2 if fields["now"] == "2" else 1
    if earlier is not None and "number" in earlier.fields:
        return 1 if earlier.fields["number"] == "2" else 2
    return 2 if "number1" in fields else 1


def _latest_stack(draft: ReportDraft, race: ReportSection) -> list[Frame]:
    """The stack of the later access, whose innermost location is printed separately."""
    inside_sections = [section for section in draft.find_sections("inside") if _function_name(section)]
    last = draft.sections[-1]
    if inside_sections and inside_sections[-1] is last and "open" in last.fields and not last.frames:
        inside_sections.pop()  # the text may be cut within this name
    frames = [_build_frame(section) for section in inside_sections]
    if not race.frames:
        return frames
    location = race.frames[0]
    if not frames:
        return [location]
    first = frames[0]
    if not first.path:
        return [rust.make_frame(first.function, location.path, location.line), *frames[1:]]
    return frames if (first.file, first.line) == (location.file, location.line) else [location, *frames]


def _function_name(section: ReportSection) -> str:
    function = section.fields.get("function") or section.fields.get("closure", "")
    # spaces may be lost or added where a line was wrapped
    return re.sub(r",\s*", ", ", function.strip())


def _build_frame(section: ReportSection) -> Frame:
    fields = section.fields
    if "path" in fields:
        return rust.make_frame(_function_name(section), fields["path"], int(fields["line"]))
    path, line = (section.frames[0].path, section.frames[0].line) if section.frames else ("", None)
    return rust.make_frame(_function_name(section), path, line)


def _name_from_stack(frames: list[Frame], stack: list[Frame]) -> list[Frame]:
    """The frames, named after frames of the other stack on the same line."""
    known = {(f.file, f.line): f.function for f in reversed(stack)}
    return [rust.make_frame(known.get((f.file, f.line), f.function), f.path, f.line) for f in frames]


def _thread_names(fields: dict[str, str]) -> list[str]:
    """The names of the two threads, numbered if they are equal."""
    names = []
    for number in "12":
        match = _THREAD_ID.search(fields.get(f"id{number}", ""))
        name = match["name"] or match["id"] if match else fields.get(f"thread{number}", "")
        names.append(f"thread {name}")
    return names if names[0] != names[1] else [f"{name} ({n})" for n, name in enumerate(names, 1)]


def _build_access(fields: dict[str, str], number: int, actor: str, stack: tuple[Frame, ...]) -> Access:
    wording = fields[f"op{number}"]
    compact = wording.replace(" ", "").lower()
    op = next((op for pattern, op in _OP_PATTERNS if pattern.search(compact)), Op.UNKNOWN)
    size = _ACCESS_SIZE.search(wording)
    return Access(op, actor, stack, size=int(size[1]) if size else None, site=find_site(stack))


def _report_facts(fields: dict[str, str]) -> Iterator[tuple[str, str]]:
    for number in "12":
        kind = fields.get(f"type{number}")
        wording = " ".join(fields[f"op{number}"].split())
        yield f"access {number}", f"{wording} of type `{kind}`" if kind else wording


class MiriDetector(Detector):
    """Miri, in all report formats since 2020."""

    name = "miri"
    display_name = "Miri"
    symbols = rust
    anchors = (
        # in the first line, and in the help below it; then the same, colored word by word, ...
        *(b"Undefined Behavior", b"Data race detected", b"Undefined\x1b[", b"Undefined \x1b["),
        # ... copied from a web page, with a tag around each word
        *(b"Undefined\xc2\xa0Behavior", b"Undefined&nbsp;Behavior", b"Undefined</"),
    )
    hints = (b"Undefined", b"Data race")
    opening_literals = ("Behavior:",)
    opening_patterns = (_REPORT_START,)
    fragment_pattern = _REPORT_FRAGMENT
    required_literals = ((b".rs", b".<"),)
    joined_lines = _JOINED_LINES
    allows_headerless_stack = False

    def anchor_starts_report(self, anchor: bytes) -> bool:
        return anchor.startswith(b"Undefined")

    def new_parser(self) -> GrammarParser:
        return GrammarParser(self)

    def parse_line(self, body: str) -> LineToken | None:
        if "Behavior:" in body and (token := _parse_race_line(body)):
            return token
        if token := search_patterns(LineRole.SECTION, {"earlier": _EARLIER_ACCESS, "spawned": _SPAWN_NOTE}, body):
            return token
        if "inside" in body and (token := _parse_inside_note(body)):
            return token
        if match := _ARROW_LINE.search(body):
            return token_from_match(LineRole.FRAME, "place", match)
        if match := _CLOSING_LINE.search(body):
            return LineToken(LineRole.CLOSING, "closing", {}, match.start(), len(body))
        if match := _END_NOTE.search(body):
            return LineToken(LineRole.DETAIL, "end", {}, match.start(), len(body))
        if match := _BOILERPLATE.search(body):
            return LineToken(LineRole.DETAIL, "furniture", {}, match.start(), len(body))
        return _parse_backtrace_line(body)

    def build_frame(self, token: LineToken) -> Frame:
        return rust.make_frame(rust.UNNAMED_FUNCTION, token.fields["path"], int(token.fields["line"]))

    def starts_new_report(self, draft: ReportDraft, token: LineToken) -> bool:
        return token.name == "race" and bool(draft.sections)

    def is_complete(self, draft: ReportDraft) -> bool:
        race = _race_section(draft)
        if race is None or not race.frames:
            return False
        earlier = draft.find_sections("earlier")
        has_location = bool(earlier and earlier[-1].frames)
        has_ended = draft.is_closed or any(t.name == "end" for s in draft.sections for t in s.details)
        has_ended = has_ended or any(section.frames for section in draft.find_sections("spawned"))
        return has_ended and (has_location or "number1" not in race.fields)

    def build_report(self, draft: ReportDraft, damage: set[Damage]) -> Report | None:
        race = _race_section(draft)
        if race is None:
            return None
        earlier = next(reversed(draft.find_sections("earlier")), None)
        fields = race.fields
        stack = _latest_stack(draft, race)
        earlier_frames = _name_from_stack(earlier.frames[:1] if earlier is not None else [], stack)
        if not stack and not earlier_frames:
            return None
        latest = _latest_access(fields, earlier)
        names = _thread_names(fields)
        stacks = {latest: tuple(stack), 3 - latest: tuple(earlier_frames)}
        spawned = next((tuple(section.frames[:1]) for section in draft.find_sections("spawned")), ())
        actors = [Actor(name, ActorState.MAIN if name == "thread main" else ActorState.UNKNOWN) for name in names]
        actors[latest - 1] = actors[latest - 1]._replace(created_at=spawned)
        kind = "data-race" if fields["what"].startswith("Data") else "mixed-size-race"
        accesses = [_build_access(fields, number, names[number - 1], stacks[number]) for number in (1, 2)]
        return Report(
            self.name,
            "use-after-free" if any(access.op is Op.FREE for access in accesses) else kind,
            tuple(accesses),
            tuple(actors),
            Location("unknown", fields["alloc"], offset=int(fields["offset"], 16) if "offset" in fields else None),
            fields.get("test"),
            tuple(sorted(damage)),
            facts=tuple(_report_facts(fields)),
        )


DETECTOR = MiriDetector()
