"""Parses single lines of Miri reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import Folds
from deadheat.dialects.line_grammar import Role, Token
from deadheat.text.late import regex

if TYPE_CHECKING:
    import re

# All spaces are optional, as they can be lost where a line is wrapped.
_WHAT = r"(?:Data ?race|Race ?condition)"
_BEGIN = r"(?:test (?P<test>\S{1,200}) \.\.\. )?(?:error: ?)?Undefined ?Behavior:"
# the start of it at the end of a line: "Data ra"
_SOME = r"(?:[DR][a-z]{0,3}(?: ?[a-z]{0,9})?)?=?"
# the start of a report, even if its line continues on the next
BEGINS = regex(rf"{_BEGIN}(?: ?{_WHAT}| ?{_SOME}\s*$)")


def _side(number: int) -> str:
    """`(1) non-atomic write on thread `unnamed-1``, `Read on Thread(id = 0, name = "main")`."""
    return (
        rf" ?(?:\((?P<number{number}>\d)\) ?)?(?P<op{number}>[A-Za-z0-9, -]{{3,90}}?)"
        rf"(?: ?of ?type ?`(?P<type{number}>[^`]{{1,300}})`)?"
        rf" ?on ?(?:thread ?`(?P<thread{number}>[^`]{{1,100}})`|Thread\((?P<id{number}>[^)]{{1,100}})\))"
    )


# "error: Undefined Behavior: Data race detected between (1) non-atomic write on thread `unnamed-1` and
# (2) non-atomic read on thread `main` at alloc123+0x8. (2) just happened here"
RACE = regex(
    rf"{_BEGIN} ?(?P<what>{_WHAT}) ?detected ?between{_side(1)} ?and{_side(2)}"
    r" ?at ?(?P<alloc>alloc\d{1,18})(?:\+0x(?P<offset>[0-9a-f]{1,16}))?"
    r"(?P<end>\. ?\((?P<now>\d)\) ?just ?happened ?here|\. ?The .{1,80} is ?here"
    r"|,? ?\(current ?vector ?clock.{0,2000}|(?P<cut>\+?0?x?=?$|[., (][^`]{0,300}$))?"
)
_CUT_RACE = regex(rf"{_BEGIN} ?(?:{_WHAT} ?(?:detected.{{0,900}}|[a-z]{{0,7}}=?)|{_SOME})$")
_LONGEST_CUT = 1_200
_OTHER_ERROR = regex(r"^error: ?Undefined ?Behavior: |^error\[E\d{4}\]: ")
# "help: and (1) occurred earlier here"; of December 2022: "help: and the Write on thread `main` is here"
_EARLIER = regex(
    r"help: ?(?:and ?\((?P<number>\d)\) ?occurred ?earlier ?here"
    r"|(?:and the|The) (?P<op>[A-Za-z ]{3,40}) on thread `[^`]{1,100}` is here)"
)
# a later line of a report whose first line may be wrapped
LATER = regex(r"caused Undefined Behavior|race detected between")

# the starts of lines that were joined
FOLDS = Folds(
    regex(
        r"(?P<end>)(?=error: |-->|(?:= |(?<!= ))(?:help|note): |(?<= )\d{1,7} +\| |(?<! )\| |(?<=  )\| "
        r"|(?<= )\d{1,4}: (?=[A-Za-z_<{&])|(?<= )(?<!` )at (?=[^\s:]{1,300}\.rs:\d))"
    ),
    regex(r"[\w.`]\W{0,40}?--> [^\s:]{1,300}\.rs:\d"),
)

_SPAN = r"(?:: \d{1,7}:\d{1,7})?"
_PLACE = r"(?P<path>[^\s`|^][^`|^]{0,500}?\.rs):(?P<line>\d{1,7}):(?P<column>\d{1,7})"
# "  --> src/main.rs:12:5", also with typographic dashes
_ARROW = regex(rf"(?:-->|[-–]?→|[–—]>) ?{_PLACE}")
# "    at src/main.rs:12:5: 12:9", below its function
_AT = regex(rf"^at {_PLACE}{_SPAN}\W{{0,9}}$")
# "= note: inside `shop::Cart::add` at src/cart.rs:12:5: 12:9", "note: inside closure"
_INSIDE = regex(
    r"(?P<inline>=(?:3D)? )?note: inside ?(?:`(?P<function>[^`]{1,2000})`|(?P<closure>closure))"
    rf"(?: ?at ?{_PLACE}{_SPAN}|(?P<cut> ?at(?: ?\S{{0,500}})?)=?$)?"
)
_CUT_INSIDE = regex(r"(?:= )?note: inside(?: ?`[^`]{0,2000})?=?$")
# "0: shop::Cart::add" in a backtrace
_NUMBERED = regex(
    r"^(?P<open>\d{1,4}): ?(?P<function>[A-Za-z_<{&*(\[][^`|]{0,2000}?)[^\w>})\]]{0,9}$"
)
# the same joined with its location, perhaps without the number
_BARE = regex(
    rf"^(?:\d{{1,4}}: ?)?(?P<function>[A-Za-z_<{{&*][^\s`|^]{{0,500}}?) ?at {_PLACE}{_SPAN}$"
)
# "note: the current function got called indirectly due to this code"
_SPAWNED = regex(
    r"note: the (?:current function|last function in that backtrace) got called indirectly due to this"
    r" code"
)
_CLOSING = regex(r"error: aborting due to |error: test failed, to rerun")
_END = regex(r"note: some details are omitted")
# quoted source "12 |     *x = 1;" with its marks, and constant help texts
_FURNITURE = regex(
    r"^(?:(?:\d{1,7}|LL|\.\.\.)\s{0,8})?\|(?:\s|$)|^=(?:3D)? (?:help|note): |^\^{1,200}(?: |$)"
    r"|^note: run with `RUST_BACKTRACE|^\((?:1|2)\) just happened here$"
)


def token(body: str) -> Token | None:
    """Parse a line; None if it is not part of a report."""
    if "Behavior:" in body and (found := _race(body)):
        return found
    for name, pattern in (("earlier", _EARLIER), ("spawned", _SPAWNED)):
        if match := pattern.search(body):
            return Token(Role.SECTION, name, _told(match), *match.span())
    if "inside" in body and (found := _inside(body)):
        return found
    if match := _ARROW.search(body):
        return Token(Role.FRAME, "place", _told(match), *match.span())
    if match := _CLOSING.search(body):
        return Token(Role.CLOSING, "closing", {}, match.start(), len(body))
    if match := _END.search(body):
        return Token(Role.DETAIL, "end", {}, match.start(), len(body))
    if match := _FURNITURE.search(body):
        return Token(Role.DETAIL, "furniture", {}, match.start(), len(body))
    return _backtrace(body)


def _race(body: str) -> Token | None:
    if "alloc" in body and (match := RACE.search(body)):
        ended = match["end"] is not None and match["cut"] is None
        whole = ended or match.end() < len(body.rstrip(" ="))
        return Token(Role.SECTION, "race", _told(match), *match.span(), whole)
    if match := _CUT_RACE.search(body, max(0, len(body) - _LONGEST_CUT)):
        return Token(Role.SECTION, "race", {}, *match.span(), whole=False)
    if match := _OTHER_ERROR.match(body):
        return Token(Role.STOP, "error", {}, *match.span())
    return None


def _inside(body: str) -> Token | None:
    if match := _INSIDE.search(body):
        told = _told(match)
        # a location may follow or continue on the next line
        whole = "path" in told or "inline" not in told
        return Token(Role.SECTION, "inside", told, *match.span(), whole)
    if match := _CUT_INSIDE.search(body):
        return Token(Role.SECTION, "inside", {}, *match.span(), whole=False)
    return None


def _backtrace(body: str) -> Token | None:
    if match := _AT.match(body):
        # the function may be on the line before
        return Token(Role.FRAME, "place", _told(match), *match.span(), whole=False)
    if match := _BARE.match(body):
        return Token(Role.SECTION, "inside", _told(match), *match.span())
    match = _NUMBERED.match(body)
    if match is None or not ("::" in body or match["function"].isidentifier()):
        return None
    whole = match["function"].count("<") <= match["function"].count(">")
    return Token(Role.SECTION, "inside", _told(match), *match.span(), whole)


def _told(match: re.Match[str]) -> dict[str, str]:
    return {key: value for key, value in match.groupdict().items() if value is not None}
