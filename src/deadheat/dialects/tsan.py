"""ThreadSanitizer.

## What it prints

    ==================
    WARNING: ThreadSanitizer: data race (pid=12311)
      Write of size 4 at 0x7b0400000000 by thread T2 (mutexes: write M0):
        #0 shop::Cart::add(int) /src/shop/cart.cc:31:9 (shop+0xd4764) (BuildId: 797481433e87)

      Previous atomic read of size 4 at 0x7b0400000000 by main thread:
        #0 shop::Cart::total() const /src/shop/cart.cc:40:12 (shop+0xd4388) (BuildId: 797481433e87)

      Location is heap block of size 16 at 0x7b0400000000 allocated by main thread:
        #0 operator new(unsigned long) <null> (shop+0xd3386) (BuildId: 797481433e87)
        #1 main /src/shop/main.cc:9:16 (shop+0xd4441) (BuildId: 797481433e87)

      Mutex M0 (0x55b9a397d080) created at:
        #0 pthread_mutex_lock <null> (shop+0x533dd) (BuildId: 797481433e87)

      Thread T2 'worker' (tid=12313, running) created by main thread at:
        #0 pthread_create <null> (shop+0x533dd) (BuildId: 797481433e87)
        #1 main /src/shop/main.cc:12:3 (shop+0xd447f) (BuildId: 797481433e87)

    SUMMARY: ThreadSanitizer: data race /src/shop/cart.cc:31:9 in shop::Cart::add(int)
    ==================

gcc and clang print it for C, C++, Objective-C, Rust and Swift; gcc leaves out columns and build
ids. A report has two accesses with size, atomicity and locks held, the memory, and where the locks
and the threads were created. Go's race detector uses the same library but another format, and is a
separate detector.

## Kinds

| after `WARNING: ThreadSanitizer:` | kind |
|---|---|
| data race | `data-race` |
| data race on vptr (ctor/dtor vs virtual call) | `data-race-on-vptr` |
| heap-use-after-free | `use-after-free` |
| heap-use-after-free (virtual call vs free) | `use-after-free-on-vptr` |
| race on external object, race on *library's type* | `race-on-external-object` |
| Swift access race | `data-race-on-swift-object` |
| lock-order-inversion (potential deadlock) | `lock-order-inversion` |
| thread leak | `thread-leak` |
| destroy of a locked mutex | `destroy-locked-mutex` |
| double lock of a mutex | `double-lock` |
| use of an invalid mutex | `invalid-mutex-access` |
| unlock of an unlocked mutex (or by a wrong thread) | `unlock-unlocked-mutex` |
| read lock of a write locked mutex | `read-lock-of-write-locked-mutex` |
| read unlock of a write locked mutex | `read-unlock-of-write-locked-mutex` |
| signal-unsafe call inside of a signal | `signal-unsafe-call` |
| signal handler spoils errno | `errno-in-signal` |
| mutex held in the wrong context | `mutex-held-wrong-context` |

The name of any other kind is made from the words in the banner. A lock-order inversion is a cycle,
with an edge and an access for each lock that was acquired while another was held. For kinds without
an access, the stack that misuses the lock or creates the thread becomes an access with an unknown
operation. A write by `free` or `operator delete` is a `free`.

## Damage that is tolerated

Foreign lines anywhere, foreign text before or after any line, lines wrapped at a column or between
words, missing blank lines, indentation, bars and banner. Without a banner, the kind comes from the
summary. Crashes of the runtime (`FATAL: ThreadSanitizer`, `ThreadSanitizer:DEADLYSIGNAL`) are not
reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.dialects import Folds, tsan_lines, tsan_report
from deadheat.dialects.line_machine import LineDialect, LineMachine
from deadheat.symbols import native
from deadheat.text.late import regex

if TYPE_CHECKING:
    from deadheat.dialects.line_grammar import Draft, Token
    from deadheat.model import Damage, Frame, Report

_OPENING = regex(
    rf"{tsan_lines.BANNER.pattern}|{tsan_lines.ACCESS.pattern}|Cycle in lock order graph: M\d"
)
# a summary, which ends a report; the end of a wrapped header
_REMNANT = regex(
    r"SUMMARY: ThreadSanitizer: |WARNING: ThreadSanitizer: [^\n]{0,100}$"
    r"|ThreadSanitizer: [^\n]{1,100}\(pid|by (?:main thread|thread T\d{1,9})"
)

# the starts of lines that were joined
_FOLDS = Folds(
    regex(
        r"(?P<end>)(?=WARNING: Thr|SUMMARY: Thr|={18}(?!=)|Location is |As if sync|Hint: |\[failed"
        r"|(?:Previous (?:atomic )?[a-z-]{4,9}|Atomic [a-z]{4,5}|Read|Write|Modifying|Read-only)"
        r" (?:of size|acc)|(?<!holding )(?<![Tt]hread )(?:Mutex M\d|Thread T\d{1,9} [^\n]{0,100}\(tid)"
        r"|(?<!\S)#\d{1,4}(?:$| (?!in )))"
    ),
    regex(
        r"(?:thread[^:\n]{0,200}|at):[^\w#]{0,40}#0 "
        r"|\(pid=\d{1,10}\)[^\w#]{0,40}"
        r"(?:#0 [^#\n]{1,300}?\+0x[0-9a-f]|[A-Z][a-z-]{3,8} (?:of|acc|order))"
    ),
)
_PROMISES = (b"#0", b"[failed", b"SUMMARY", b"#<")


class Grammar:
    """The lines of a ThreadSanitizer report."""

    bare = True

    def token(self, body: str) -> Token | None:
        return tsan_lines.token(body)

    def frame(self, token: Token) -> Frame:
        return tsan_lines.frame(token)

    def begins(self, draft: Draft, token: Token) -> bool:
        return tsan_report.begins(draft, token)

    def is_complete(self, draft: Draft) -> bool:
        return tsan_report.is_complete(draft)

    def report(self, draft: Draft, damage: set[Damage]) -> Report | None:
        return tsan_report.report(draft, damage)


class TsanDialect(LineDialect):
    """ThreadSanitizer, as gcc and clang print it."""

    name = "tsan"
    called = "ThreadSanitizer"
    symbols = native
    # single words, so that colors and special spaces cannot split them
    anchors = (b"ThreadSanitizer:", b" by thread T", b" by main thread", b"ThreadSanitizer</")
    hints = (b"hread",)
    back = 1 << 14
    folds = _FOLDS

    def column(self, text: str) -> int:
        if "ThreadSanitizer" not in text and " thread" not in text and "Cycle in" not in text:
            return -1
        match = _OPENING.search(text)
        return match.start() if match else -1

    def remnant(self, text: str) -> bool:
        return _REMNANT.search(text) is not None

    def promises(self, ahead: bytes) -> bool:
        return any(word in ahead for word in _PROMISES)

    def starts(self, anchor: bytes) -> bool:
        return anchor.startswith(b"ThreadSanitizer")

    def machine(self) -> LineMachine:
        return LineMachine(Grammar())


DIALECT = TsanDialect()
