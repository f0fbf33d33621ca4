"""Damage that CI systems, loggers, mail and people do to a report: text in, damaged bytes out.

One module per family; each registers its kinds of damage on import.
"""

from __future__ import annotations

from importlib import import_module

from tests.damage.registry import REGISTERED, Damage, compose, damage_named

__all__ = ["DAMAGES", "Damage", "compose", "damage_named"]

_FAMILIES = (
    "prefixes",
    "writers",
    "records",
    "stores",
    "colour",
    "pasted",
    "viewers",
    "blanks",
    "encodings",
    "loggers",
    "wrapped",
    "folded",
    "around",
    "cuts",
)

for family in _FAMILIES:
    import_module(f"{__name__}.{family}")

SINGLE: tuple[Damage, ...] = tuple(REGISTERED)
COMPOSED: tuple[Damage, ...] = import_module(f"{__name__}.compositions").COMPOSED
DAMAGES = (*SINGLE, *COMPOSED)
