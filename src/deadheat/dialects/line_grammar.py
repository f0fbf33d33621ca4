"""The words between a grammar and the machine that reads by it: a line, understood; a report's draft."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from deadheat.model import Damage, Frame, Report


class Role(IntEnum):
    """What a line is for."""

    OPENING = 1  # begins a report
    SECTION = 2  # begins a stack, or says who or what follows
    FRAME = 3  # belongs to the stack that was begun last; number 0 may begin a "bare" one
    DETAIL = 4  # says more about the section or the report
    CLOSING = 5  # is the report's last
    STOP = 6  # is not the report's, and shows that it has ended
    REST = 7  # the end of a line that was broken where nothing is lost


class Token(NamedTuple):
    """A line, understood. `start` and `end` say where in the line it stands."""

    role: Role
    name: str
    fields: dict[str, str]
    start: int
    end: int
    whole: bool = True  # False: it may go on in the next line
    number: int | None = None  # a frame's number, where the detector prints one


@dataclass
class Section:
    """A header with the stack and the details below it."""

    name: str
    fields: dict[str, str]
    frames: list[Frame] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)  # of the frames, for what no frame can say
    details: list[Token] = field(default_factory=list)


@dataclass
class Draft:
    """What has been read of a report."""

    opening: dict[str, str] | None = None
    sections: list[Section] = field(default_factory=list)
    details: list[Token] = field(default_factory=list)
    closed: bool = False
    closing: dict[str, str] | None = None  # what the line that closed it says
    ended: bool = False  # a blank line or another report stands behind the last line

    def named(self, *names: str) -> list[Section]:
        return [section for section in self.sections if section.name in names]


class Grammar(Protocol):
    """The lines of one detector. All functions are pure."""

    bare: bool  # may a frame with the number 0 begin a stack without a header?

    def token(self, body: str) -> Token | None:
        """What this line is, stripped of its indentation; text before and behind it may be glued.

        A token that is not `whole` is held back until the next line shows whether it goes on.
        """

    def frame(self, token: Token) -> Frame: ...

    def begins(self, draft: Draft, token: Token) -> bool:
        """Does this section begin another report, after what the draft has?"""

    def is_complete(self, draft: Draft) -> bool:
        """Is every part there that an undamaged report has?"""

    def report(self, draft: Draft, damage: set[Damage]) -> Report | None:
        """The report; None where this is none. May add to the damage."""
