"""Finds plugins: detectors, rules, bug report formats, claim finders, output formats."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deadheat.diagnose.rule import Rule
    from deadheat.dialects import Dialect


@cache
def _found(room: str, attribute: str) -> tuple[Any, ...]:
    """Return `attribute` of every module in a package that defines it, ordered by module name.

    `pkgutil` also reads zip files, so this works when Spark ships the package as a zip.
    """
    package = import_module(f"deadheat.{room}")
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__))
    modules = (import_module(f"deadheat.{room}.{name}") for name in names)
    return tuple(getattr(m, attribute) for m in modules if hasattr(m, attribute))


def eager_dialects() -> tuple[Dialect, ...]:
    """The detectors that are not opt-in."""
    return _found("dialects", "DIALECT")


def dialects() -> tuple[Dialect, ...]:
    """Every detector, including the opt-in ones."""
    return eager_dialects() + _found("dialects.shy", "DIALECT")


@cache
def dialect(name: str) -> Dialect:
    """The detector with this name."""
    eager = (d for d in eager_dialects() if d.name == name)
    return next(eager, None) or next(d for d in dialects() if d.name == name)


def called(detector: str) -> str:
    """The display name of a detector, or its id if the detector is unknown."""
    return next((d.called for d in dialects() if d.name == detector), detector)


def rules() -> tuple[Rule, ...]:
    """Every diagnosis rule."""
    return _found("diagnose.rules", "RULE")


def renderers() -> dict[str, Any]:
    """Every output format of `scan` by name."""
    return {r.name: r for r in _found("render", "RENDERER")}


def shapes() -> tuple[Any, ...]:
    """Every bug report format."""
    return _found("documents", "SHAPE")


def finders() -> tuple[Any, ...]:
    """Every claim finder."""
    return _found("claims", "FINDER")
