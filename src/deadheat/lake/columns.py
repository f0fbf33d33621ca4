"""Builds Arrow columns from rows of reports."""

from __future__ import annotations

from functools import partial
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from deadheat.lake.schema import REPORTS
from deadheat.lake.told import writable
from deadheat.model import Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from deadheat.lake.told import Row

    # (values, type) -> column
    Maker = Callable[[Sequence[Any], Any], pa.Array]

_MOST = 1 << 63


def table(rows: Sequence[Row]) -> pa.Table:
    """The table of these rows, ordered by their digest, which is the first value."""
    if not rows:
        return REPORTS.empty_table()
    ordered = sorted(rows, key=_digest)
    try:
        return _table(ordered)
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):
        return _table([_held(writable(row)) for row in ordered])


def _digest(row: Row) -> str:
    return str(row[0])


def _held(value: Any) -> Any:
    """Replace integers that do not fit into a column by None."""
    if isinstance(value, dict):
        return {key: _held(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_held(inner) for inner in value]
    return None if isinstance(value, int) and not -_MOST <= value < _MOST else value


def _table(rows: Sequence[Row]) -> pa.Table:
    columns = zip(*rows, strict=True)
    return pa.Table.from_arrays(_made(columns, list(REPORTS), _NESTED), schema=REPORTS)


def _made(columns: Any, fields: Sequence[pa.Field], nested: Mapping[str, Maker]) -> list[pa.Array]:
    return [
        nested.get(field.name, pa.array)(values, field.type)
        for field, values in zip(fields, columns, strict=True)
    ]


def _lists(inside: Maker, values: Sequence[Any], kind: Any) -> pa.Array:
    """A column of lists; `build_items` builds the column of all items."""
    ends = pa.array([0, *accumulate(map(len, values))], pa.int32())
    content = inside([*chain.from_iterable(values)], kind.value_type)
    return pa.ListArray.from_arrays(ends, content, kind)


def _structs(nested: Mapping[str, Maker], values: Sequence[Any], kind: Any) -> pa.Array:
    """A column of structs, some of which may be None."""
    fields = list(kind)
    nothing = (None,) * len(fields)
    missing = [value is None for value in values]
    if any(missing):
        values = [nothing if value is None else value for value in values]
    columns = [*zip(*values, strict=True)] or [()] * len(fields)
    arrays = _made(columns, fields, nested)
    return pa.StructArray.from_arrays(arrays, fields=fields, mask=pa.array(missing, pa.bool_()))


def _frames(values: Sequence[Any], kind: Any) -> pa.Array:
    """A column of frames, whose fields are ordered differently."""
    columns = [*zip(*values, strict=True)] or [()] * len(kind)
    found = dict(zip(Frame._fields, columns, strict=True))
    arrays = [pa.array(found[field.name], field.type) for field in kind]
    return pa.StructArray.from_arrays(arrays, fields=list(kind))


_STACKS: Maker = partial(_lists, _frames)
_NESTED: dict[str, Maker] = {
    "accesses": partial(
        _lists, partial(_structs, {"site": partial(_structs, {}), "stack": _STACKS})
    ),
    "actors": partial(_lists, partial(_structs, {"created_at": _STACKS})),
    "causes": partial(_lists, partial(_structs, {})),
}
