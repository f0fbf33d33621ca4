"""The title of a race in one line. It does not depend on the order of the sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat import registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from deadheat.model import Frame, Report


def title(report: Report) -> str:
    """`read/write race in executor.(*IndexNestedLoopHashJoin): finishJoinWorkers / Close`."""
    parent = registry.dialect(report.detector).symbols.parent
    sides = sorted([(str(access.op), _name(access.site, parent)) for access in report.accesses])
    what = _what(report, [op for op, _ in sides])
    names = [name or "?" for _, name in sides]
    if names.count("?") == len(names):
        return f"{what} at an unknown place"
    if names.count(names[0]) == len(names):
        return f"{what} in {names[0]}"
    owner = _owner(names[0])
    if owner and [name for name in names if _owner(name) == owner] == names:
        return f"{what} in {owner}: {' / '.join([_member(name, owner) for name in names])}"
    return f"{what}: {' / '.join(names)}"


def _name(site: Frame | None, parent: Callable[[str], str]) -> str:
    """The function of a site, or its file if it has no name."""
    return (parent(site[0]) or site[2]) if site is not None else ""


def _what(report: Report, ops: list[str]) -> str:
    if report.kind == "data-race":
        return f"{'/'.join(ops)} race" if len(ops) > 1 else f"race ({ops[0]})" if ops else "race"
    return report.kind.replace("-", " ")


def _owner(name: str) -> str:
    """The type of a method: `cart.(*Cart)`, `shop::Cart`; "" for a function."""
    if "::" in name:
        return name.rpartition("::")[0]
    owner = name.rpartition(".")[0]
    return owner if "(" in owner else ""


def _member(name: str, owner: str) -> str:
    return name.removeprefix(owner).lstrip(".:")
