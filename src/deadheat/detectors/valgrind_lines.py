"""Parses the lines that Helgrind and DRD have in common: frames, addresses, other Valgrind output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.detectors import Detector, JoinedLinePatterns
from deadheat.detectors.grammar_parser import LineRole, LineToken, search_patterns, token_from_match
from deadheat.model import Frame, Location, Lock, Origin
from deadheat.symbols import native, read_frame_list
from deadheat.text import lazy_compile

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from deadheat.detectors.grammar_parser import ReportDraft, ReportSection

HEX = r"0x[0-9A-Fa-f]{1,16}"
# "at 0x10A23A: work(int*) (races.cc:13)"; "by 0x4938578: ??? (in /usr/lib/libstdc++.so.6)"
_FRAME_LINE = lazy_compile(rf"(?P<first>at|by) {HEX}: ?(?=\S)")
# " (races.cc:13)", " (in /usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30)"
_FRAME_LOCATION = lazy_compile(r" ?\((?:in (?P<object>[^()]{1,1000})|(?P<file>[^():]{1,1000}):(?P<line>\d{1,9}))\)")
# a location that was cut: " (races.c", " (in /usr/li"
_CUT_LOCATION = lazy_compile(r" \([^()]*$")
# the starts of lines that were joined: the process id, or known words
_JOINED_LINES = JoinedLinePatterns(
    lazy_compile(
        r"(?P<end>)(?:(?<!=)(?===\d{1,9}== )|(?<!== )(?<!==  )(?<!==    )(?="
        r"(?:at|by) 0x[0-9A-F]{4,16}: |-{3}Thread-A|Possible data|This conf|Locks held: |Thread #\d"
        r"|(?<!at )Address 0x|Location 0x|Block was all|Conflicting [ls]|Other seg|Allocation con"
        r"|declared at |Lock at ))"
    ),
    lazy_compile(
        r"\w.{0,40}==\d{1,9}==\s{1,8}at 0x[0-9A-F]{4}"
        r"|(?:thread #\d{1,9}|none|size \d{1,9})[^\w=]{0,40}at 0x[0-9A-F]{4,16}: "
    ),
)
# "Address 0x4d76c8c is 12 bytes inside a block of size 40 alloc'd"
_ADDRESS_LINE = lazy_compile(rf"(?P<word>Address|Location) (?P<address>{HEX}) is ")
_OFFSET = r"(?P<offset>\d[\d,]{0,18}) bytes? "
_ADDRESS_DESCRIPTION = lazy_compile(
    "|".join(
        (
            # 0 bytes inside data symbol "stock"; 0 bytes inside local var "total"
            rf'{_OFFSET}inside (?P<var>global var|local var|data symbol) "(?P<name>[^"]{{1,1000}})"',
            # 12 bytes inside a block of size 40 alloc'd; after a block of size 8 free'd
            r"(?P<distance>\d[\d,]{0,18}) bytes? (?P<side>inside|before|after) an?"
            r"(?: [a-z-]{1,20}){0,2} block of size (?P<size>\d[\d,]{0,18})"
            r"(?P<fate> alloc'd| free'd| client-defined| in arena \"[^\"]{1,40}\")?",
            # on thread #1's stack; on thread 2's stack
            r"on thread (?P<owner>#?\d{1,9})'s stack",
            # in the BSS segment of /src/shop; in a rw- anonymous segment
            r"in the (?P<segment>\S{1,40}) segment of (?P<of>\S{1,1000})|in a .{1,1000}? segment",
            r"in the brk data segment|\d[\d,]{0,18} bytes after the brk data segment",
            r"not stack'd, malloc'd or .{1,40}free'd|just below the stack ptr",
        )
    )
)
# Location 0x10c080 is 8 bytes inside page.flags[2],
_EXPRESSION = lazy_compile(rf"{_OFFSET}inside (?P<name>(?!(?:an?|global|local|data)\b)[^\s,]{{1,300}}),?")
_DETAIL_PATTERNS = {
    # "declared at cart.c:3", "a global variable declared at x.c:9", "... in frame #0 of thread 1"
    "declared": lazy_compile(
        r"(?:a global variable )?declared at (?P<file>[^:]{1,1000}):(?P<line>\d{1,9})"
        r"(?:, in frame #\d{1,4} of thread (?P<owner>\d{1,9}))?"
    ),
    # "in frame #1, created by main (races.cc:14)"
    "in-frame": lazy_compile(
        r"in frame #\d{1,4}, created by (?P<function>.{1,1000}?) \((?P<file>[^():]{1,1000}):(?P<line>\d{1,9})\)"
    ),
    # "Block was alloc'd by thread #1", "Block was alloc'd at"
    "allocated-by": lazy_compile(r"Block was alloc'd by thread (?P<owner>#?\d{1,9})"),
}
# other output of Valgrind, which ends a report
_OTHER_OUTPUT = lazy_compile(
    r"ERROR SUMMARY: |(?:HEAP|LEAK) SUMMARY:|Process terminating with |Use --history-level="
    r"|For (?:lists|counts) of detected |Invalid (?:read|write) of size |Invalid free\(\)"
    r"|Mismatched free\(\)|Conditional jump or move depends |Use of uninitialised value "
    r"|Syscall param |Source and destination overlap |<insert_a_suppression_name_here>"
    r"|[\d,]{1,20} (?:\([^)]{1,60}\) )?bytes in [\d,]{1,20} blocks are "
)

_FRAME_LISTS = read_frame_list("valgrind.frames.txt")
_RUNTIME_FILES = frozenset(_FRAME_LISTS["runtime files"])
_STDLIB_FILES = frozenset(_FRAME_LISTS["stdlib files"] + _FRAME_LISTS["stdlib headers"])
_STDLIB_PREFIXES = tuple(name for name in _FRAME_LISTS["stdlib functions"] if name[-1] in "_:")
_STDLIB_NAMES = frozenset(_FRAME_LISTS["stdlib functions"])
# the return type of a template's instance: "void std::__invoke_impl<void, f>(f&&)"
_RETURN_TYPE = lazy_compile(r"^[^\s(]{1,4000}? (?=std::|__gnu_cxx::)")
_SYMBOL_VERSION = lazy_compile(r"@[@*].*$")
# "_ZL6basket", "_ZN4shop6basketE", "_ZZ4workE5count"
_MANGLED_VARIABLE = lazy_compile(r"_Z(?:N|Z)?L?(?=\d)")
_NAME_LENGTH = lazy_compile(r"L?(\d{1,3})")
_OUTERMOST_FUNCTIONS = ("main", "(below main)", "clone", "clone3")


def parse_shared_line(body: str) -> LineToken | None:
    """Parse a frame, the description of an address, or other output that ends a report."""
    if (match := _FRAME_LINE.match(body)) is not None:
        return _parse_frame_line(body, match)
    if "0x" in body and (match := _ADDRESS_LINE.search(body)) is not None:
        return _parse_address_line(body, match)
    if match := _OTHER_OUTPUT.match(body):
        return LineToken(LineRole.STOP, "stop", {}, 0, match.end())
    return search_patterns(LineRole.DETAIL, _DETAIL_PATTERNS, body)


def _parse_frame_line(body: str, head: re.Match[str]) -> LineToken:
    number = 0 if head["first"] == "at" else 1  # first frame, any other
    place = _FRAME_LOCATION.search(body, head.end())
    if place is None:
        function = _CUT_LOCATION.sub("", body[head.end() :])
        is_complete = function == "???" == body[head.end() :]
        return LineToken(LineRole.FRAME, "frame", {"function": function}, 0, len(body), is_complete, number)
    token = token_from_match(LineRole.FRAME, "frame", place)
    fields = {**token.fields, "function": body[head.end() : place.start()]}
    return token._replace(fields=fields, start=0, frame_number=number)


def _parse_address_line(body: str, head: re.Match[str]) -> LineToken:
    description = _ADDRESS_DESCRIPTION.match(body, head.end())
    if description is None and head["word"] == "Location":
        description = _EXPRESSION.match(body, head.end())
    if description is None:
        return token_from_match(LineRole.SECTION, "address", head, is_complete=False)
    token = token_from_match(LineRole.SECTION, "address", description)
    return token._replace(fields={**token.fields, "address": head["address"]}, start=head.start())


# "Kennel::admit(std::string const&) (kennel.cc:4)", as `format_stack` writes it
_FORMATTED_FRAME = lazy_compile(r"(?P<function>.{1,2000}) \((?P<file>[^\s()]{1,1000}):(?P<line>\d{1,9})\)")
_MAX_FRAMES = 60


def build_frame(token: LineToken) -> Frame:
    """Build a frame; its path is the object file if there is no source."""
    fields = token.fields
    path = fields.get("file") or fields.get("object", "")
    line = int(fields["line"]) if "line" in fields else None
    return _frame_with_origin(fields["function"].strip(), path, line)


def _frame_with_origin(function: str, path: str, line: int | None) -> Frame:
    frame = native.make_frame(function, path, line)
    return frame._replace(origin=_frame_origin(frame))


def _frame_origin(frame: Frame) -> Origin:
    name = frame.path.rpartition("/")[2]
    if name in _RUNTIME_FILES or name.startswith(_FRAME_LISTS["runtime libraries"]):
        return Origin.RUNTIME
    function = _SYMBOL_VERSION.sub("", _RETURN_TYPE.sub("", frame.function))
    # a source without an extension is a standard library header: "(thread:264)"
    if (
        name in _STDLIB_FILES
        or (frame.line and "." not in name)
        or function in _STDLIB_NAMES
        or function.startswith(_STDLIB_PREFIXES)
    ):
        return Origin.STDLIB
    return frame.origin


def build_location(section: ReportSection, thread: str = "thread ") -> Location:
    """Build a location from an `address` section. `thread` is the prefix of thread names."""
    fields = section.fields
    details = {token.name: token.fields for token in section.details}
    declared = details.get("declared", {})
    owner = fields.get("owner") or declared.get("owner") or details.get("allocated-by", {}).get("owner")
    offset = fields.get("offset")
    if fields.get("side") == "inside":
        offset = fields["distance"]
    stack = section.stack
    if "in-frame" in details:
        stack = (build_frame(LineToken(LineRole.FRAME, "frame", details["in-frame"], 0, 0)),)
    return Location(
        kind=_location_kind(fields, declared),
        name=demangle_variable(fields["name"]) if "name" in fields else None,
        address=fields["address"],
        size=_parse_number(fields.get("size")),
        offset=_parse_number(offset),
        actor=f"{thread}{owner.lstrip('#')}" if owner else None,
        file=declared.get("file"),
        line=_parse_number(declared.get("line")),
        stack=stack,
    )


def _location_kind(fields: dict[str, str], declared: dict[str, str]) -> str:
    if "size" in fields:
        return "heap"
    if "owner" in fields or "owner" in declared or fields.get("var") == "local var":
        return "stack"
    return "global" if "name" in fields or "segment" in fields else "unknown"


def _parse_number(digits: str | None) -> int | None:
    return int(digits.replace(",", "")) if digits else None


def demangle_variable(name: str) -> str:
    """Demangle the name of a variable: `_ZN4shopL6basketE` is `shop::basket`."""
    head = _MANGLED_VARIABLE.match(name)
    if head is None:
        return name
    parts, at = [], head.end()
    while (length := _NAME_LENGTH.match(name, at)) is not None:
        at = length.end() + int(length[1])
        parts.append(name[length.end() : at])
        at += name[at : at + 1] == "E" and name[at + 1 : at + 2].isdigit()
    if not all(parts):
        return name
    return "::".join("(anonymous namespace)" if part == "_GLOBAL__N_1" else part for part in parts)


def format_stack(section: ReportSection) -> str:
    """Format a stack in one line, innermost first, for a fact of a report."""
    return " < ".join(f"{f.function} ({f.file}:{f.line})" if f.line else f.function for f in section.frames)


def parse_formatted_stack(formatted: str) -> list[Frame]:
    """Parse the output of `format_stack`; frames without a location are skipped."""
    matches = [_FORMATTED_FRAME.fullmatch(part) for part in formatted.split(" < ", _MAX_FRAMES)[:_MAX_FRAMES]]
    return [_frame_with_origin(match["function"], match["file"], int(match["line"])) for match in matches if match]


def merge_facts(facts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Merge facts with the same name into one."""
    values_by_name: dict[str, list[str]] = {}
    for name, value in facts:
        values_by_name.setdefault(name, []).append(value)
    return tuple((name, "; ".join(dict.fromkeys(values))) for name, values in values_by_name.items())


def build_locks(draft: ReportDraft, observed_section: str) -> tuple[Lock, ...]:
    """The locks of a report, each with the stack of the section that says where it was first observed."""
    observed = {s.fields["lock"]: s.stack for s in draft.find_sections(observed_section)}
    lock_ids = [s.fields["lock"] for s in draft.sections if "lock" in s.fields]
    return tuple(Lock(lock, lock, observed.get(lock, ())) for lock in dict.fromkeys(lock_ids))


def has_complete_stacks(draft: ReportDraft, main: ReportSection, *other_sections: str) -> bool:
    """Do these sections have stacks, and does the last one end with its outermost frame?"""
    stacks = [main.frames, *(section.frames for section in draft.find_sections(*other_sections))]
    return all(stacks) and (draft.has_ended or stacks[-1][-1].function in _OUTERMOST_FUNCTIONS)


# raw bytes: a program counter, which may be wrapped or contain stray bytes
_PROGRAM_COUNTER = lazy_compile(
    rb"0x[0-9A-Fa-f\x00-\x08\x0e-\x1f\x7f-\xff]{0,20}(?::|[^\w ,.()]{0,8}\n)"
    rb"|(?:at|by) 0(?:[^\w ,.()]{0,8}\n|[\x00-\x08\x0e-\x1f\x7f-\xff]{1,8}x)"
)


class ValgrindDetector(Detector):
    """What Helgrind and DRD have in common."""

    symbols = native
    hints = (b"hread",)
    joined_lines = _JOINED_LINES
    allows_headerless_stack = False

    def might_contain(self, following: bytes) -> bool:
        return b"0x" in following and _PROGRAM_COUNTER.search(following) is not None

    def build_frame(self, token: LineToken) -> Frame:
        return build_frame(token)
