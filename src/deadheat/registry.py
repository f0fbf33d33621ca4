"""Finds dialects, rules, shapes, finders and renderers in their folders; nobody keeps a list by hand."""

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
    """The `attribute` of every module in a room that has one, in the order of their names.

    `pkgutil` also looks into zip files, so this works where Spark ships the package as one.
    """
    package = import_module(f"deadheat.{room}")
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__))
    modules = (import_module(f"deadheat.{room}.{name}") for name in names)
    return tuple(getattr(m, attribute) for m in modules if hasattr(m, attribute))


def eager_dialects() -> tuple[Dialect, ...]:
    """The dialects that are read everywhere: one per module in `dialects/` that has a `DIALECT`."""
    return _found("dialects", "DIALECT")


def dialects() -> tuple[Dialect, ...]:
    """Every dialect, those in `dialects/shy/` included, which wait to be asked for."""
    return eager_dialects() + _found("dialects.shy", "DIALECT")


@cache
def dialect(name: str) -> Dialect:
    """The dialect of that name."""
    eager = (d for d in eager_dialects() if d.name == name)
    return next(eager, None) or next(d for d in dialects() if d.name == name)


def called(detector: str) -> str:
    """What people call a detector; its name where no dialect is of it."""
    return next((d.called for d in dialects() if d.name == detector), detector)


def rules() -> tuple[Rule, ...]:
    """Every cause that can be found: a `RULE` in `diagnose/rules/`."""
    return _found("diagnose.rules", "RULE")


def renderers() -> dict[str, Any]:
    """Every output format of `scan` by its name: a `RENDERER` in `render/`."""
    return {r.name: r for r in _found("render", "RENDERER")}


def shapes() -> tuple[Any, ...]:
    """Every shape of bug report that can be told: a `SHAPE` in `documents/`."""
    return _found("documents", "SHAPE")


def finders() -> tuple[Any, ...]:
    """Every kind of claim that is looked for: a `FINDER` in `claims/`."""
    return _found("claims", "FINDER")
