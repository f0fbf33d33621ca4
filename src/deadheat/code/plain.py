"""A dossier as a row of the lake's table: searchable columns, and all of it as JSON."""

from __future__ import annotations

import json
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from deadheat.code.wire import dossier_to_wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from deadheat.code.clone import Clone
    from deadheat.code.dossier import Dossier

    Plain = dict[str, Any]

_COPIED = ("fixed_by", "fixed_in", "introduced_by", "still_present", "owners")


def dossier_to_row(dossier: Dossier, clone: Clone) -> Plain:
    told = dossier_to_wire(dossier)
    cause, command = told["cause"], told["reproduce"]
    return {
        "racing": sum(bool(a.site and clone.paths(a.site)) for a in dossier.report.accesses),
        "pin": told["pin"] and _pin(told["pin"]),
        "variable": told["variable"]
        and {**told["variable"], **(told["variable"]["declared"] or {})},
        "cause": cause and {key: cause[key] for key in ("cause", "confidence", "evidence")},
        "reproduce": command and {key: command[key] for key in ("framework", "command")},
        **{key: told[key] for key in _COPIED},
        "dossier": json.dumps(told, ensure_ascii=False),
    }


def _pin(told: Plain) -> Plain:
    first, last = told["days"]
    return {**told, "first_day": first, "last_day": last, "ties": len(told["ties"])}


def state(clone: Clone) -> str:
    """A digest of what an answer depends on besides the report: refs of the clone and our rules."""
    parts = [
        clone.main.tip,
        *(f"{n} {c}" for n, c in sorted((clone.tags | clone.branches).items())),
    ]
    text = "\n".join([_rules(), *parts]).encode("utf-8", "surrogateescape")
    return blake2b(text, digest_size=12).hexdigest()


def _rules() -> str:
    """A digest of our source code: stored answers are computed again when it changes."""
    digest = blake2b(digest_size=12)
    for room in ("deadheat.code", "deadheat.diagnose"):
        for file in _sources(files(room)):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _sources(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _sources(entry)
        elif entry.name.endswith(".py"):
            yield entry
