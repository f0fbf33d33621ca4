"""What a frame claims about its source line; can be checked in any version of the file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code.languages import language
from deadheat.model import Access, Frame, Op, Origin, Report
from deadheat.symbols import go

if TYPE_CHECKING:
    from collections.abc import Iterator

# functions of the Go runtime, and the call in user code that they stand for
_MODELLED = {"racewrite": "Wait", "raceread": "Add", "closechan": "close"}
# "copr.(*copIterator).open·dwrap·8", "hub.Run.gowrap1", "hub.Run.deferwrap2": no code of its own
_WRAPPER = re.compile(r"(?:·dwrap·\d+|\.gowrap\d+|\.deferwrap\d+)$")
# "F.func1", "F.func1.2", "F.1", "http.func·024"
_CLOSURE = re.compile(r"(?:\.func\d+|\.\d+|·\d+|-range\d+)$")
_METHOD_VALUE = ("-fm", "·fm")
# "ns::Class<int>::method(int) const", "crate::module::Type::function", "foo.cold", "foo.isra.0"
_CPP_NAME = re.compile(r"([~\w]+)(?:<[^()]{0,300}>)?(?:\([^)]{0,300}\)?)?(?: const)?(?:\.\w+)*$")

# "news::Feed<int>::" in front of a method's name
_SCOPE = re.compile(r"(\w{1,200})(?:<[^:()]{0,200}>)?::$")


class Claim(NamedTuple):
    """A claim that a line is in a function, and what it does there."""

    language: str
    function: str  # "(*T).M", "T.M" or "F" for Go, a bare name elsewhere; empty if not known
    line: int
    does: str  # "read", "write", "call NAME", "call" (no known name), "go", "value NAME",
    # "end" (of an object)


class Asked(NamedTuple):
    """A frame with its claim and weight."""

    frame: Frame
    claim: Claim
    weight: int
    racing: bool


def claims(report: Report) -> list[Asked]:
    """The claims of all distinct frames of a report that are in source files, racing frames first."""
    found: dict[tuple[str, int, str], Asked] = {}
    for asked in _all(report):
        key = (asked.frame.path or asked.frame.file, asked.claim.line, asked.frame.function)
        if key not in found or found[key].weight < asked.weight:
            found[key] = asked
    return sorted(found.values(), key=lambda asked: -asked.weight)


def tongue_of(frame: Frame) -> str | None:
    """The language of a frame's file; None if the frame is not in user code."""
    if frame.line is None or frame.origin in (Origin.STDLIB, Origin.RUNTIME, Origin.TEST):
        return None
    return language(frame.file)


def _all(report: Report) -> Iterator[Asked]:
    for access in report.accesses:
        yield from _stack(access.stack, access)
    for actor in report.actors:
        yield from _stack(actor.created_at, None)


def _stack(stack: tuple[Frame, ...], access: Access | None) -> Iterator[Asked]:
    above: Frame | None = None
    racing = access is not None
    for frame in stack:
        tongue = tongue_of(frame)
        if tongue is None:
            above = frame
            continue
        line = frame.line or 0
        broken = frame.stale and above is not None and not above.stale
        does = _does(frame, None if broken else above, access if racing else None, tongue)
        if broken:
            does = "call"
        weight = 1 if frame.stale or access is None else 8 if racing else 2
        yield Asked(
            frame, Claim(tongue, declared(frame.function, tongue), line, does), weight, racing
        )
        racing = False
        above = frame


def _does(frame: Frame, above: Frame | None, access: Access | None, tongue: str) -> str:
    if frame.function.endswith(_METHOD_VALUE):
        return f"value {_name(frame.function, tongue)}"
    if access is not None and (above is None or above.origin in (Origin.RUNTIME, Origin.GENERATED)):
        return _modelled(above) or _accesses(access.op)
    if above is None:
        return "go" if tongue == "go" else "call"
    if above.origin is Origin.RUNTIME or is_nameless(above.function):
        return "call"
    name = _name(above.function, tongue)
    # a destructor is not called by name: it runs where a block, a class or an object ends
    return "end" if name.startswith("~") else f"call {name}"


def _modelled(above: Frame | None) -> str:
    """The call in the line below a frame of the Go runtime."""
    last = above.function.rpartition(".")[2] if above else ""
    return f"call {_MODELLED[last]}" if last in _MODELLED else ""


def _accesses(op: Op) -> str:
    return "write" if op in (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE) else "read"


def is_nameless(function: str) -> bool:
    """Whether calls do not use the name of the function: closures, wrappers, method values."""
    return function.endswith(_METHOD_VALUE) or bool(
        _CLOSURE.search(function) or _WRAPPER.search(function)
    )


def _name(function: str, tongue: str) -> str:
    """The name of the function in a call."""
    return declared(function, tongue).rpartition(".")[2]


def declared(function: str, tongue: str) -> str:
    """The function declaration that contains the code of a frame: `(*T).M`, `T.M`, `F`."""
    if tongue != "go":
        told = _CPP_NAME.search(function)
        return told[1] if told else ""
    plain = go.parent(function)
    if "·" in plain:
        return ""
    below = plain.partition(".")[2]
    parts = below.split(".")
    if len(parts) > 2:
        # inlined: the names are concatenated, the code belongs to the last one
        return parts[-1]
    if parts[0] in ("init", "glob") or not parts[0]:
        return ""
    return below


def class_of(function: str) -> str:
    """The C++ class (or namespace) of a method: `Feed`."""
    told = _CPP_NAME.search(function)
    scope = _SCOPE.search(function, 0, told.start(1)) if told else None
    return scope[1] if scope else ""


def is_wrapper(function: str) -> bool:
    """Whether the compiler generated the function for a `go` or `defer` statement."""
    return bool(_WRAPPER.search(function))
