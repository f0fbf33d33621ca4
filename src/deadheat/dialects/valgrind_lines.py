"""Parses the lines that Helgrind and DRD have in common: frames, addresses, other Valgrind output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import Folds
from deadheat.dialects.line_grammar import Role, Token
from deadheat.model import Frame, Location, Origin
from deadheat.symbols import frame_lists, native
from deadheat.text.late import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

    from deadheat.dialects.line_grammar import Draft, Section

HEX = r"0x[0-9A-Fa-f]{1,16}"
# "at 0x10A23A: work(int*) (races.cc:13)"; "by 0x4938578: ??? (in /usr/lib/libstdc++.so.6)"
_FRAME = regex(rf"(?P<first>at|by) {HEX}: ?(?=\S)")
# " (races.cc:13)", " (in /usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30)"
_PLACE = regex(r" ?\((?:in (?P<object>[^()]{1,1000})|(?P<file>[^():]{1,1000}):(?P<line>\d{1,9}))\)")
# a location that was cut: " (races.c", " (in /usr/li"
_BROKEN_PLACE = regex(r" \([^()]*$")
# the starts of lines that were joined: the process id, or known words
FOLDS = Folds(
    regex(
        r"(?P<end>)(?:(?<!=)(?===\d{1,9}== )|(?<!== )(?<!==  )(?<!==    )(?="
        r"(?:at|by) 0x[0-9A-F]{4,16}: |-{3}Thread-A|Possible data|This conf|Locks held: |Thread #\d"
        r"|(?<!at )Address 0x|Location 0x|Block was all|Conflicting [ls]|Other seg|Allocation con"
        r"|declared at |Lock at ))"
    ),
    regex(
        r"\w.{0,40}==\d{1,9}==\s{1,8}at 0x[0-9A-F]{4}"
        r"|(?:thread #\d{1,9}|none|size \d{1,9})[^\w=]{0,40}at 0x[0-9A-F]{4,16}: "
    ),
)
# "Address 0x4d76c8c is 12 bytes inside a block of size 40 alloc'd"
_ADDRESS = regex(rf"(?P<word>Address|Location) (?P<address>{HEX}) is ")
_OFFSET = r"(?P<offset>\d[\d,]{0,18}) bytes? "
_WHAT = regex(
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
_EXPRESSION = regex(rf"{_OFFSET}inside (?P<name>(?!(?:an?|global|local|data)\b)[^\s,]{{1,300}}),?")
_DETAILS = {
    # "declared at cart.c:3", "a global variable declared at x.c:9", "... in frame #0 of thread 1"
    "declared": regex(
        r"(?:a global variable )?declared at (?P<file>[^:]{1,1000}):(?P<line>\d{1,9})"
        r"(?:, in frame #\d{1,4} of thread (?P<owner>\d{1,9}))?"
    ),
    # "in frame #1, created by main (races.cc:14)"
    "in-frame": regex(
        r"in frame #\d{1,4}, created by (?P<function>.{1,1000}?)"
        r" \((?P<file>[^():]{1,1000}):(?P<line>\d{1,9})\)"
    ),
    # "Block was alloc'd by thread #1", "Block was alloc'd at"
    "allocated-by": regex(r"Block was alloc'd by thread (?P<owner>#?\d{1,9})"),
}
# other output of Valgrind, which ends a report
_STOP = regex(
    r"ERROR SUMMARY: |(?:HEAP|LEAK) SUMMARY:|Process terminating with |Use --history-level="
    r"|For (?:lists|counts) of detected |Invalid (?:read|write) of size |Invalid free\(\)"
    r"|Mismatched free\(\)|Conditional jump or move depends |Use of uninitialised value "
    r"|Syscall param |Source and destination overlap |<insert_a_suppression_name_here>"
    r"|[\d,]{1,20} (?:\([^)]{1,60}\) )?bytes in [\d,]{1,20} blocks are "
)

_LISTS = frame_lists.read("valgrind.frames.txt")
_RUNTIME_FILES = frozenset(_LISTS["runtime files"])
_STDLIB_FILES = frozenset(_LISTS["stdlib files"] + _LISTS["stdlib headers"])
_STDLIB_FUNCTIONS = tuple(name for name in _LISTS["stdlib functions"] if name[-1] in "_:")
_STDLIB_NAMES = frozenset(_LISTS["stdlib functions"])
# the return type of a template's instance: "void std::__invoke_impl<void, f>(f&&)"
_RETURN_TYPE = regex(r"^[^\s(]{1,4000}? (?=std::|__gnu_cxx::)")
_SYMBOL_VERSION = regex(r"@[@*].*$")
# "_ZL6basket", "_ZN4shop6basketE", "_ZZ4workE5count"
_MANGLED = regex(r"_Z(?:N|Z)?L?(?=\d)")
_PART = regex(r"L?(\d{1,3})")
_BOTTOMS = ("main", "(below main)", "clone", "clone3")


# raw bytes: a program counter, which may be wrapped or contain stray bytes
_COUNTER = regex(
    rb"0x[0-9A-Fa-f\x00-\x08\x0e-\x1f\x7f-\xff]{0,20}(?::|[^\w ,.()]{0,8}\n)"
    rb"|(?:at|by) 0(?:[^\w ,.()]{0,8}\n|[\x00-\x08\x0e-\x1f\x7f-\xff]{1,8}x)"
)


def promises(ahead: bytes) -> bool:
    """Might these raw bytes contain a frame?"""
    return b"0x" in ahead and _COUNTER.search(ahead) is not None


# -- tokens ----------------------------------------------------------------------------------------


def shared(body: str) -> Token | None:
    """Parse a frame, the description of an address, or other output that ends a report."""
    if (match := _FRAME.match(body)) is not None:
        return _frame_token(body, match)
    if "0x" in body and (match := _ADDRESS.search(body)) is not None:
        return _address_token(body, match)
    if match := _STOP.match(body):
        return Token(Role.STOP, "stop", {}, 0, match.end())
    for name, pattern in _DETAILS.items():
        if match := pattern.search(body):
            return found(Role.DETAIL, name, match)
    return None


def found(role: Role, name: str, match: re.Match[str], whole: bool = True) -> Token:
    """A token with the named groups of a match as its fields."""
    fields = {key: value for key, value in match.groupdict().items() if value is not None}
    return Token(role, name, fields, match.start(), match.end(), whole)


def _frame_token(body: str, head: re.Match[str]) -> Token:
    number = 0 if head["first"] == "at" else 1  # first frame, any other
    place = _PLACE.search(body, head.end())
    if place is None:
        function = _BROKEN_PLACE.sub("", body[head.end() :])
        whole = function == "???" == body[head.end() :]
        return Token(Role.FRAME, "frame", {"function": function}, 0, len(body), whole, number)
    fields = {key: value for key, value in place.groupdict().items() if value}
    fields["function"] = body[head.end() : place.start()]
    return Token(Role.FRAME, "frame", fields, 0, place.end(), True, number)


def _address_token(body: str, head: re.Match[str]) -> Token:
    what = _WHAT.match(body, head.end())
    if what is None and head["word"] == "Location":
        what = _EXPRESSION.match(body, head.end())
    if what is None:
        return found(Role.SECTION, "address", head, whole=False)
    token = found(Role.SECTION, "address", what)
    return token._replace(fields={**token.fields, "address": head["address"]}, start=head.start())


# "Kennel::admit(std::string const&) (kennel.cc:4)", as `format_stack` writes it
_TOLD = regex(r"(?P<function>.{1,2000}) \((?P<file>[^\s()]{1,1000}):(?P<line>\d{1,9})\)")
_DEEPEST = 60


# -- frames and memory --------------------------------------------------------------------------------


def frame(token: Token) -> Frame:
    """Build a frame; its path is the object file if there is no source."""
    fields = token.fields
    path = fields.get("file") or fields.get("object", "")
    line = int(fields["line"]) if "line" in fields else None
    return _placed(fields["function"].strip(), path, line)


def _placed(function: str, path: str, line: int | None) -> Frame:
    made = native.frame(function, path, line)
    return made._replace(origin=_origin(made))


def _origin(made: Frame) -> Origin:
    name = made.path.rpartition("/")[2]
    if name in _RUNTIME_FILES or name.startswith(_LISTS["runtime libraries"]):
        return Origin.RUNTIME
    function = _SYMBOL_VERSION.sub("", _RETURN_TYPE.sub("", made.function))
    # a source without an extension is a standard library header: "(thread:264)"
    if (
        name in _STDLIB_FILES
        or (made.line and "." not in name)
        or function in _STDLIB_NAMES
        or function.startswith(_STDLIB_FUNCTIONS)
    ):
        return Origin.STDLIB
    return made.origin


def ends_at_a_bottom(frames: Sequence[Frame]) -> bool:
    """Is the last frame the outermost one, so that the stack is complete?"""
    return bool(frames) and frames[-1].function in _BOTTOMS


def location(section: Section, thread: str = "thread ") -> Location:
    """Build a location from an `address` section. `thread` is the prefix of thread names."""
    fields = section.fields
    told = {token.name: token.fields for token in section.details}
    declared = told.get("declared", {})
    owner = (
        fields.get("owner") or declared.get("owner") or told.get("allocated-by", {}).get("owner")
    )
    offset = fields.get("offset")
    if fields.get("side") == "inside":
        offset = fields["distance"]
    stack = tuple(section.frames)
    if "in-frame" in told:
        stack = (frame(Token(Role.FRAME, "frame", told["in-frame"], 0, 0)),)
    return Location(
        kind=_kind(fields, declared),
        name=demangled(fields["name"]) if "name" in fields else None,
        address=fields["address"],
        size=_number(fields.get("size")),
        offset=_number(offset),
        actor=f"{thread}{owner.lstrip('#')}" if owner else None,
        file=declared.get("file"),
        line=_number(declared.get("line")),
        stack=stack,
    )


def _kind(fields: dict[str, str], declared: dict[str, str]) -> str:
    if "size" in fields:
        return "heap"
    if "owner" in fields or "owner" in declared or fields.get("var") == "local var":
        return "stack"
    return "global" if "name" in fields or "segment" in fields else "unknown"


def _number(digits: str | None) -> int | None:
    return int(digits.replace(",", "")) if digits else None


def demangled(name: str) -> str:
    """Demangle the name of a variable: `_ZN4shopL6basketE` is `shop::basket`."""
    head = _MANGLED.match(name)
    if head is None:
        return name
    parts, at = [], head.end()
    while (length := _PART.match(name, at)) is not None:
        at = length.end() + int(length[1])
        parts.append(name[length.end() : at])
        at += name[at : at + 1] == "E" and name[at + 1 : at + 2].isdigit()
    if not all(parts):
        return name
    return "::".join("(anonymous namespace)" if part == "_GLOBAL__N_1" else part for part in parts)


def told_stacks(draft: Draft, *names: str) -> bool:
    """Does every section with one of these names have a stack?"""
    return all(section.frames for section in draft.named(*names))


def told(section: Section) -> str:
    """Format a stack in one line, innermost first, for a fact of a report."""
    return " < ".join(
        f"{f.function} ({f.file}:{f.line})" if f.line else f.function for f in section.frames
    )


def stack_of(told: str) -> list[Frame]:
    """Parse the output of `format_stack`; frames without a location are skipped."""
    found = [_TOLD.fullmatch(part) for part in told.split(" < ", _DEEPEST)[:_DEEPEST]]
    return [_placed(one["function"], one["file"], int(one["line"])) for one in found if one]


def distinct(facts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Merge facts with the same name into one."""
    together: dict[str, list[str]] = {}
    for name, value in facts:
        together.setdefault(name, []).append(value)
    return tuple((name, "; ".join(dict.fromkeys(values))) for name, values in together.items())
