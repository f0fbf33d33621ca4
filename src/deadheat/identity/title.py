"""A race in one line, the same line whichever side was printed first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.symbols import go

if TYPE_CHECKING:
    from deadheat.model import Access, Report


def title(report: Report) -> str:
    """`read/write race in executor.(*IndexNestedLoopHashJoin): finishJoinWorkers / Close`."""
    sides = sorted((str(a.op), _name(a)) for a in report.accesses)
    what = _what(report, [op for op, _ in sides])
    names = [name or "?" for _, name in sides]
    if set(names) <= {"?"}:
        return f"{what} at an unknown place"
    if len(names) == 1 or (names[0] == names[1] and len(set(names)) == 1):
        return f"{what} in {names[0]}"
    owners = {name.rpartition(".")[0] for name in names}
    if len(owners) == 1 and "(" in (owner := owners.pop()):
        return f"{what} in {owner}: " + " / ".join(n.rpartition(".")[2] for n in names)
    return f"{what}: " + " / ".join(names)


def _what(report: Report, ops: list[str]) -> str:
    if report.kind == "data-race":
        return f"{'/'.join(ops)} race" if len(ops) > 1 else f"race ({ops[0]})" if ops else "race"
    return report.kind.replace("-", " ")


def _name(access: Access) -> str:
    return go.parent(access.site.function) if access.site else ""
