"""The faults that may leave deadheat as exceptions: the environment's, never a text's."""

from __future__ import annotations


class DeadheatError(Exception):
    """The environment failed: says what, where, and what to do about it."""

    def __init__(self, what: str, where: str = "", do: str = "") -> None:
        self.what, self.where, self.do = what, where, do
        super().__init__(": ".join(p for p in (where, what) if p) + (f"; {do}" if do else ""))


class UnreadableError(DeadheatError):
    """One document could not be read, or not to its end."""
