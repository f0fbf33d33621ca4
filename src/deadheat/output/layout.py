"""Lines for a terminal: their width in cells, wrapping, shortening and colours."""

from __future__ import annotations

import re
import shlex
import unicodedata
from typing import TYPE_CHECKING

from deadheat.printable import escape_workflow_commands, split_code, visible_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# narrower terminals get lines of this width
MIN_WIDTH = 40
ELLIPSIS = "…"
LABEL_WIDTH = 12
_COLOUR_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
# "W" and "F" take two cells
_WIDE = ("W", "F")
# a quoted part of a word of a shell command
_SINGLE_QUOTED = re.compile(r"'[^']*'")


class TextPainter:
    """Colours text if colours are enabled."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, colour_name: str) -> str:
        return f"\x1b[{_COLOUR_CODES[colour_name]}m{text}\x1b[0m" if self.colour and text and colour_name else text


def cell_width(text: str) -> int:
    """The number of cells that a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def fit_start(text: str, width: int) -> str:
    """The longest beginning of a text that fits, at least one character."""
    if text.isascii():
        return text[: max(1, width)]
    used = 0
    for index, character in enumerate(text):
        used += _character_width(character)
        if used > width and index:
            return text[:index]
    return text


def cut_end(text: str, width: int) -> str:
    """A text within a width; `…` stands for the end that was cut."""
    return text if cell_width(text) <= width else fit_start(text, width - 1) + ELLIPSIS


def pad_end(text: str, width: int) -> str:
    return text + " " * (width - cell_width(text))


def wrap_words(
    words: Iterable[str], width: int, first_indent: str, indent: str, continued: str = "", separator: str = " "
) -> list[str]:
    """Lines of words, which may have blanks; a word that is longer than a line is broken, at its blanks if it has any.

    `continued` ends every line but the last.
    """
    room = width - cell_width(continued)
    lines: list[str] = []
    line, is_empty = first_indent, True
    for word, gap in _breakable_words(words, width - cell_width(indent), separator):
        if not is_empty and cell_width(line) + len(gap) + cell_width(word) <= room:
            line = f"{line}{gap}{word}"
            continue
        if not is_empty:
            lines.append(line + continued)
            line = indent
        line, is_empty = line + word, False
        while cell_width(line) > width:
            start = fit_start(line, width)
            lines.append(start)
            line = indent + escape_workflow_commands(line[len(start) :])
    return [*lines, line]


def _breakable_words(words: Iterable[str], room: int, separator: str) -> Iterator[tuple[str, str]]:
    """Each word with what separates it from the one before; the parts of a long one are separated by one blank.

    Any of them may begin a line, where `::error::` would be a command to GitHub's runner.
    """
    for word in words:
        parts = word.split(" ") if cell_width(word) > room and separator != " " else [word]
        for number, part in enumerate(parts):
            yield escape_workflow_commands(part), " " if number else separator


def wrap_text(text: str, width: int, first_indent: str = "", indent: str = "") -> list[str]:
    """The lines of a text, broken at spaces."""
    return wrap_words(text.split(), width, first_indent, indent)


def wrap_command(command: str, width: int, indent: str = "") -> list[str]:
    """The lines of a shell command, which continue with a backslash, so that they can be pasted.

    A word that does not fit is broken, and its lines are not indented, because a blank would end it.
    """
    # a word that begins a line must not be a command to GitHub's runner
    words = list(map(_quote_colons, _split_shell_words(command)))
    inner = f"{indent}  "
    if all(cell_width(word) + len(inner) + 2 <= width for word in words):
        return wrap_words(words, width, indent, inner, continued=" \\")
    lines: list[str] = []
    for word in words:
        *pieces, last = _break_shell_word(word, width - 2)
        lines += [f"{piece}\\" for piece in pieces] + [f"{last} \\"]
    return [*lines[:-1], lines[-1].removesuffix(" \\")]


def _quote_colons(word: str) -> str:
    return f"'{word}'" if word.startswith("::") and "'" not in word else word


def _split_shell_words(command: str) -> list[str]:
    """The words of a command as they are written, with their quotes."""
    words = [""]
    quote = ""
    is_escaped = False
    for character in command:
        if character.isspace() and not quote and not is_escaped:
            words.append("")
            continue
        words[-1] += character
        if is_escaped:
            is_escaped = False
        elif character == "\\" and quote != "'":
            is_escaped = True
        elif character == quote:
            quote = ""
        elif character in "'\"" and not quote:
            quote = character
    return [word for word in words if word]


def _break_shell_word(word: str, width: int) -> list[str]:
    """The word as pieces that a shell joins, each quoted again."""
    if cell_width(word) <= width:
        return [word]
    if "$" in _SINGLE_QUOTED.sub("", word):  # substituted by the shell, also across lines
        return [word[start : start + width] for start in range(0, len(word), width)]
    text, pieces = "".join(shlex.split(word)), []
    while text:
        size = min(len(text), width)
        while size > 1 and cell_width(shlex.quote(text[:size])) > width - 2:
            size -= 1
        pieces.append(_quote_colons(shlex.quote(text[:size])))
        text = text[size:]
    return pieces


def break_line(text: str, width: int, indent: str) -> list[str]:
    """A line of code in pieces of a width; unlike `wrap_text`, it keeps every space."""
    pieces, room = [], max(8, width - cell_width(indent))
    while text:
        piece = fit_start(text, room)
        pieces.append(indent + piece)
        text = escape_workflow_commands(text[len(piece) :])
    return pieces or [indent.rstrip()]


def plain_sentence(sentence: str) -> str:
    """A sentence for a terminal: without the backticks around code, unprintable characters escaped."""
    return visible_text("".join(part for part, _ in split_code(sentence)))


class LabelledText:
    """Facts with labels on the left, as in `  cause       A lock on one side only`."""

    def __init__(self, width: int, paint: TextPainter, indent: str = "  ") -> None:
        self._width, self._paint, self._indent = width, paint, indent
        self._gap = indent + " " * LABEL_WIDTH
        self.text_width = width - len(self._gap)

    def sentences(self, label: str, sentences: Iterable[str], colour_name: str = "") -> Iterator[str]:
        """One fact; each of several sentences is an item of a list."""
        texts = list(map(plain_sentence, sentences))
        first, rest = (f"{self._gap}- ", f"{self._gap}  ") if len(texts) > 1 else (self._gap, self._gap)
        lines = [line[len(self._gap) :] for text in texts for line in wrap_text(text, self._width, first, rest)]
        yield from self.lines(label, [self._paint(line, colour_name) for line in lines])

    def commands(self, label: str, commands: Iterable[str]) -> Iterator[str]:
        """Shell commands, each wrapped so that it can be pasted."""
        lines = [line for command in commands for line in wrap_command(command, self._width, self._gap)]
        if all(line.startswith(self._gap) for line in lines):
            yield from self.lines(label, [line[len(self._gap) :] for line in lines])
        else:
            yield from self.lines(label, ["(it continues below)"])
            yield from lines

    def lines(self, label: str, lines: Iterable[str]) -> Iterator[str]:
        """Lines that fit already."""
        for index, line in enumerate(lines):
            name = self._paint(label, "cyan") + " " * (LABEL_WIDTH - len(label)) if not index else " " * LABEL_WIDTH
            yield f"{self._indent}{name}{line}".rstrip()
