"""Finds dialects, renderers and feeds by looking into their folders; nobody keeps a list by hand."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


def dialects() -> tuple[Dialect, ...]:
    """Every dialect: one per module in `dialects/` that has a `DIALECT`."""
    return _found("dialects", "DIALECT")


@cache
def dialect(name: str) -> Dialect:
    """The dialect of that name."""
    return next(d for d in dialects() if d.name == name)


def renderers() -> dict[str, Any]:
    """Every output format of `scan` by its name: a `RENDERER` in `render/`."""
    return {r.name: r for r in _found("render", "RENDERER")}
