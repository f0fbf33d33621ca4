"""What CI, loggers, mail and people do to a detector's report: plain text in, damaged bytes out.

A file to a family. Each registers what it has when it is loaded.
"""

from __future__ import annotations

from importlib import import_module

from tests.damage.registry import FOUND, Damage, compose, named

__all__ = ["DAMAGES", "Damage", "compose", "named"]

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

SINGLE: tuple[Damage, ...] = tuple(FOUND)
COMPOSED: tuple[Damage, ...] = import_module(f"{__name__}.compositions").COMPOSED
DAMAGES = (*SINGLE, *COMPOSED)
