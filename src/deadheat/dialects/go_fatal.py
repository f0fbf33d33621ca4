"""Go's own complaints about races, without the detector.

## What they look like

    fatal error: concurrent map writes

    goroutine 20 [running]:
    internal/runtime/maps.fatal({0x4a4b4c?, 0x0?})
        /usr/local/go/src/runtime/panic.go:1181 +0x18
    example.com/shop/cart.(*Cart).Add(...)
        /src/shop/cart/cart.go:31
    created by main.main in goroutine 1
        /src/shop/main.go:12 +0x9a

The runtime stops the program when it notices a map in use by two goroutines, and `sync.WaitGroup`
panics when it is misused. A dump of goroutines follows. The goroutine that noticed is the first
access. The other one is in the dump if the runtime printed them all and it is still inside a map
function; otherwise the report has one access.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import go_order
from deadheat.dialects.go_fatal_machine import NAME, OPENING, FatalMachine
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.model import Report

# in raw bytes: at least one of these is whole wherever a complaint was coloured or cut in two
_COMPLAINTS = (
    b"concurrent",
    b"map write",
    b"WaitGroup",
    b"misuse",
    b"negative W",
    b"previous Wait",
)
# the same of "goroutine 20 [running]:", also where brackets are escaped
_DUMP = (b"[run", b"nning]", b"nning,", b"nning\\", b"nning|", b"nning&", b"nning\x1b")


class FatalDialect:
    """Fatal map errors and WaitGroup panics of the Go runtime, with their goroutine dumps."""

    name = NAME
    symbols = go
    # what ends in rare letters is found fastest
    anchors = (
        *(b"r: concurrent ", b"sync: negative W", b"sync: WaitG"),
        # the complaint again, and what follows it, where a transport has cut its line in two
        *(b"map write", b"misuse: Add", b"WaitGroup counter", b"previous Wait", b"[running"),
    )

    hints = (b"oroutine", b"concurrent map", b"WaitGroup")

    def column(self, text: str) -> int:
        if "concurrent map" not in text and "WaitGroup" not in text:
            return -1
        match = OPENING.search(text)
        return match.start() if match else -1

    def remnant(self, text: str) -> bool:
        return True  # what anchors it is said nowhere else

    def promises(self, ahead: bytes) -> bool:
        # a complaint alone is one that somebody repeats, and a dump alone is no race
        dump = any(word in ahead for word in _DUMP)
        return dump and any(word in ahead for word in _COMPLAINTS)

    def sign(self, above: bytes) -> int:
        return 0

    lasting = True
    opening = closing = None
    volatile = None

    def glance(self, text: str) -> Report | None:
        return None

    def whole(self, text: str) -> Report | None:
        return None

    headed = True

    def order(self, lines: Sequence[str]) -> int:
        return go_order.order(lines)

    def starts(self, anchor: bytes) -> bool:
        return anchor in self.anchors[:3]

    # the dump follows on the heels of the complaint
    back = 1 << 10

    def machine(self) -> FatalMachine:
        return FatalMachine()


DIALECT = FatalDialect()
