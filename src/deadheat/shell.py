"""Commands that a user pastes into a POSIX shell: built as words, and quoted only here."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

from deadheat.printable import visible_text

# the part of "-run=^TestX$" that needs no quotes
_OPTION_NAME = re.compile(r"--?[a-z][a-z_.-]*=")


class ShellSyntax(NamedTuple):
    """A fixed part of a command that the shell is to interpret: `&&`, `A=1`, `"$(rustc -vV)"`. Never from input."""

    text: str


def format_command(*words: str | ShellSyntax) -> str | None:
    """The command whose words are these; None if one has a character that a terminal does not show.

    Such a character could not be copied, or would act on the terminal, or on GitHub's runner.
    """
    if unprintable_word(*words) is not None:
        return None
    return " ".join([_quote_word(word) if isinstance(word, str) else word.text for word in words])


def _quote_word(word: str) -> str:
    option = _OPTION_NAME.match(word)
    return f"{option[0]}{shlex.quote(word[option.end() :])}" if option else shlex.quote(word)


def unprintable_word(*words: str | ShellSyntax) -> str | None:
    """The first word that prevents a command: it could not be shown as it is."""
    return next((word for word in words if isinstance(word, str) and visible_text(f"$ {word}") != f"$ {word}"), None)


def path_word(path: str) -> str:
    """A path as a word of a command, which no program takes for an option."""
    return f"./{path}" if path.startswith("-") else path
