"""What a kind of damage is, and which ones there are."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Damage:
    """One kind of damage.

    `lossy` says that facts of the report (headers, frames) are gone for good. Furniture that
    carries no fact, such as bars and banners, may go missing from a damage that is not lossy. Error
    stacks, which have no header to tell them by, are not `headless`ly read from all of them.
    """

    name: str
    lossy: bool
    apply: Callable[[str, random.Random], bytes]
    headless: bool = True


Transform = Callable[[str, random.Random], str]
LineMaker = Callable[[random.Random, datetime], str]

FOUND: list[Damage] = []


def add_bytes(
    name: str, apply: Callable[[str, random.Random], bytes], *, lossy: bool = False, headless: bool = True
) -> None:
    FOUND.append(Damage(name, lossy, apply, headless))


def add(name: str, transform: Transform, *, lossy: bool = False, headless: bool = True) -> None:
    def apply(text: str, rng: random.Random) -> bytes:
        # Lone surrogates stand for bytes that are not UTF-8, so that damages can be stacked.
        return transform(text, rng).encode("utf-8", "surrogateescape")

    add_bytes(name, apply, lossy=lossy, headless=headless)


def damage(name: str, *, lossy: bool = False, headless: bool = True) -> Callable[[Transform], Transform]:
    def register(transform: Transform) -> Transform:
        add(name, transform, lossy=lossy, headless=headless)
        return transform

    return register


def compose(first: Damage, second: Damage, *more: Damage) -> Damage:
    """The damages one after the other; one that changes the encoding has to come last."""
    steps = (first, second, *more)

    def apply(text: str, rng: random.Random) -> bytes:
        damaged = b""
        for step in steps:
            damaged = step.apply(text, rng)
            text = damaged.decode("utf-8", "surrogateescape")
        return damaged

    name = "-then-".join(step.name for step in steps)
    lossy, headless = any(s.lossy for s in steps), all(s.headless for s in steps)
    return Damage(name, lossy, apply, headless)


def named(name: str) -> Damage:
    """The damage of that name, for tests that want one in particular."""
    for known in FOUND:
        if known.name == name:
            return known
    raise KeyError(name)
