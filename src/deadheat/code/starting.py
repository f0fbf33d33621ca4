"""Finds the lines of C and C++ text that start a thread with a function."""

from __future__ import annotations

import re

from deadheat.code.tree import rows_with

# "pthread_create(&t, NULL, scrub_main, s)", "std::thread t(serve, s);",
# "th_ = std::thread(&Pool::Work, this);",
# "threads_.emplace_back(&Pool::Work, this)", "std::async(std::launch::async, fetch, url)"
_STARTS = re.compile(
    rb"\b(?:pthread_create|thrd_create|kthread_run|j?thread|async|emplace_back|timer_create)\b[^;]{0,200}$"
)
# limits: bytes between the call and the name, lines searched
_WIDE, _MOST = 200, 50


def started(source: bytes, name: str) -> list[int]:
    """The lines (from 1) that pass the function to a call that starts a thread."""
    word = re.compile(
        rb"(?<![\w.>])(?:&?(?:\w{1,80}::){0,4})%s\s{0,9}[,)}]"
        % re.escape(name.encode("utf-8", "replace"))
    )
    found = []
    for row in list(_bounded(source, name.encode("utf-8", "replace"))):
        end = source.find(b"\n", row)
        told = word.search(source, row, end if end >= 0 else len(source))
        if told and _STARTS.search(source, max(0, told.start() - _WIDE), told.start()):
            found.append(source.count(b"\n", 0, row) + 1)
    return found


def _bounded(source: bytes, word: bytes) -> list[int]:
    found = []
    for row in rows_with(source, word):
        found.append(row)
        if len(found) >= _MOST:
            break
    return found
