"""Parses single lines of KCSAN reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import Folds
from deadheat.dialects.line_grammar import Role, Token
from deadheat.text.late import regex

if TYPE_CHECKING:
    import re

# not the rest of a wrapped number: "x1a0"
_SYMBOL = r"(?!x[0-9a-f]{1,8}\b)[A-Za-z_.$][\w.$]{0,200}"
_OFFSET = r"\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}"
_NAMED = rf"(?:{_SYMBOL}|0x[0-9a-f]{{1,16}})(?:{_OFFSET})?(?: \[[\w-]{{1,64}}\])?"
# "BUG: KCSAN: data-race in netlink_recvmsg / netlink_recvmsg", "BUG: KCSAN: assert: race in f+0x6d/0x76"
TITLE = regex(
    r"BUG: KCSAN: (?P<kind>data-race|assert: race)"
    rf"(?: in (?P<first>{_NAMED})(?: / (?P<second>{_NAMED})| /)?| in)?"
)
# the start of a title that may continue on the next line
TITLE_BEGINS = regex(r"BUG: KCSAN:(?: (?:data-race|assert: race)|\s*$)")
# "write (marked) to 0xffff8881f257b5e0 of 8 bytes by interrupt on cpu 2:",
# "race at unknown origin, with read to 0xffff933db8a2ae6c of 1 bytes by task 7 on cpu 0:"
ACCESS = regex(
    r"(?P<unknown>race at unknown origin, with )?"
    r"(?<![\w-])(?P<op>read-write|read|write|assert no (?:writes|accesses))"
    r"(?: \((?P<marks>[a-z, ]{1,40})\))?"
    r" to (?P<address>0x[0-9a-f]{1,16}) of (?P<size>\d{1,9}) bytes"
    r" by (?P<actor>task [\w/.:-]{1,64}|interrupt) on cpu (?P<cpu>\d{1,5})(?P<end>:)?"
)
# a piece of a wrapped header: "of 8 bytes by task", "KCSAN: data-race in"
REST_OF_HEADER = regex(r"bytes by (?:task|interrupt)|^\W*KCSAN: (?:data-race|assert)")
_FOOTER = regex(r"Reported by Kernel Concurrency Sanitizer on:?")
# 66 signs; in mail "=3D=3D=3D"
_BAR = regex(r"(?:=3D|=){40,}=?$|^(?:=3D|=){40,}")

# the starts of lines that were joined; functions in the title are not frames
FOLDS = Folds(
    regex(
        r"(?P<end>)(?<! in )(?<! / )(?<!with )(?=BUG: KCSAN|={40}(?!=)|value changed: |Reported by Kern"
        r"|CPU: \d|Hardware name|race at unk"
        r"|(?:read-write|read|write|assert no \w{6,8})(?: \([a-z, ]+\))? to 0x"
        rf"|(?<=\W)(?<!\? )(?:\? )?{_SYMBOL}(?:{_OFFSET}"
        r"| [\w./+-]{1,200}\.[chS]:\d{1,6} \[inl| \([\w./+-]{1,200}\.[chS]:\d))"
    ),
    regex(rf"on cpu \d{{1,5}}:.{{0,90}}?\b(?:{_SYMBOL}{_OFFSET}|\.[chS]:\d)"),
)

_LINE = r"\d{1,6}(?!\d)"
_PATH = r"[^\s:()\[\]]{1,400}"
_PLACE = rf"{_PATH}:(?:\d{{1,6}}|\?)(?: \(discriminator \d{{1,6}}\))?"
_PLACES = rf"(?P<places>{_PLACE}(?: {_PLACE}){{0,30}})"
_MODULE = r"(?: \[(?P<module>[\w-]{1,64})(?: [0-9a-f]{8,64})?\])?"
_BEFORE = r"(?<![\w.$/+])(?P<unsure>\? )?(?:\[<[0-9a-f]{1,16}>\] )?"
# "netlink_recvmsg+0x196/0x910", "prepare_signal+0x1f5/0x790 kernel/signal.c:956",
# "ext4_mark+0x1/0x2 [ext4]", "f+0x1/0x2 (lib/a.c:1 lib/b.c:2) [ext4]"
_WITH_OFFSET = regex(
    rf"{_BEFORE}(?P<function>{_SYMBOL}){_OFFSET}"
    rf"{_MODULE}(?: (?P<path>{_PATH}):(?P<line>{_LINE})(?P<inline> \[inline\])?"
    rf"| \({_PLACES}\)(?: \[?(?P<module2>[\w-]{{1,64}})\]?$)?"
    # a location that continues on the next line
    r"|(?P<cut> \[?[\w./-]{0,400}:?=?$| \([\w./() :-]{0,2000}=?$))?"
)
# decode_stacktrace.sh: "rtl8169_poll (drivers/net/r8169.c:4397 drivers/net/r8169.c:4581) r8169"
_DECODED = regex(
    rf"{_BEFORE}(?P<function>{_SYMBOL}) \({_PLACES}\)(?: \[?(?P<module>[\w-]{{1,64}})\]?$)?"
)
# "__run_hrtimer kernel/time/hrtimer.c:1685 [inline]", and the same without the mark
_SOURCE = rf"(?P<path>[\w./+-]{{1,400}}\.(?:c|h|S|s|rs|cc)):(?P<line>{_LINE})"
_INLINED = regex(rf"{_BEFORE}(?P<function>{_SYMBOL}) {_SOURCE}(?P<inline> \[inline\])")
_PLAIN = regex(rf"{_BEFORE}(?P<function>{_SYMBOL}) {_SOURCE}$")
# lines of an oops that are not frames: "RIP: 0010:f+0x1/0x2", "pc : f+0x1/0x2"
_NO_FRAME = regex(r"(?:RIP|EIP|NIP|LR|PC|pc|lr|epc|ra)\b ?(?: is at|: ?|\[)|\bat: |\[k\]")

# the starts of other kernel reports, whose frames look the same
_OTHER = regex(
    r"Call Trace:|Call trace:|-{8,}\[ cut here \]|Kernel panic - not syncing|BUG: (?!KCSAN)"
    r"|WARNING: (?:CPU: |possible |suspicious )|INFO: (?:task|rcu|lockdep) |Oops: |Modules linked in:"
)
_DETAILS = {
    # "value changed: 0x00000000 -> 0x00000001"
    "value changed": regex(r"value changed: (?P<value>0x[0-9a-f]{1,16} -> 0x[0-9a-f]{1,16})"),
    # " bits changed: 0x00000001 with mask 0x0000000f"
    "bits changed": regex(r"bits changed: (?P<value>0x[0-9a-f]{1,16} with mask 0x[0-9a-f]{1,16})"),
    # "  +-> reordered to: e1000_xmit_frame+0x2294/0x2720"
    "reordered to": regex(r"\+?->\s{0,4}reordered to: (?P<value>\S.{0,300})"),
    # " #0: ffff8881035d4b60 (&sk->sk_lock){+.+.}-{0:0}, at: tcp_sendmsg+0x1c/0x40"
    "lock": regex(r"#\d{1,3}: (?P<address>[0-9a-f]{8,16}) \((?P<lock>.{1,200}?)\)\{"),
    # "CPU: 1 PID: 19789 Comm: syz-executor.0 Not tainted 5.4.0-rc6+ #0"
    "reported on": regex(
        r"(?P<value>CPU: \d{1,5} (?:UID: \d{1,10} )?PID: \d{1,10} Comm: .{1,300})"
    ),
    "hardware": regex(r"Hardware name: (?P<value>.{1,300})"),
    "workqueue": regex(r"Workqueue: (?P<value>.{1,200})"),
    # ignored: number of locks held, state of interrupts, reasons for taint
    "furniture": regex(
        r"(?:\d{1,4} )?locks? held by |no locks held by |irq event stamp: |INFO: lockdep is turned off"
        r"|(?:hard|soft)irqs last +(?:en|dis)abled at |Tainted: \[|Stopper: |Sched_ext: |^\|$"
    ),
}


def token(body: str) -> Token | None:
    """Parse a line; None if it is not part of a report."""
    if "KCSAN" in body and (match := TITLE.search(body)):
        return _title(match, body)
    if " to 0x" in body and (match := ACCESS.search(body)):
        return _access(match, body)
    if "Reported by" in body and (match := _FOOTER.search(body)):
        return Token(Role.SECTION, "footer", {}, *match.span())
    if not body.strip("=3D") and (match := _BAR.search(body)):
        return Token(Role.CLOSING, "bar", {}, *match.span())
    return _detail(body) or _frame(body)


def _title(match: re.Match[str], body: str) -> Token | None:
    if match.start() and match.end() < len(body):
        return None  # text on both sides: prose about a race
    whole = match["first"] is not None and match.end() <= len(body)
    going_on = match.end() == len(body) and (match["second"] is None or body.endswith("/"))
    return Token(Role.OPENING, "title", _told(match), *match.span(), whole and not going_on)


def _access(match: re.Match[str], body: str) -> Token | None:
    if match.start() and match.end() < len(body):
        return None
    return Token(Role.SECTION, "access", _told(match), *match.span(), match["end"] is not None)


def _detail(body: str) -> Token | None:
    if _has_word_of_detail(body):
        for name, pattern in _DETAILS.items():
            if match := pattern.search(body):
                return Token(Role.DETAIL, name, _told(match), match.start(), len(body))
    if _has_word_of_other(body) and (match := _OTHER.search(body)):
        return Token(Role.SECTION, "other", {}, match.start(), len(body))
    return None


# Each of the lines above contains one of these words. The tests are unrolled, as a loop would be slower
# than the search that it avoids.


def _has_word_of_detail(body: str) -> bool:
    return (
        "changed: " in body
        or "reordered to: " in body
        or "){" in body
        or " Comm: " in body
        or "Hardware name: " in body
        or "Workqueue: " in body
        or "held by " in body
        or "irq" in body
        or "lockdep is" in body
        or "Tainted: " in body
        or "Stopper: " in body
        or "Sched_ext: " in body
        or body == "|"
    )


def _has_word_of_other(body: str) -> bool:
    return (
        "Call " in body
        or " cut here " in body
        or " panic " in body
        or "BUG: " in body
        or "WARNING: " in body
        or "INFO: " in body
        or "Oops: " in body
        or "Modules" in body
    )


def _frame(body: str) -> Token | None:
    if "+0x" in body:
        match = _WITH_OFFSET.search(body)
    elif ":" in body:
        match = _DECODED.search(body) if " (" in body else None
        match = match or (_INLINED.search(body) if " [inline]" in body else _PLAIN.match(body))
    else:
        return None
    if match is None or _NO_FRAME.search(body, 0, match.start("function")):
        return None
    told = _told(match)
    # a location, a mark or the rest of a number may follow on the next line
    whole = "inline" in told or "places" in told or match.end() < len(body.rstrip(" ="))
    return Token(Role.FRAME, "frame", told, *match.span(), whole)


def _told(match: re.Match[str]) -> dict[str, str]:
    return {key: value for key, value in match.groupdict().items() if value is not None}
