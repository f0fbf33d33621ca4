"""What is fuzzed: each target reads bytes and asserts what must hold for any bytes."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fuzz.mutations import Mutation


class FuzzTarget(NamedTuple):
    """A function that raises if an invariant is broken, and the inputs to begin with."""

    name: str
    run: Callable[[bytes], object]
    seeds: Callable[[], Iterable[bytes]]
    # mutations of the structure, beside those of bytes; none is fastest
    mutations: tuple[Mutation, ...] = ()
    share: int = 2  # of the time
    max_size: int = 4096


@cache
def all_targets() -> dict[str, FuzzTarget]:
    """The `TARGETS` of each module in this package, by name."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return {target.name: target for module in modules for target in getattr(module, "TARGETS", ())}
