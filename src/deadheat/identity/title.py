"""A race in one line, the same line whichever side was printed first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import registry

if TYPE_CHECKING:
    from deadheat.model import Report


def title(report: Report) -> str:
    """`read/write race in executor.(*IndexNestedLoopHashJoin): finishJoinWorkers / Close`."""
    parent = registry.dialect(report.detector).symbols.parent
    # a function without a name is called by its file
    sides = sorted(
        (str(a.op), (parent(a.site.function) or a.site.file) if a.site else "")
        for a in report.accesses
    )
    what = _what(report, [op for op, _ in sides])
    names = [name or "?" for _, name in sides]
    if set(names) <= {"?"}:
        return f"{what} at an unknown place"
    if len(names) == 1 or (names[0] == names[1] and len(set(names)) == 1):
        return f"{what} in {names[0]}"
    owners = {_owner(name) for name in names}
    if len(owners) == 1 and (owner := owners.pop()):
        return f"{what} in {owner}: " + " / ".join(_member(n, owner) for n in names)
    return f"{what}: " + " / ".join(names)


def _what(report: Report, ops: list[str]) -> str:
    if report.kind == "data-race":
        return f"{'/'.join(ops)} race" if len(ops) > 1 else f"race ({ops[0]})" if ops else "race"
    return report.kind.replace("-", " ")


def _owner(name: str) -> str:
    """The type that a method belongs to: `cart.(*Cart)`, `shop::Cart`; nothing for a function."""
    if "::" in name:
        return name.rpartition("::")[0]
    owner = name.rpartition(".")[0]
    return owner if "(" in owner else ""


def _member(name: str, owner: str) -> str:
    return name.removeprefix(owner).lstrip(".:")
