"""The types that a `LineGrammar` and `GrammarParser` share: token, section, draft."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from deadheat.model import Damage, Frame, Report


class Role(IntEnum):
    """The role of a line in a report."""

    OPENING = 1  # starts a report
    SECTION = 2  # header of a stack or of a description
    FRAME = 3  # a frame of the current stack; number 0 may start a "bare" stack
    DETAIL = 4  # more about the section or the report
    CLOSING = 5  # the last line of the report
    STOP = 6  # not part of the report, which has ended
    REST = 7  # the end of a wrapped line, without information


class Token(NamedTuple):
    """A parsed line. `start` and `end` are its columns in the printed line."""

    role: Role
    name: str
    fields: dict[str, str]
    start: int
    end: int
    whole: bool = True  # False: it may continue on the next line
    number: int | None = None  # of a frame, if the detector prints one


@dataclass
class Section:
    """A header with the stack and the details below it."""

    name: str
    fields: dict[str, str]
    frames: list[Frame] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)  # the tokens of the frames
    details: list[Token] = field(default_factory=list)


@dataclass
class Draft:
    """The part of a report that has been parsed so far."""

    opening: dict[str, str] | None = None
    sections: list[Section] = field(default_factory=list)
    details: list[Token] = field(default_factory=list)
    closed: bool = False
    closing: dict[str, str] | None = None  # the fields of the closing line
    ended: bool = False  # the last line is followed by a blank line or another report

    def named(self, *names: str) -> list[Section]:
        return [section for section in self.sections if section.name in names]


class Grammar(Protocol):
    """The lines that one detector prints. All methods are pure."""

    bare: bool  # can frame number 0 start a stack without a header?

    def token(self, body: str) -> Token | None:
        """Parse a line without its indentation; foreign text may be glued to either end.

        The parser holds back a token that is not `is_complete` until it has seen the next line.
        """

    def frame(self, token: Token) -> Frame: ...

    def begins(self, draft: Draft, token: Token) -> bool:
        """Does this section start another report, given the draft?"""

    def is_complete(self, draft: Draft) -> bool:
        """Does the draft have every part of an undamaged report?"""

    def report(self, draft: Draft, damage: set[Damage]) -> Report | None:
        """Return the report, or None if the draft is not one. May add to `damage`."""
