"""The answer about a race: the missing order, the causes with their evidence, and remedies that fit the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.cause import MEANS, split_facts
from deadheat.diagnosis.facts import function_names as naming
from deadheat.diagnosis.facts import locks
from deadheat.diagnosis.finding import Evidence, Finding, Remedy
from deadheat.diagnosis.race_side import point_of
from deadheat.model import Op
from deadheat.printable import quote_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.cause import CauseDefinition, RemedyOption
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.fact import Fact, FactBase
    from deadheat.diagnosis.finding import CodePoint
    from deadheat.diagnosis.race_side import RaceSide

_MAX_EVIDENCE = 6
_NOUNS = {
    Op.READ: "read",
    Op.WRITE: "write",
    Op.ATOMIC_READ: "atomic read",
    Op.ATOMIC_WRITE: "atomic write",
    Op.FREE: "release",
    Op.UNKNOWN: "access",
}
_CPP_SUFFIXES = (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".inl", ".ipp", ".mm")
# facts that name the lock, the stopping call and the unsafe type of a sentence, most specific first
_LOCK_FACTS = ("one side lacks the usual lock", "both sides lack the usual lock", "only one side holds a lock")
_CALL_FACTS = (
    "stop without a wait",
    "worker signals before the access",
    "a stop signal before the access",
    "a stop signal after the access",
    "object comes from a pool",
)
_TYPE_FACTS = ("variable has an unsafe type", "unsafe type in a frame")


def missing_order(context: RaceContext) -> str:
    """What no lock, start, wait or channel orders: the two accesses, where they are, and what each holds."""
    known_sides = [side for side in context.race_sides if side.site]
    if len(known_sides) < 2:
        return ""
    a, b = sorted(known_sides, key=lambda side: not side.writes)
    first, second = _describe_access(context, a, names_variable=True), _describe_access(context, b)
    return f"Nothing orders the {first} before the {second}, or after it."


def _describe_access(context: RaceContext, side: RaceSide, names_variable: bool = False) -> str:
    variable = f" of {context.variable_label}" if names_variable else ""
    held = locks.locks_of_both_sides(context)
    details = [str(side.point)] if side.point.file else []
    if held is not None:
        own = held[0] if side is context.race_sides[0] else held[1]
        details.append(f"holds {locks.format_lock_names(own)}" if own else "holds no lock")
    return f"{_NOUNS[side.access.op]}{variable} in {side.subject} ({', '.join(details)})"


def language_of(context: RaceContext) -> str:
    """The language that remedies are written for: a key of MEANS."""
    if context.is_go:
        return "go"
    if context.is_kernel:
        return "kernel"
    files = [side.site.file for side in context.race_sides if side.site]
    if context.report.detector == "miri" or any(file.endswith(".rs") for file in files):
        return "rust"
    is_cpp = any(file.endswith(_CPP_SUFFIXES) for file in files) or any("::" in s.function for s in context.race_sides)
    return "c++" if is_cpp else "c"


class Wording:
    """The names that the sentences of causes refer to."""

    def __init__(self, context: RaceContext, facts: FactBase) -> None:
        self.context, self.facts = context, facts
        pair = context.role_pairs[0] if context.role_pairs else context.race_sides
        self.writer = pair[0] if pair else None
        self.other = pair[1] if len(pair) > 1 else None
        self.lacking, self.holder = self._sides_by_lock()
        started = next((side for side in (self.other, self.writer) if side is not None and side.is_worker), None)
        self.worker = started or self.other
        self.names = {
            "variable": context.variable_label,
            "writer": _subject(self.writer),
            "other": self._other_subject(),
            "holder": _subject(self.holder),
            "lacking": _subject(self.lacking),
            "worker": _subject(self.worker),
            "starter": self._starter(),
            "lock": self._subject_of(_LOCK_FACTS, "the lock"),
            "call": self._subject_of(_CALL_FACTS, "the call that ends it"),
            "type": self._subject_of(_TYPE_FACTS, "library type"),
            **MEANS[language_of(context)],
        }

    def fill(self, text: str) -> str:
        """A text with its placeholders replaced, and its first letter in upper case."""
        for name, value in self.names.items():
            text = text.replace(f"{{{name}}}", value)
        return text[:1].upper() + text[1:]

    def points(self, where: str) -> tuple[CodePoint, ...]:
        """The lines that a remedy changes."""
        if where == "start" and self.worker is not None and self.worker.start_frame is not None:
            return (point_of(self.worker.start_frame),)
        side = {"writer": self.writer, "other": self.other, "lacking": self.lacking}.get(where)
        return (side.point,) if side is not None and side.site else self.context.change_points

    def _sides_by_lock(self) -> tuple[RaceSide | None, RaceSide | None]:
        """The side without the lock, and the side with it."""
        for fact in self.facts.by_feature.values():
            if fact.name in (
                "only one side holds a lock",
                "writer's caller should hold a lock",
                "reader's caller should hold a lock",
            ):
                return next((s for s in self.context.race_sides if s is not fact.side), None), fact.side
        lacking = self.facts.get("one side lacks the usual lock")
        if lacking is not None:
            return lacking.side, next((s for s in self.context.race_sides if s is not lacking.side), None)
        return self.other, self.writer

    def _other_subject(self) -> str:
        name = _subject(self.other)
        return f"another call of {name}" if name == _subject(self.writer) else name

    def _starter(self) -> str:
        start = self.worker.start_frame if self.worker is not None else None
        if start is None:
            return "its starter"
        return quote_code(naming.without_package(self.context.enclosing_function(start.function)))

    def _subject_of(self, names: tuple[str, ...], default: str) -> str:
        for fact in self.facts.by_feature.values():
            if fact.name in names and fact.subject:
                return fact.subject if fact.subject.startswith(("`", "the ")) else quote_code(fact.subject)
        return default


def _subject(side: RaceSide | None) -> str:
    return side.subject if side is not None else "the other side"


def build_finding(
    context: RaceContext,
    facts: FactBase,
    wording: Wording,
    definition: CauseDefinition,
    probability: float,
    check: str | None,
) -> Finding:
    """One cause with its evidence and, unless `check` is None, its remedies."""
    # without the code or the other side, the sentence is what the facts suggest, not what they show
    is_shown = context.has_code and wording.other is not None and wording.other.site is not None
    sentence = definition.sentence if is_shown else f"probably {definition.sentence}"
    evidence = (Evidence(wording.fill(sentence)), *_evidence_of(facts, definition))
    remedies = tuple(_remedies(facts, wording, definition, check)) if check is not None else ()
    return Finding(
        definition.name,
        round(probability, 2),
        evidence,
        remedies[0] if remedies else None,
        definition.test_only,
        from_source=context.source is not None and any(side.site_facts for side in context.race_sides),
        title=definition.title,
        more_remedies=remedies[1:],
    )


def _evidence_of(facts: FactBase, definition: CauseDefinition) -> list[Evidence]:
    names = dict.fromkeys(name for group in (*definition.needs, definition.evidence) for name in split_facts(group))
    found: list[Fact] = [fact for fact in facts.matching(names) if fact.evidence is not None]
    texts = dict.fromkeys(fact.evidence for fact in found if fact.evidence is not None)
    return list(texts)[:_MAX_EVIDENCE]


def _remedies(facts: FactBase, wording: Wording, definition: CauseDefinition, check: str) -> Iterator[Remedy]:
    language = language_of(wording.context)
    for option in definition.remedies:
        if language in option.languages and _fits(facts, option):
            change, primitive, price = wording.fill(option.change), wording.fill(option.primitive), option.price
            yield Remedy(change, primitive, price, check, wording.points(option.where))


def _fits(facts: FactBase, option: RemedyOption) -> bool:
    """Does the code allow it, and does it not have it already?"""
    if any(facts.holds(name) for name in split_facts(option.unless)):
        return False
    return not option.needs or any(facts.holds(name) for name in split_facts(option.needs))
