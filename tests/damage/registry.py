"""The registry of all kinds of damage."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Damage:
    """One kind of damage.

    `lossy`: facts of the report (headers, frames) are lost; bars and banners are no facts.
    `headless`: error stacks, which have no header, can still be read.
    """

    name: str
    lossy: bool
    apply: Callable[[str, random.Random], bytes]
    headless: bool = True


Transform = Callable[[str, random.Random], str]
LineMaker = Callable[[random.Random, datetime], str]

REGISTERED: list[Damage] = []


def add_bytes(
    name: str, apply: Callable[[str, random.Random], bytes], *, lossy: bool = False, headless: bool = True
) -> None:
    REGISTERED.append(Damage(name, lossy, apply, headless))


def add(name: str, transform: Transform, *, lossy: bool = False, headless: bool = True) -> None:
    def apply(text: str, rng: random.Random) -> bytes:
        # lone surrogates stand for bytes that are not UTF-8, so that damages can be combined
        return transform(text, rng).encode("utf-8", "surrogateescape")

    add_bytes(name, apply, lossy=lossy, headless=headless)


def damage(name: str, *, lossy: bool = False, headless: bool = True) -> Callable[[Transform], Transform]:
    def register(transform: Transform) -> Transform:
        add(name, transform, lossy=lossy, headless=headless)
        return transform

    return register


def compose(first: Damage, second: Damage, *more: Damage) -> Damage:
    """Apply damages in turn; one that changes the encoding comes last."""
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


def damage_named(name: str) -> Damage:
    """The damage of that name."""
    for known in REGISTERED:
        if known.name == name:
            return known
    raise KeyError(name)
