"""The start of a log line, which can be glued to a line of a report."""

from __future__ import annotations

from deadheat.text.late import regex

# `time="2024…`, `{"level"`, `[2024/05/01`, `--- FAIL`, `=== RUN`, `I0501 12:00`, `    --- PASS`
BEGINS = regex(
    r"time=|level=|ts=|\{\"|\[\d{4}[-/]|\[[A-Z]{4,5}\]|--- |=== |[IWEF]\d{4} \d\d:"
    r"|\d{4}[-/]\d\d[-/]\d\d[T ]|\s{2,}|\t"
)
