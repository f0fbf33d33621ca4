"""Untrusted text for people and for JSON.

Characters that are not printable in the sense of `str.isprintable` are escaped: control characters (C0, DEL, C1),
bidirectional marks, line and paragraph separators, zero-width characters, byte order marks and lone surrogates, which
stand for bytes of file names that are not UTF-8. So are commands to GitHub's runner, which it reads in every log line.
"""

from __future__ import annotations

import json
import re
from typing import Any

# what JSON of printable ASCII does not contain: "é", DEL
_OTHER_THAN_ASCII = re.compile("[^\n -~]+")
_BACKTICKS = re.compile("`+")
# "::error file=a.go::text" at the start of a line, "##[error]text" anywhere
_WORKFLOW_COMMAND = re.compile(
    r"^([^\S\n]*):(?=:(?:add-(?:mask|matcher|path)|debug|echo|(?:end)?group|error|internal-set-repo-path|notice"
    r"|remove-matcher|save-state|set-(?:env|output)|stop-commands|warning)[ :])|#(?=#\[)",
    re.IGNORECASE | re.MULTILINE,
)


def visible_text(text: str, keep: str = "") -> str:
    """Escapes unprintable characters, except those in `keep`: ESC as `\\x1b`, a bidirectional mark as `\\u202e`."""
    text = escape_workflow_commands(text)
    if text.isprintable():
        return text
    return "".join(
        [
            character
            if character.isprintable() or character in keep
            else character.encode("unicode_escape").decode("ascii")
            for character in text
        ]
    )


def escape_workflow_commands(text: str) -> str:
    """Escapes what GitHub's runner would take for a command, at the beginning of a line."""
    return _WORKFLOW_COMMAND.sub(_escape_workflow_command, text) if "::" in text or "##[" in text else text


def _escape_workflow_command(match: re.Match[str]) -> str:
    return r"\x23" if match[0] == "#" else f"{match[1]}\\x3a"


def shorten(text: str, limit: int) -> str:
    """The beginning of a text that is too long, with a mark at its end."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def format_json(value: Any, indent: int | None = None) -> str:
    """JSON in which unprintable characters are escaped, so that the parsed value is unchanged.

    A lone surrogate becomes the text `\\udcff`: most JSON parsers reject a whole document with an escaped one.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    if "##[" in text:
        text = text.replace("##[", r"\u0023#[")
    # for ASCII, which is the usual case, both checks take next to no time
    if (text.isascii() and "\x7f" not in text) or text.isprintable():
        return text
    return _OTHER_THAN_ASCII.sub(_escape_in_json, text)


def _escape_in_json(match: re.Match[str]) -> str:
    run = match[0]
    return run if run.isprintable() else "".join([c if c.isprintable() else _json_escape(c) for c in run])


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    escape = "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
    return f"\\{escape}" if 0xD800 <= ord(character) <= 0xDFFF else escape


def quote_code(text: str) -> str:
    """Marks text as code in a sentence, as in Markdown: between more backticks than the text has in a row."""
    ticks = "`" * (1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    is_padded = text[:1] == "`" or text[-1:] == "`" or (text[:1] == text[-1:] == " " and not text.isspace())
    padding = " " if is_padded else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


def split_code(sentence: str) -> list[tuple[str, bool]]:
    """Splits a sentence into its parts, each with whether it is code; the backticks around code are removed."""
    runs = [(match.start(), match.end()) for match in _BACKTICKS.finditer(sentence)]
    closing: dict[int, int] = {}  # index of the next run of the same length
    next_of_length: dict[int, int] = {}
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closing[index] = next_of_length.get(length, -1)
        next_of_length[length] = index
    parts: list[tuple[str, bool]] = []
    end = index = 0
    while index < len(runs):
        if (close := closing[index]) < 0:
            index += 1
            continue
        code = sentence[runs[index][1] : runs[close][0]]
        is_padded = code[:1] == code[-1:] == " " and not code.isspace()
        parts += [(sentence[end : runs[index][0]], False), (code[1:-1] if is_padded else code, True)]
        end, index = runs[close][1], close + 1
    return [part for part in (*parts, (sentence[end:], False)) if part[0]]
