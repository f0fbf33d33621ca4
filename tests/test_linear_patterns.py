"""Regular expressions of the package take linear time: no text makes one try the same characters again and again."""

from __future__ import annotations

import ast
import pkgutil
import re
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

import pytest

import deadheat
from deadheat import text

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parent.parent / "src" / "deadheat"
# a repeat that ends after this many times costs a constant
_MAX_COUNT = 5000
_SAMPLE = [*map(chr, range(256)), "\u2028", "\u0416", "\uff1a", "\U0001f600"]
_ALL = frozenset(range(len(_SAMPLE)))
_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
_POSSESSIVE = (_constants.POSSESSIVE_REPEAT, _constants.ATOMIC_GROUP)
_LINE_STARTS = (_constants.AT_BEGINNING, _constants.AT_BEGINNING_STRING)
_NEWLINE = frozenset({10})
_POSITIONS = (_constants.AT, _constants.ASSERT, _constants.ASSERT_NOT)
_EACH_ONCE = "what ends the first repeat is followed by another run of the second one each time"
_SHORT = "the text is a name or a prefix of limited length"
_UNIQUE = "each round ends with a character that the round cannot contain, so there is one way to divide the text"
# patterns that are linear for another reason
PROOFS = {
    "bug_reports.claims.code_blocks._TABLE_ROW": _EACH_ONCE,  # after each bar the blanks behind it
    "bug_reports.reader._JSON_LINES": _EACH_ONCE,  # after each brace
    "detectors.go.fatal_error._CREATED_BY": _EACH_ONCE,  # after each "in goroutine"
    "detectors.go.fatal_error._LOCATION_LINE": "the last repeat always matches",
    "detectors.go.line_patterns.OFFSET_LINE": "it is only matched",
    "diagnosis.facts.function_names._NAME_WORD": "a run of capitals fails at most at its last one",
    "repo.clone._RELEASE_BRANCH": "the last repeat always matches",
    "repo.pinning.line_claims._CPP_NAME": _SHORT,
    "repo.racing_lines._GO_IMPORT": _EACH_ONCE,  # after each slash
    "spark.failures._CLASS_NAMES": _UNIQUE,
    "symbols.go._OLD_METHOD_VALUE": _EACH_ONCE,  # after each dot
    "symbols.kernel._CLONE_SUFFIX": _SHORT,
    "symbols.native._QUALIFIERS": _SHORT,
    "symbols.rust._CLOSURE_SUFFIX": _SHORT,
    "text.log_records._LOGFMT_LINE": _UNIQUE,
    "text.log_records._TIMESTAMP": "a run of digits that is long enough always matches",
    "text.prefixes._KNOWN_PREFIX": "it is only matched, and the pattern's groups are listed",
    "text.streams._VARYING_WORD": _SHORT,
    "text.streams._QUOTED_STRING": "both are only matched",
}

# most files have none, and all are read whenever tests are collected
_CALL_OF_RE = re.compile(r"\bre\s*\.\s*(?!compile\b|escape\b)[a-z]+\(")

# the characters that it matches, whether without end, and whether it may be left out
Atom = tuple[frozenset[int], bool, bool]


def named_patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """All patterns that a module, or a class or container in it, has."""
    seen: set[int] = set()
    visited: set[int] = set()
    for info in pkgutil.walk_packages(deadheat.__path__, "deadheat."):
        if info.name.endswith(("__main__", ".migrations.env")):  # which run when they are imported
            continue
        module = import_module(info.name)
        for name, value in vars(module).items():
            if id(value) in visited or (isinstance(value, type) and value.__module__ != info.name):
                continue  # another module has it, too
            visited.add(id(value))
            for pattern in _patterns_in(value):
                if id(pattern) not in seen:
                    seen.add(id(pattern))
                    yield f"{info.name.removeprefix('deadheat.')}.{name}", pattern


def _patterns_in(value: Any, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, text._LazyPattern):
        yield re.compile(value.pattern, value._flags)
    elif isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from _patterns_in(item, depth - 1)
    elif depth and isinstance(value, list | tuple):
        for item in value:
            yield from _patterns_in(item, depth - 1)
    elif depth and isinstance(value, type):
        for item in vars(value).values():
            yield from _patterns_in(item, depth - 1)


def inline_patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Constant patterns of calls of `re`, such as `re.sub`."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if _CALL_OF_RE.search(text) else ():
            match node:
                case ast.Call(ast.Attribute(ast.Name("re"), method), [ast.Constant(pattern), *_]):
                    if method not in ("compile", "escape"):
                        yield f"{path.relative_to(PACKAGE)}:{node.lineno}", re.compile(pattern)


@cache
def _matched_names() -> frozenset[str]:
    """The private patterns of each module that are only matched at a position, by module and name."""
    used: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used.setdefault(f"{module}.{node.value.id}", set()).add(node.attr)
    return frozenset(name for name, methods in used.items() if methods <= {"match", "fullmatch"})


_known_characters: dict[tuple[int, bool, str], frozenset[int]] = {}


class _Analysis:
    """Finds repeats that can share their characters in many ways."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self._flags = pattern.flags & ~re.DEBUG
        self._is_bytes = isinstance(pattern.pattern, bytes)
        self._tree = _parser.parse(pattern.pattern, self._flags & ~(re.UNICODE if self._is_bytes else 0))
        self.faults: list[str] = []

    def run(self, is_searched: bool) -> list[str]:
        for sequence in self._sequences(self._tree):
            self._check_sequence(sequence, is_searched)
        return list(dict.fromkeys(self.faults))

    def _characters(self, op: Any, value: Any) -> frozenset[int]:
        key = self._flags, self._is_bytes, repr((op, value))
        if key not in _known_characters:
            _known_characters[key] = self._find_characters(op, value)
        return _known_characters[key]

    def _find_characters(self, op: Any, value: Any) -> frozenset[int]:
        tree = _parser.SubPattern(self._tree.state, [(op, value)])
        compiled = _compiler.compile(tree, self._flags | (0 if self._is_bytes else re.UNICODE))
        if self._is_bytes:
            return frozenset(at for at in range(256) if compiled.fullmatch(bytes([at])))
        found = frozenset(at for at, character in enumerate(_SAMPLE) if compiled.fullmatch(character))
        return found or frozenset({-1})  # one that is not in the sample

    def _sequences(self, tree: Any) -> list[list[Atom]]:
        """The ways through a tree, as characters and repeats of characters. Repeated groups are taken twice."""
        ways: list[list[Atom]] = [[]]
        for op, value in tree:
            ways = [[*before, *after] for before, after in product(ways, self._item_ways(op, value))]
            if len(ways) > 3000:  # alternatives in a row: keep what differs at the end
                ways = list({tuple(way[-12:]): way for way in ways}.values())[:3000]
        return ways

    def _item_ways(self, op: Any, value: Any) -> list[list[Atom]]:
        if op in _POSITIONS or op in _POSSESSIVE:
            for part in (value[-1],) if op is not _constants.AT else ():
                if op is not _constants.ATOMIC_GROUP:
                    for sequence in self._sequences(part):
                        self._check_sequence(sequence, is_searched=False)
            return [[self._position(op, value)]] if op in _POSITIONS else [[(_ALL, False, True)]]
        if op is _constants.SUBPATTERN:
            return self._sequences(value[-1])
        if op is _constants.BRANCH:
            return [way for branch in value[1] for way in self._sequences(branch)]
        if op is _constants.GROUPREF:
            return [[(_ALL, False, True)]]
        if op is _constants.GROUPREF_EXISTS:
            return [way for branch in value[1:] if branch for way in self._sequences(branch)]
        if op in _REPEATS:
            return self._repeat_ways(*value)
        return [[(self._characters(op, value), False, False)]]

    def _position(self, op: Any, value: Any) -> Atom:
        """A position, which may not fit. Where a line begins, or behind a character, few searches begin."""
        if op is _constants.AT and value in _LINE_STARTS:
            return (_NEWLINE if self._flags & re.MULTILINE else frozenset()), False, False
        is_behind = op is not _constants.AT and value[0] < 0
        is_boundary = op is _constants.AT and value is _constants.AT_BOUNDARY
        return frozenset(), False, not (is_behind or is_boundary)

    def _repeat_ways(self, low: int, high: int, body: Any) -> list[list[Atom]]:
        is_endless = high is _constants.MAXREPEAT or high > _MAX_COUNT
        ways = self._sequences(body)
        if not is_endless:
            return ways if low else [*ways, []]
        single = [way[0] for way in ways if len(way) == 1]
        if len(single) == len(ways):
            for at, (characters, endless, _) in enumerate(single):
                others = frozenset().union(*(other for other, _, _ in single[at + 1 :]))
                if characters & others or endless:
                    self.faults.append("a repeat whose rounds can match the same text in several ways")
            return [[(frozenset().union(*(characters for characters, _, _ in single)), True, not low)]]
        if len(body) == 1 and body[0][0] is _constants.BRANCH:
            firsts = [self._first(self._sequences(branch)) for branch in body[0][1][1]]
            if any(first & other for at, first in enumerate(firsts) for other in firsts[at + 1 :]):
                self.faults.append("a repeat of alternatives that begin alike")
        for one, other in product(ways, ways):
            self._check_sequence([*one, *other], is_searched=False)
        # text that it matches may be any of these
        return [[(frozenset().union(*(atom[0] for way in ways for atom in way)), True, not low)]]

    def _first(self, ways: list[list[Atom]]) -> frozenset[int]:
        found: frozenset[int] = frozenset()
        for way in ways:
            for characters, _, is_optional in way:
                found |= characters
                if not is_optional:
                    break
        return found

    def _check_sequence(self, way: list[Atom], is_searched: bool) -> None:
        for at, (characters, is_endless, _) in enumerate(way):
            if not is_endless:
                continue
            is_first = all(optional or before & characters & _NEWLINE for before, _, optional in way[:at])
            if is_searched and is_first and at + 1 < len(way):
                self.faults.append("a search that begins with a repeat")
            for later, (others, other_endless, _) in enumerate(way[at + 1 :], at + 1):
                if other_endless and characters & others and later + 1 < len(way):
                    self.faults.append("two repeats that can share their characters")
                if others and not characters & others and not way[later][2]:
                    break


@pytest.mark.parametrize(
    ("name", "pattern"),
    [*named_patterns(), *inline_patterns()],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_pattern_takes_linear_time(name: str, pattern: re.Pattern[Any]) -> None:
    faults = _Analysis(pattern).run(is_searched=name not in _matched_names())
    if name in PROOFS:
        assert faults, f"{name} needs no proof"
    else:
        assert not faults, (faults, pattern.pattern)
