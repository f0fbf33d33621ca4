"""The result of a diagnosis: cause, evidence and remedy, as data and as JSON."""

from __future__ import annotations

from typing import Any, NamedTuple

from deadheat.model import Cause

UNKNOWN = "unknown"
# a less confident cause is not said alone: it would be wrong as often as right
MIN_CONFIDENCE = 0.5


class CodePoint(NamedTuple):
    """A location in the code that evidence or a remedy refers to."""

    file: str
    line: int | None = None
    function: str = ""

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


class Evidence(NamedTuple):
    """One sentence that supports a cause, and the location it refers to."""

    text: str
    point: CodePoint | None = None

    def __str__(self) -> str:
        text, at = self
        return f"{text} ({at!s})" if at is not None and at.file else text


class Remedy(NamedTuple):
    """How to fix a cause; every field is one or two plain sentences."""

    change: str
    primitive: str  # "sync.Mutex", "sync.WaitGroup", "a copy", …
    price: str  # its cost at run time or in design
    check: str  # how to verify the fix
    where: tuple[CodePoint, ...] = ()

    def __str__(self) -> str:
        points = ", ".join(dict.fromkeys(map(str, self.where)))
        return f"{self.change}{f' At {points}.' if points else ''}"


class Finding(NamedTuple):
    """A possible cause, or `unknown` with the open questions."""

    cause: str
    confidence: float
    evidence: tuple[Evidence, ...] = ()
    remedy: Remedy | None = None
    test_only: bool = False  # the product is right and the test is wrong
    from_source: bool = False  # the code at the pin was read, not only the report
    open_questions: tuple[str, ...] = ()
    crashed: str | None = None  # the collector of facts that failed on this report
    title: str = ""  # the cause in a few words
    more_remedies: tuple[Remedy, ...] = ()  # others, in the order in which to consider them
    missing_order: str = ""  # which two accesses nothing orders

    def as_cause(self) -> Cause:
        """Convert to the `Cause` of the public model."""
        sentences = tuple([str(item) for item in self.evidence]) or self.open_questions
        return Cause(self.cause, round(self.confidence, 2), sentences)


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """The fields of a cause, with the first remedy as one text, and every remedy as separate fields."""
    remedy = finding.remedy
    return {
        "cause": finding.cause,
        "title": finding.title,
        "confidence": round(finding.confidence, 2),
        "missing_order": finding.missing_order or None,
        "evidence": list(map(str, finding.evidence)),
        "remedy": str(remedy) if remedy else None,
        "fix": remedy and _remedy_to_json(remedy),
        "other_fixes": [_remedy_to_json(other) for other in finding.more_remedies],
        "test_only": finding.test_only,
        "from_source": finding.from_source,
        "settle": list(finding.open_questions),
    }


def _remedy_to_json(remedy: Remedy) -> dict[str, Any]:
    return {
        "change": remedy.change,
        "where": [{"file": p.file, "line": p.line, "function": p.function} for p in remedy.where],
        "primitive": remedy.primitive,
        "price": remedy.price,
        "check": remedy.check,
    }
