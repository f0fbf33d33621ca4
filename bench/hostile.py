"""Hostile text: it looks like a report, or might contain one, and contains none."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

from bench.logs import NEAR_MISSES, SEED

if TYPE_CHECKING:
    from collections.abc import Callable

BANNER = "WARNING: DATA RACE"
HEADER = "Read at 0x00c000123456 by goroutine 7:"
SECOND_HEADER = "Previous write at 0x00c000123456 by goroutine 8:"
CREATED = "Goroutine 7 (running) created at:"
TSAN = "WARNING: ThreadSanitizer: data race (pid=7)"

# Pieces that are repeated until the size is reached.
REPEATED = {
    # starts of reports
    "banners": f"{BANNER}\n",
    "headers": f"{HEADER}\n",
    "second headers": f"{SECOND_HEADER}\n",
    "banners and headers in turn": f"{BANNER}\n{HEADER}\n",
    "creations in quotes of quotes": f"> > > {CREATED}\n",
    "fatal errors": "fatal error: concurrent map writes\n",
    "panics": "panic: sync: WaitGroup is reused before previous Wait has returned\n\ngoroutine 7 [running]:\n",
    "ThreadSanitizer's banners": f"{TSAN}\n",
    "ThreadSanitizer's headers": "  Write of size 4 at 0x7b0400000000 by thread T2:\n",
    "KCSAN's titles": "BUG: KCSAN: data-race in a / b\n",
    "KCSAN's headers": "read to 0xffff888103566064 of 4 bytes by task 4971 on cpu 1:\n",
    "Helgrind's headers": "==7== Possible data race during read of size 4 at 0x10C120 by thread #1\n",
    "DRD's headers": "==7== Conflicting store by thread 2 at 0x10c120 size 4\n",
    "Miri's headers": "error: Undefined Behavior: Data race detected between (1) write on thread\n",
    # parts of reports without a start
    "calls": "  main.main()\n",
    "frames": "  main.main()\n      /src/main.go:7 +0x45\n",
    "frames of ThreadSanitizer": "    #0 main /src/main.cc:9:16 (shop+0xd4441)\n",
    "halves of headers": "Read at 0x00c000123456 by\n",
    # reports without content
    "reports without frames": f"==================\n{BANNER}\n{HEADER}\n\n{SECOND_HEADER}\n\n{CREATED}\n",
    "reports with calls and no places": f"{BANNER}\n{HEADER}\n  main.main()\n  main.other()\n\n",
    # prose and code about races, with frames around them
    "headers in sentences": f'We saw "{HEADER}" twice, but no stack.\n  main.main()\n',
    "banners in code": f'if strings.Contains(out, "{BANNER}") {{ fail() }}\n',
    # wrapped
    "banners in JSON": json.dumps({"log": f"{BANNER}\n"}) + "\n",
    "JSON in JSON in JSON": json.dumps({"log": json.dumps({"msg": json.dumps({"log": HEADER})})}) + "\n",
    "headers in deep quotes": "> " * 40 + HEADER + "\n",
    "open brackets": "[" * 200 + BANNER + "\n",
    "partial CRI lines without end": f"2024-05-01T12:00:00.123456789Z stderr P {HEADER}\n",
    "pieces that join, without end": f"2024-07-05T15:35:35.064388Z 00O+{HEADER}\n",
    "banners in colour": f"\x1b[31m{BANNER}\x1b[0m\n",
    "entities": f"&lt;b&gt;{BANNER}&#10;{HEADER}&lt;/b&gt;\n",
    "carriage returns": f"{BANNER}\r{HEADER}\r\n",
    "escaped newlines": f"{BANNER}\\n{HEADER}\\n  main.main()\\n\\n",
    # lines without end
    "one line of banners": f"{BANNER} ",
    "one line of headers": f"{HEADER} ",
    "one line of JSON": '{"message":"' + HEADER + '","n":1},',
    "one line of quotes": '"' + BANNER + '","\\n',
    "one line of bars": f"=================={BANNER}==7== ",
    "one line of ThreadSanitizer's words": f"{TSAN} #0 main by thread T2: ",
    "one line of running goroutines": "goroutine 7 [running concurrent map writes ",
    "one line, wide apart": f"{'x' * 3000}{HEADER}()",
}
# Pieces of the frames of every detector, so that the check of the surrounding bytes does not reject the text.
LURE = "(x.go:7) x#0 0x4: main.c:3 x.rs Goroutine 7: created at [running] concurrent 2 bytes SUMMARY"
LURE_INTERVAL = 4096
LURED_SUFFIX = ", lured"
NEAR_MISS_TEXT = "near misses and nothing else"


def hostile_texts() -> dict[str, Callable[[int], bytes]]:
    """Functions that return text of about a given size, by name."""
    repeated = {name: _repeat_piece(text.encode()) for name, text in REPEATED.items()}
    lured = {f"{name}{LURED_SUFFIX}": _repeat_piece(_append_lure(text).encode()) for name, text in REPEATED.items()}
    return {
        **repeated,
        **lured,
        "a thousand pods, a header each": _pod_lines,
        "a prefix of its own for each line": _prefixed_lines,
        NEAR_MISS_TEXT: _near_misses,
        "random bytes with banners": _random_bytes,
        "UTF-16 banners": lambda size: _repeat_utf16(size, f"{BANNER}\n{HEADER}\n"),
        "one UTF-16 line": lambda size: _repeat_utf16(size, f"{BANNER} {HEADER} "),
    }


def _repeat_piece(piece: bytes) -> Callable[[int], bytes]:
    return lambda size: piece * (size // len(piece))


def _append_lure(piece: str) -> str:
    return piece * (LURE_INTERVAL // len(piece)) + LURE + ("\n" if piece.endswith("\n") else " ")


def _repeat_utf16(size: int, text: str) -> bytes:
    return b"\xff\xfe" + text.encode("utf-16-le") * (size // len(text) // 2)


def _numbered_lines(size: int, line: Callable[[int], str]) -> bytes:
    out: list[str] = []
    while size > 0:
        out.append(line(len(out)))
        size -= len(out[-1])
    return "".join(out).encode()


def _pod_lines(size: int) -> bytes:
    texts = (BANNER, HEADER, "  main.main()", "working", "", SECOND_HEADER)
    return _numbered_lines(size, lambda i: f"[pod/web-{i * 7 % 1000}/app] {texts[i // 1000 % 6]}\n")


def _prefixed_lines(size: int) -> bytes:
    return _numbered_lines(size, lambda i: f"<{i:x}-{i * i % 9973:x}> {HEADER}\n")


def _near_misses(size: int) -> bytes:
    rng = random.Random(SEED)
    return _numbered_lines(size, lambda _: rng.choice(NEAR_MISSES))


def _random_bytes(size: int) -> bytes:
    rng = random.Random(SEED)
    pieces = [rng.randbytes(rng.randrange(400)) + f"{BANNER}\n{HEADER}\n".encode() for _ in range(500)]
    return b"".join(pieces) * (1 + size // sum(map(len, pieces)))
