"""The lines that begin the sections of a Go race report, for both ways of reading one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deadheat.model import Op
from deadheat.text.late import regex

if TYPE_CHECKING:
    import re

BANNER: Final = "WARNING: DATA RACE"
_OP: Final = (
    r"(?P<op>(?P<previous>Previous )(?:atomic )?(?:read|write)|Read|Write|Atomic (?:read|write))"
)
_ACTOR: Final = r"(?P<actor>main goroutine|goroutine \d{1,18})(?: \[[^\]]{0,80}\])?:"
# "Previous write at 0x00c0000a1238 by goroutine 6:", "Read by main goroutine:"
ACCESS: Final = regex(rf"{_OP}(?: at (?P<address>0x[0-9a-f]{{1,16}}))? by {_ACTOR}")
# "Read at 0x00c0000180a8 by debug: tick main goroutine:": the detector writes a header in pieces
TORN: Final = regex(rf"{_OP} at (?P<address>0x[0-9a-f]{{1,16}}) by .{{1,120}}?{_ACTOR}")
# the two halves of a header between which others wrote whole lines
FIRST_HALF: Final = regex(rf"{_OP} at 0x[0-9a-f]{{1,16}} by\b")
SECOND_HALF: Final = regex(_ACTOR)
# "Goroutine 7 (running) created at:"
CREATED: Final = regex(r"Goroutine (\d{1,18}) \((running|finished)\) created at:")

OPS: Final = {
    "read": Op.READ,
    "write": Op.WRITE,
    "atomic read": Op.ATOMIC_READ,
    "atomic write": Op.ATOMIC_WRITE,
}


def op(match: re.Match[str]) -> Op:
    """What an access header says was done."""
    return OPS[match["op"].removeprefix("Previous ").lower()]


def is_banner(body: str) -> bool:
    """The banner, perhaps with a log line on one side of it; with text on both it is a sentence."""
    return body.startswith(BANNER) or body.endswith(BANNER)
