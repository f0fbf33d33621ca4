"""The grouping key of a report, and its address, actors and instructions."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat import plugins
from deadheat.grouping import alternate_keys
from deadheat.grouping.alternate_keys import one_sided_key, pair_hash, sum_hashes
from deadheat.grouping.fingerprint import (
    ATOMIC_PACKAGE,
    ATOMIC_SITE,
    FORMER_VERSION,
    MAX_TOP_FRAMES,
    ONE_SIDED_KINDS,
    UNKNOWN_SITE,
    CallChain,
    call_chain_of,
    fingerprint_from_sides,
    former_fingerprint,
    former_names,
    identifying_accesses,
    qualified_kind,
    side_name,
    version_of,
)
from deadheat.grouping.links import AlternateKey  # noqa: TC001 - compiled, a named tuple needs it at run time
from deadheat.model import Op, Origin
from deadheat.symbols import native

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.detectors import LanguageSymbols
    from deadheat.grouping.same_object import CallerLine
    from deadheat.model import Access, Report


NamesAndChain = tuple[Hashable, Hashable]
# length of a variant id without its ordinal, and the separator before an ambiguity suffix
VARIANT_ID_LENGTH, AMBIGUITY_SEPARATOR = 16, "~"
# the last character of the id of a variant of one-sided reports
ONE_SIDED_MARK: Final = "-"
# creates a named tuple three times as fast as its class
_new: Final = tuple.__new__
WRITE_OPS: Final = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
_USER: Final = Origin.USER
# "runtime.mapassign_faststr", "runtime.mapIterStart"
_MAP_FUNCTIONS: Final = "runtime.map"
# detectors that omit the other side because it may be a device
_OTHER_SIDE_MAY_BE_DEVICE: Final = ("kcsan",)
# "byAge.Swap" of sort.Interface: one line writes two elements
_SWAP_METHODS: Final = (".Swap", ".swap")
# separators between sides, and between a side and its callers
_SIDE_SEPARATOR, _CALLER_SEPARATOR = "\n", "\t"


class SideKey(NamedTuple):
    """What is compared of one access, except its address."""

    name: str
    chain: CallChain
    writes: bool
    callers: tuple[str, ...]  # nearest first
    function: str  # as printed
    in_stdlib: bool  # the access is inside the standard library
    function_omitted: bool  # the accessing function is not in the stack
    is_map: bool  # a map is accessed through the runtime

    @property
    def call(self) -> CallerLine:
        """The callers, and the line of the nearest call; 0 if that is too far out."""
        nearest = self.callers[0]
        for line, name in self.chain:
            if name == nearest:
                return self.callers, line
        return self.callers, 0


class GroupingKey(NamedTuple):
    """What is compared of a report, except its address. Duplicates share one key."""

    fingerprint: str
    side_keys: tuple[SideKey, ...]  # ordered by name
    kind: str
    one_sided: bool  # only one of two sides is known
    lines_key: str  # shared by reports of the same lines, whatever their package is called
    requires: tuple[AlternateKey, ...]  # keys of races that it may belong to
    provides: tuple[AlternateKey, ...]  # keys of reports that may belong to it

    @property
    def call_chains(self) -> tuple[CallChain, ...]:
        return tuple([side.chain for side in self.side_keys])

    @property
    def names_and_chains(self) -> tuple[NamesAndChain, ...]:
        """For each side, the names of all sides and the call chain of this side."""
        names = tuple([side.name for side in self.side_keys])
        return tuple([(names, side.chain) for side in self.side_keys if side.chain])

    @property
    def writer_chains(self) -> tuple[CallChain, ...]:
        return tuple([side.chain for side in self.side_keys if side.chain and side.writes])

    def write_instructions(self, instructions: tuple[str, ...]) -> list[tuple[CallChain, str]]:
        """The call chain and the instruction of each side that writes.

        The instruction is "" if it is unknown, or if the function swaps elements.
        """
        if len(instructions) != len(self.side_keys):
            return [(chain, "") for chain in self.writer_chains]
        return [
            (side.chain, "" if side.function.endswith(_SWAP_METHODS) else instruction)
            for side, instruction in zip(self.side_keys, instructions, strict=True)
            if side.chain and side.writes
        ]

    @property
    def has_omitted_function(self) -> bool:
        return any(side.function_omitted for side in self.side_keys)

    @property
    def nearest_calls(self) -> tuple[CallerLine, ...]:
        return tuple([side.call for side in self.side_keys])

    @property
    def caller_digest(self) -> str:
        return sum_hashes([pair_hash(side.name, side.callers[0]) for side in self.side_keys])

    @property
    def description(self) -> str:
        """The kind, then each side with its callers, as one string, because it is rarely parsed."""
        return _SIDE_SEPARATOR.join(
            [self.kind, *[_CALLER_SEPARATOR.join((side.name, *side.callers)) for side in self.side_keys]]
        )


def is_one_sided(variant_name: str) -> bool:
    return variant_name.endswith(ONE_SIDED_MARK)


def caller_digests_past_wrappers(description: str) -> frozenset[str]:
    """The caller digests that result if some of the callers are wrappers."""
    side_texts = [side.split(_CALLER_SEPARATOR) for side in description.split(_SIDE_SEPARATOR)[1:]]
    hashes_by_side = [[pair_hash(name, caller) for caller in callers] for name, *callers in side_texts]
    return frozenset([sum_hashes(pair) for pair in product(*hashes_by_side)])


def former_fingerprint_of(description: str) -> str:
    """The fingerprint of version 2 of the reports with this description; "" if it is still valid."""
    kind, side_names = _kind_and_names(description)
    return "" if version_of(kind) == FORMER_VERSION else former_fingerprint(kind, side_names)


def former_one_sided_keys(description: str) -> list[AlternateKey]:
    """The key that a one-sided report with this description required in version 2."""
    kind, side_names = _kind_and_names(description)
    known = [name for name in side_names if name != UNKNOWN_SITE]
    is_one_sided = len(known) == 1 and len(side_names) < 3 and version_of(kind) != FORMER_VERSION
    return [one_sided_key(*former_names(kind, known))] if is_one_sided else []


def _kind_and_names(description: str) -> tuple[str, list[str]]:
    kind, *sides = [side.partition(_CALLER_SEPARATOR)[0] for side in description.split(_SIDE_SEPARATOR)]
    return kind, sides


def one_sided_keys(description: str) -> frozenset[AlternateKey]:
    """The keys that one-sided reports of these sides require; empty for a one-sided report."""
    kind, side_names = _kind_and_names(description)
    if len(side_names) != 2 or UNKNOWN_SITE in side_names or ATOMIC_SITE in side_names:
        return frozenset()
    return frozenset([one_sided_key(kind, side) for side in side_names])


def grouping_key_of(report: Report, known_fingerprint: str | None = None) -> GroupingKey:
    """The grouping key of a report. `known_fingerprint` avoids computing the fingerprint again."""
    symbols = plugins.detector_named(report.detector).symbols
    side_keys = tuple(sorted([_side_key(access, symbols) for access in identifying_accesses(report)]))
    kind = qualified_kind(report) if symbols is native else report.kind
    fingerprint = known_fingerprint or fingerprint_from_sides(kind, [side.name for side in side_keys])
    lines_key = alternate_keys.main_package_lines_key(report, symbols)
    if known_side := _only_known_side(report.kind, side_keys):
        required, provided = alternate_keys.keys_without_files(report) if symbols is native else ((), ())
        if report.detector not in _OTHER_SIDE_MAY_BE_DEVICE:
            required = (one_sided_key(kind, known_side), *required)
        return GroupingKey(fingerprint, side_keys, kind, True, lines_key, required, provided)
    required, provided = alternate_keys.required_and_provided_keys(report, symbols)
    return _new(GroupingKey, (fingerprint, side_keys, kind, False, lines_key, required, provided))


def _only_known_side(kind: str, side_keys: tuple[SideKey, ...]) -> str:
    """The only known side of two, or ""."""
    if kind in ONE_SIDED_KINDS or not 0 < len(side_keys) < 3:
        return ""
    known = [side.name for side in side_keys if side.name != UNKNOWN_SITE]
    return known[0] if len(known) == 1 and known[0] != ATOMIC_SITE else ""


def _side_key(access: Access, symbols: LanguageSymbols) -> SideKey:
    name = side_name(access, symbols)
    chain, callers = call_chain_of(access, name, symbols.site_key)
    stack, site = access[2], access[6]
    function = site[0] if site is not None else ""
    writes = access[0] in WRITE_OPS
    if not stack or stack[0][4] is _USER:
        return _new(SideKey, (name, chain, writes, callers, function, False, False, False))
    is_map = stack[0].function.startswith(_MAP_FUNCTIONS)
    function_omitted = is_map and alternate_keys.is_map_reader_omitted(access)
    return SideKey(name, chain, writes, callers, function, _is_opaque(access), function_omitted, is_map)


def _is_opaque(access: Access) -> bool:
    """Is the access inside a type of the standard library, such as `bytes.Buffer`?"""
    for frame in access.stack[:MAX_TOP_FRAMES]:
        if frame.origin is _USER or frame.package == ATOMIC_PACKAGE:
            return False
        if frame.origin is Origin.STDLIB:
            return True
    return False


def race_address(report: Report) -> int:
    """The address of the race, or 0 if it is unknown."""
    for access in report.accesses:
        if access.address:
            return int(access.address, 16)
    return 0


def racing_actors(report: Report) -> frozenset[str]:
    return actor_numbers(access.actor for access in report.accesses)


def racing_instructions(report: Report) -> tuple[str, ...]:
    """The instruction of each side in the order of the grouping key, "" if unknown."""
    accesses = identifying_accesses(report)
    instructions = [access.instruction or "" for access in accesses]
    if len({*instructions}) < 2:
        return tuple(instructions) if any(instructions) else ()
    symbols = plugins.detector_named(report.detector).symbols
    sort_keys: list[object] = [side_name(access, symbols) for access in accesses]
    if len({*sort_keys}) < len(sort_keys):
        sort_keys = [_side_key(access, symbols) for access in accesses]
    order = sorted(range(len(accesses)), key=sort_keys.__getitem__)  # type: ignore[arg-type]
    return tuple([instructions[index] for index in order])


def actor_numbers(names: Iterable[str]) -> frozenset[str]:
    """The numbers of actors: `7` for `goroutine 7`, `T1` for `thread T1`."""
    return frozenset(name.rpartition(" ")[2] for name in names if name)


ActorSource = Callable[[], frozenset[str]]
# key, stream, address, actors
ReportInDocument = tuple[GroupingKey, Hashable, int, ActorSource]
OrdinalsByFingerprint = dict[str, list[int]]  # the sorted ordinals that a document shows
InstructionSource = Callable[[], tuple[str, ...]]
# variant id, key, stream, address, instructions
Observation = tuple[str, GroupingKey, Hashable, int, InstructionSource]
