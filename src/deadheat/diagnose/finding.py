"""What a diagnosis says: cause, evidence, remedy; plain data that knows no rule and no report."""

from __future__ import annotations

from typing import Final, NamedTuple

from deadheat.model import Cause

UNKNOWN = "unknown"
_new: Final = tuple.__new__


class Point(NamedTuple):
    """A place in the code that a sentence or a remedy speaks of."""

    file: str
    line: int | None = None
    function: str = ""

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


class Evidence(NamedTuple):
    """One sentence that speaks for a cause, and the frame or line that it points at."""

    text: str
    at: Point | None = None

    def __str__(self) -> str:
        text, at = self
        return f"{text} ({at!s})" if at is not None and at.file else text


class Remedy(NamedTuple):
    """What to do about a cause; every part is a sentence or two in plain English."""

    change: str
    primitive: str  # "sync.Mutex", "sync.WaitGroup", "a copy", …
    price: str  # what it costs at run time or in design
    check: str  # how to see that it is gone
    where: tuple[Point, ...] = ()

    def __str__(self) -> str:
        places = ", ".join(dict.fromkeys(map(str, self.where)))
        return f"{self.change}{f' At {places}.' if places else ''}"


class Finding(NamedTuple):
    """A cause that a rule found, or `unknown` with what would settle it.

    `test_only`: the product is right and the test is wrong. `from_source`: the code at the pin was
    read, not the report alone. `crashed` names a rule that failed on this report.
    """

    cause: str
    confidence: float
    evidence: tuple[Evidence, ...] = ()
    remedy: Remedy | None = None
    test_only: bool = False
    from_source: bool = False
    settle: tuple[str, ...] = ()
    crashed: str | None = None

    def as_cause(self) -> Cause:
        """As the model and its wire have it."""
        told = tuple([str(one) for one in self.evidence]) or self.settle
        cause: Cause = _new(Cause, (self.cause, round(self.confidence, 2), told))
        return cause
