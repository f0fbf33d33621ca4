"""The exceptions of deadheat. They report faults of the environment, never of the input text."""

from __future__ import annotations


class DeadheatError(Exception):
    """A fault of the environment: what failed, where, and what to do."""

    def __init__(self, what: str, where: str = "", do: str = "") -> None:
        self.what, self.where, self.do = what, where, do
        super().__init__(": ".join(p for p in (where, what) if p) + (f"; {do}" if do else ""))


class UnreadableError(DeadheatError):
    """A document could not be read, or not completely."""
