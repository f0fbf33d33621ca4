"""A fix as a row of the lake's table, and back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from deadheat.code.mining.judge import Fix
from deadheat.wire import sighting_from_wire, sighting_to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    Plain = dict[str, Any]

_LISTS = (
    "strategies", "why", "files", "functions", "types", "variables", "issues", "causes", "brings",
)  # fmt: skip
_TEXTS = ("commit", "subject", "strategy", "pull", "is_merge", "reverted_by")
# years 1 and 9999: a commit may have any time, a table column cannot
_FIRST, _LAST = -62_135_596_800, 253_402_300_799


def fix_to_row(fix: Fix) -> Plain:
    row: Plain = {name: getattr(fix, name) for name in _TEXTS}
    row |= {name: list(getattr(fix, name)) for name in _LISTS}
    row["fixed_at"] = datetime.fromtimestamp(max(_FIRST, min(fix.time, _LAST)), UTC)
    row["reports"] = [
        {
            "fingerprint": one.verdict.fingerprint,
            "title": one.verdict.title,
            "report": json.dumps(sighting_to_wire(one), ensure_ascii=False),
        }
        for one in fix.reports
    ]
    return row


def fix_from_row(row: Mapping[str, Any]) -> Fix:
    told: Plain = {name: row[name] for name in _TEXTS}
    told |= {name: tuple(row[name]) for name in _LISTS}
    told["time"] = int(row["fixed_at"].timestamp())
    told["reports"] = tuple(sighting_from_wire(json.loads(r["report"])) for r in row["reports"])
    return Fix(**told)
