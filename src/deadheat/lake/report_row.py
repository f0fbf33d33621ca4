"""The row of a report, and tables of such rows.

Addresses and the numbers of actors and locks become placeholders, counted in order of appearance:
`goroutine 304` becomes `goroutine #2`. So equal reports have equal rows, and the table of reports
stays small. The replaced names are stored with each sighting."""

from __future__ import annotations

import re
from functools import partial
from hashlib import blake2b
from itertools import accumulate, chain
from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from deadheat.grouping.fingerprint import PROGRAM_FACT
from deadheat.grouping.races import family_keys
from deadheat.lake.schema import REPORTS
from deadheat.model import Frame
from deadheat.serialization import location_and_locks_to_wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from deadheat.model import Access, Actor, Cause, Report, Verdict

    ReportDict = dict[str, Any]

    JsonDict = dict[str, Any]

    # in column order; accesses, actors and causes are tuples too, frames are unchanged
    RowValues = tuple[Any, ...]

    # (values, type) -> column
    ColumnBuilder = Callable[[Sequence[Any], Any], pa.Array]


# "+0x45" is an instruction, not a name
_INSTRUCTION_PREFIX: Final = "+"
# "0x00c00012e018", the "304" of "goroutine 304", the "17" of "M17"
_VARIABLE_NUMBER: Final = re.compile(r"0x[0-9a-f]+|\d+")


class PlaceholderMap:
    """Assigns placeholders to names."""

    def __init__(self) -> None:
        self._placeholders: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        if name not in self._placeholders:
            pattern, count = _VARIABLE_NUMBER.subn("#", name)
            if not count and "#" not in name:
                return name
            self._placeholders[name] = f"{pattern} {len(self._placeholders)}"
        return self._placeholders[name]

    def replace_in_text(self, text: str) -> str:
        """Replace the names in a sentence: `in a worker (goroutine 304)`."""
        for name, placeholder in self._placeholders.items():
            if name in text:
                text, *parts = text.split(name)
                for rest in parts:
                    # "goroutine 3" is not in "goroutine 304"
                    is_part = text[-1:].isalnum() or rest[:1].isalnum()
                    text = f"{text}{name if is_part else placeholder}{rest}"
        return text

    @property
    def names(self) -> list[str]:
        """The replaced names in the order of their placeholders."""
        return list(self._placeholders)


def restore_names(report: ReportDict, names: list[str]) -> ReportDict:
    """The report as printed, with the names of one of its sightings."""
    return _map_names(report, lambda placeholder: placeholder_name(placeholder, names))


def placeholder_name(placeholder: str, names: list[str]) -> str:
    """The name for a placeholder."""
    return names[int(placeholder.rpartition(" ")[2])] if "#" in placeholder else placeholder


def append_instructions(names: list[str], addresses: tuple[str, ...]) -> list[str]:
    """Append instructions to the names of a sighting; they have no placeholders."""
    return [*names, *[f"{_INSTRUCTION_PREFIX}{instruction}" for instruction in addresses]] if any(addresses) else names


def instructions_in(names: list[str]) -> tuple[str, ...]:
    """The instructions in the names of a sighting."""
    return tuple([name[len(_INSTRUCTION_PREFIX) :] for name in names if name.startswith(_INSTRUCTION_PREFIX)])


def text_digest(text: str) -> str:
    """The digest of a report with placeholders, given as JSON."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _map_names(report: ReportDict, change: Callable[[str], str]) -> ReportDict:
    """A report with all names mapped. Unchanged parts are shared."""
    return {
        **report,
        "accesses": [
            {**(_map_fields(item, change, "address", "actor") or {}), "locks": [*map(change, item["locks"])]}
            for item in report["accesses"]
        ],
        "actors": [_map_fields(item, change, "id") for item in report["actors"]],
        **map_names_in_rest(report, change),
    }


def map_names_in_rest(report: ReportDict, change: Callable[[str], str]) -> ReportDict:
    """The fields that the Go detector never prints, with all names mapped."""
    return {
        "location": _map_fields(report["location"], change, "address", "actor"),
        "locks": [_map_fields(lock, change, "id", "address") for lock in report["locks"]],
        "cycle": [_map_fields(edge, change, "held", "acquired", "actor") for edge in report["cycle"]],
        "facts": [fact if _is_fixed(fact) else _map_fields(fact, change, "value") for fact in report["facts"]],
    }


def _is_fixed(fact: ReportDict) -> bool:
    """Is this the program, which is part of the fingerprint? Rows of version 2 have a placeholder for its digits."""
    return fact["name"] == PROGRAM_FACT and "#" not in fact["value"]


def _map_fields(fields_dict: ReportDict | None, change: Callable[[str], str], *fields: str) -> ReportDict | None:
    if fields_dict is None:
        return None
    return {**fields_dict, **{field: change(fields_dict[field]) for field in fields if fields_dict[field]}}


_encode_json: Final = JSONEncoder(check_circular=False, separators=(",", ":")).encode
# the start of an escaped surrogate in JSON
_SURROGATE_ESCAPE: Final = "\\ud"
# separates texts; JSON text does not contain it
_TEXT_SEPARATOR: Final = "\0"
# index of the stack in an access
_STACK_INDEX: Final = 6
_NO_FRAMES: tuple[tuple[Any, ...], ...] = ((),) * 8


class ReportDetails(NamedTuple):
    """What a race takes from its best report."""

    title: str
    detector: str
    kind: str
    sites: list[str]
    cause: str | None
    confidence: float  # of the cause
    keys: list[str]


# the columns of `ReportDetails`
DETAIL_COLUMNS: Final = ("title", "detector", "kind", "sites", "causes", "keys")


class MaskedReport(NamedTuple):
    """The row of a report, its digest, and the names of its placeholders."""

    row: RowValues
    digest: str
    names: list[str]
    actors: list[str]  # placeholders of the racing actors
    details: ReportDetails
    has_surrogates: bool  # the text may contain lone surrogates


def mask_report(report: Report, verdict: Verdict, found_causes: tuple[Cause, ...]) -> MaskedReport:
    """The row of a report."""
    placeholders = PlaceholderMap()
    # placeholders are counted in this order
    accesses = [_access_row(access, placeholders) for access in report.accesses]
    actors = [_actor_row(actor, placeholders) for actor in report.actors]
    first = (report.detector, report.kind, verdict.title, verdict.fingerprint)
    rest = _rest_columns(report, placeholders)
    causes = [
        (cause.cause, cause.confidence, [placeholders.replace_in_text(sentence) for sentence in cause.evidence])
        for cause in found_causes
    ]
    last = (*rest, report.test, causes, report.damage)
    text, frames = _digest_texts(accesses, actors, (*first, *last))
    digest = text_digest(f"{text}{_TEXT_SEPARATOR}{frames}")
    sites = [_site_text(access.site) for access in report.accesses]
    family_key_list = sorted(set(family_keys(report)))
    racing_actors = [placeholders(access.actor) for access in report.accesses if access.actor]
    cause, confidence = causes[0][:2] if causes else (None, 0.0)
    details = ReportDetails(verdict.title, report.detector, report.kind, sites, cause, confidence, family_key_list)
    has_surrogates = _SURROGATE_ESCAPE in text or not frames.isascii()
    details = replace_surrogates(details) if has_surrogates else details
    row = (digest, *first, accesses, actors, *last, sites, family_key_list)
    return MaskedReport(row, digest, placeholders.names, racing_actors, details, has_surrogates)


def _digest_texts(accesses: list[RowValues], actors: list[RowValues], others: RowValues) -> tuple[str, str]:
    """The content of a report as two texts, which differ for different reports.

    Frames are joined without quoting, which is fast. If one of them contains the separator, all are
    encoded as JSON.
    """
    stacks = [*[access[_STACK_INDEX] for access in accesses], *[actor[-1] for actor in actors]]
    frames = [frame for stack in stacks for frame in stack]
    functions, packages, files, lines, origins, paths, stale, inlined = (
        zip(*frames, strict=True) if frames else _NO_FRAMES
    )
    joined = _TEXT_SEPARATOR.join((*functions, *packages, *files, *origins, *paths))
    if joined.count(_TEXT_SEPARATOR) != max(0, 5 * len(frames) - 1):
        joined = _encode_json(frames)
    accesses_without_stack = [(*access[:_STACK_INDEX], *access[_STACK_INDEX + 1 :]) for access in accesses]
    known = [actor[:-1] for actor in actors]
    # numbers need no quoting, and few frames have a flag
    flags = (stale, inlined) if True in stale or True in inlined else ()
    return f"{_encode_json((accesses_without_stack, known, others))}{[*map(len, stacks)]}{lines}{flags}", joined


def details_of_row(row: JsonDict) -> ReportDetails:
    """The details from the row of a report."""
    first: JsonDict = row["causes"][0] if row["causes"] else {"cause": None, "confidence": 0.0}
    first_cause = first["cause"], first["confidence"]
    return ReportDetails(row["title"], row["detector"], row["kind"], row["sites"], *first_cause, row["keys"])


def replace_surrogates(value: Any) -> Any:
    """Replace lone surrogates, which JSON in a log may contain and Arrow cannot encode."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: replace_surrogates(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        inside = map(replace_surrogates, value)
        return type(value)(*inside) if hasattr(value, "_fields") else tuple(inside)
    return [replace_surrogates(inner) for inner in value] if isinstance(value, list) else value


def _access_row(access: Access, placeholders: PlaceholderMap) -> RowValues:
    address = access.address and placeholders(access.address)
    actor = access.actor and placeholders(access.actor)
    locks = [placeholders(lock) for lock in access.locks]
    site = access.site
    position = None if site is None else site[:4]
    test = access.test or None
    return access.op, access.size, address, actor, locks, position, access.stack, test


def _actor_row(actor: Actor, placeholders: PlaceholderMap) -> RowValues:
    return actor.id and placeholders(actor.id), actor.state, actor.created_at


def _rest_columns(report: Report, placeholders: PlaceholderMap) -> RowValues:
    """The columns that are empty for the Go detector: location, locks, cycle, facts."""
    if not (report.location or report.locks or report.cycle or report.facts):
        return None, (), (), ()
    rest = location_and_locks_to_wire(report)
    rest["facts"] = [{"name": name, "value": value} for name, value in rest["facts"].items()]
    for stack in _stacks_in_rest(rest):
        for frame in stack:
            frame.setdefault("inlined", False)  # in JSON only if true
    return tuple(map_names_in_rest(rest, placeholders).values())


def _stacks_in_rest(rest: JsonDict) -> Iterator[list[JsonDict]]:
    yield from (lock["created_at"] for lock in rest["locks"])
    for edge in rest["cycle"]:
        yield from (edge["stack"], edge["held_stack"])
    if rest["location"]:
        yield rest["location"]["stack"]


def _site_text(site: Frame | None) -> str:
    if site is None:
        return ""
    position = ":".join([str(part) for part in (site.file, site.line) if part])
    return " ".join(filter(None, (site.function, position)))


_INT64_LIMIT = 1 << 63


def reports_table(rows: Sequence[RowValues]) -> pa.Table:
    """The table of these rows, ordered by their digest, which is the first value."""
    if not rows:
        return REPORTS.empty_table()
    ordered = sorted(rows, key=_row_digest)
    try:
        return _build_table(ordered)
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):
        return _build_table([_drop_large_integers(replace_surrogates(row)) for row in ordered])


def _row_digest(row: RowValues) -> str:
    return str(row[0])


def _drop_large_integers(value: Any) -> Any:
    """Replace integers that do not fit into a column by None."""
    if isinstance(value, dict):
        return {key: _drop_large_integers(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_drop_large_integers(inner) for inner in value]
    return None if isinstance(value, int) and not -_INT64_LIMIT <= value < _INT64_LIMIT else value


def _build_table(rows: Sequence[RowValues]) -> pa.Table:
    columns = zip(*rows, strict=True)
    return pa.Table.from_arrays(_build_columns(columns, list(REPORTS), _NESTED_BUILDERS), schema=REPORTS)


def _build_columns(columns: Any, fields: Sequence[pa.Field], nested: Mapping[str, ColumnBuilder]) -> list[pa.Array]:
    return [nested.get(field.name, pa.array)(values, field.type) for field, values in zip(fields, columns, strict=True)]


def _list_column(build_items: ColumnBuilder, values: Sequence[Any], kind: Any) -> pa.Array:
    """A column of lists; `build_items` builds the column of all items."""
    ends = pa.array([0, *accumulate(map(len, values))], pa.int32())
    content = build_items([*chain.from_iterable(values)], kind.value_type)
    return pa.ListArray.from_arrays(ends, content, kind)


def _struct_column(nested: Mapping[str, ColumnBuilder], values: Sequence[Any], kind: Any) -> pa.Array:
    """A column of structs, some of which may be None."""
    fields = list(kind)
    empty = (None,) * len(fields)
    missing = [value is None for value in values]
    if any(missing):
        values = [empty if value is None else value for value in values]
    columns = [*zip(*values, strict=True)] or [()] * len(fields)
    arrays = _build_columns(columns, fields, nested)
    return pa.StructArray.from_arrays(arrays, fields=fields, mask=pa.array(missing, pa.bool_()))


def _frame_column(values: Sequence[Any], kind: Any) -> pa.Array:
    """A column of frames, whose fields are ordered differently."""
    columns = [*zip(*values, strict=True)] or [()] * len(kind)
    columns_by_field = dict(zip(Frame._fields, columns, strict=True))
    arrays = [pa.array(columns_by_field[field.name], field.type) for field in kind]
    return pa.StructArray.from_arrays(arrays, fields=list(kind))


_STACK_BUILDER: ColumnBuilder = partial(_list_column, _frame_column)
_NESTED_BUILDERS: dict[str, ColumnBuilder] = {
    "accesses": partial(
        _list_column, partial(_struct_column, {"site": partial(_struct_column, {}), "stack": _STACK_BUILDER})
    ),
    "actors": partial(_list_column, partial(_struct_column, {"created_at": _STACK_BUILDER})),
    "causes": partial(_list_column, partial(_struct_column, {})),
}
