"""Likely causes of the race that a commit fixed, from its message, its changes and quoted reports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.code.mining import deeds as did
from deadheat.diagnose import diagnose
from deadheat.diagnose.finding import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.code.mining.deeds import Deeds
    from deadheat.model import Sighting

_TEXT = 4_000
# phrases in messages: "concurrent map read and map write", "close of closed channel"
_CALLED = (
    ("concurrent-map", re.compile(r"concurrent map", re.IGNORECASE)),
    ("loop-variable-captured", re.compile(r"loop var|range var|iteration var", re.IGNORECASE)),
    ("waitgroup-add-in-goroutine", re.compile(r"wait ?group", re.IGNORECASE)),
    ("lazy-initialisation", re.compile(r"lazy|initiali[sz]", re.IGNORECASE)),
    ("close-vs-send", re.compile(r"send on closed|closed? channel", re.IGNORECASE)),
    ("timer-after-stop", re.compile(r"\btimer\b", re.IGNORECASE)),
    ("test-changes-global", re.compile(r"global (?:config|var)|failpoint", re.IGNORECASE)),
    ("worker-outlives-owner", re.compile(r"\bleak|outliv", re.IGNORECASE)),
    ("check-then-act", re.compile(r"double.?check|check.then", re.IGNORECASE)),
)
# "Close", "stop", "TearDownSuite", "(*Domain).Shutdown"
_TEARDOWN = re.compile(
    r"(?:^|\.)(?:\w{0,20}(?:[cC]lose|[sS]top|[sS]hutdown|[tT]ear[dD]own|[cC]ancel|[rR]eset))\w{0,12}$"
)


def causes(
    text: str, done: Deeds, reports: Iterable[Sighting], tests_only: bool
) -> tuple[str, ...]:
    """Most likely first."""
    found = [told.cause for one in reports for told in diagnose(one.report) if not told.crashed]
    found += [cause for cause, words in _CALLED if words.search(text[:_TEXT])]
    if done.captured:
        found.append("loop-variable-captured")
    chief = done.strategies[0] if done.strategies else ""
    if chief in (did.JOIN, did.ORDER) and any(map(is_teardown, done.functions)):
        found.append("teardown-vs-worker")
    if chief == did.JOIN and tests_only:
        found.append("test-leaves-resource-open")
    if chief == did.LOCK:
        found.append("missing-lock")
    if chief == did.ATOMIC:
        found.append("mixed-atomic")
    return tuple(dict.fromkeys(cause for cause in found if cause != UNKNOWN))[:5]


def is_teardown(function: str) -> bool:
    return _TEARDOWN.search(function) is not None
