"""Parses names of Go functions: package, receiver, closure, test."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from deadheat.text.late import regex

# cache of source functions; a dictionary is faster than `lru_cache`
_parents: Final[dict[str, str]] = {}
_MOST_KNOWN: Final = 1 << 10

# "(_Memberlist).Create" is "(*Memberlist).Create" with the asterisks lost in Markdown
_LOST_STAR: Final = regex(r"\(_(?=[A-Za-z])")
# "yaml%2ev3": the compiler's escape for a dot in the last element of an import path
_ESCAPE: Final = regex(r"%([0-9a-f]{2})")
# suffixes that the compiler appends for closures and wrappers in a function:
# "F.func1.2", "F.gowrap1", "F.deferwrap2", "F·dwrap·47", "F-fm", "F·fm", "F-range1", "func·024"
_COUNTED: Final = (".func", ".gowrap", ".deferwrap", ".", "-range", "·dwrap·", "·")
_DIGITS: Final = "0123456789"
_METHOD_VALUE: Final = ("-fm", "·fm")
# "http.func·024", a closure of Go 1.4 and older
_OLD_CLOSURE: Final = regex(r"\.func·\d+$")
# "memberlist.*Memberlist.(github.com/hashicorp/memberlist.probe)·fm", a method value of Go 1.3
_OLD_METHOD_VALUE: Final = regex(r"([^.]+)\.[*_](\w+)\.\((?:\S*\.)?(\w+)\)·fm$")
_TEST_INITIALS: Final = ("T", "B", "E", "F")
_TEST_NAME: Final = regex(r"(?:Test|Benchmark|Example|Fuzz)(?![a-z])\w*$")


def split(symbol: str) -> tuple[str, str]:
    """Split a printed symbol into import path and function with package name, receiver and closure."""
    if "(_" in symbol:
        symbol = _LOST_STAR.sub("(*", symbol)
    if "%" in symbol:
        return _split_escaped(symbol)
    slash = symbol.rfind("/")
    if slash > 0 and ("(" in symbol or "[" in symbol):
        # type arguments and receivers may contain import paths
        ends = [i for i in (symbol.find("("), symbol.find("[")) if i >= 0]
        slash = symbol.rfind("/", 0, min(ends))
    dot = symbol.find(".", slash + 1)
    if dot < 0:
        return "", symbol
    return symbol[:dot], symbol[slash + 1 :]


def is_unusual(symbol: str) -> bool:
    """Does the symbol have escapes, lost asterisks or type arguments?"""
    return "%" in symbol or "[" in symbol or "(_" in symbol


def split_plain(symbol: str) -> tuple[str, str]:
    """A faster `split_symbol` for symbols that do not need it in full."""
    slash = last_slash(symbol)
    dot = symbol.find(".", slash + 1)
    return (symbol[:dot], symbol[slash + 1 :]) if dot >= 0 else ("", symbol)


def last_slash(symbol: str) -> int:
    """The index of the last slash of the import path; a receiver may contain another path."""
    receiver = symbol.find("(")
    return symbol.rfind("/", 0, receiver) if receiver >= 0 else symbol.rfind("/")


def _split_escaped(symbol: str) -> tuple[str, str]:
    """Split a symbol in which an escaped dot is part of the package name."""
    package, function = split(symbol.replace("%2e", "\0").replace("%", "\1"))
    parts = (part.replace("\1", "%").replace("\0", "%2e") for part in (package, function))
    package, function = (_ESCAPE.sub(lambda m: chr(int(m[1], 16)), part) for part in parts)
    return package, function


def parent(function: str) -> str:
    """The function as written in the source, without closures, wrappers and type arguments."""
    # compiler-generated suffixes end in a digit or in "fm"
    if function[-1:].isdigit() or function[-2:] == "fm" or "[" in function:
        return written_in(function)
    return function


def written_in(function: str) -> str:
    """The same, for a name that may have such parts."""
    known = _parents.get(function)
    if known is None:
        if len(_parents) >= _MOST_KNOWN:
            _parents.clear()
        _parents[function] = known = _without_suffixes(function)
    return known


def _without_suffixes(function: str) -> str:
    plain = without_brackets(function) if "[" in function else function
    if not plain[-1:].isdigit() and not plain.endswith("fm"):
        return plain
    if "·" in plain:
        if old := _OLD_METHOD_VALUE.match(function):
            return f"{old[1]}.(*{old[2]}).{old[3]}"
        if _OLD_CLOSURE.search(plain):
            return plain  # does not name the function that contains it
    # a closure in a package variable: `glob..func1` up to Go 1.21, `init.func1` since
    plain = plain.replace("glob..func", "init.func")
    outer = enclosing(plain)
    return outer if outer == plain or plain.endswith("fm") else _inlined_from(outer)


def enclosing(function: str) -> str:
    """The name of a function without the suffixes of closures."""
    end = len(function)
    while True:
        at = end
        while at and function[at - 1] in _DIGITS:
            at -= 1
        if at < end:
            suffix = _suffix(function, at)
            if not suffix:
                return function[:end]
            end = at - suffix
        elif function.find("fm", end - 2, end) >= 0 and function.endswith(_METHOD_VALUE, 0, end):
            end -= 3
        else:
            return function[:end]


def _suffix(function: str, end: int) -> int:
    """The length of the closure suffix before a number that starts at `end`; 0 if there is none."""
    for suffix in _COUNTED:
        # faster than `endswith` with bounds
        if function.find(suffix, max(0, end - len(suffix)), end) >= 0:
            return len(suffix)
    return 0


def _inlined_from(function: str) -> str:
    """The function that contains a closure whose name includes the functions it was inlined into.

    Go 1.21 to 1.26 print such names: `wait.(*Queue).run.gowrap1.Until.BackoffUntil` is in
    `BackoffUntil`. `cart.Item.Price` may be a method or `Price` inlined into `Item`; the result is
    `Price` in both cases.
    """
    package, _, name = function.partition(".")
    at = name.rfind("(*")
    last = name.rpartition(".")[2]
    if at > 0 and ")." in name[at:] and name[at:].count(".") == 1:
        return f"{package}.{name[at:]}"
    return function if at == 0 and name.count(".") == 1 else f"{package}.{last}"


@lru_cache(maxsize=1 << 13)
def is_inlined(function: str) -> bool:
    """Does the name of a closure include the functions that it was inlined into?"""
    if not function[-1:].isdigit():
        return False
    outer = enclosing(without_brackets(function))
    return _inlined_from(outer) != outer


def without_brackets(text: str) -> str:
    """Remove type arguments: `Map[go.shape.int]` becomes `Map`."""
    out, depth = [], 0
    for char in text:
        depth += char == "["
        if not depth:
            out.append(char)
        depth -= char == "]" and depth > 0
    return "".join(out)


def is_test(function: str) -> bool:
    """Is this the test function itself (not a closure in it)? `executor_test.(*suite).TestX`."""
    start = function.rfind(".") + 1
    # test the first letter first, for speed
    return function[start : start + 1] in _TEST_INITIALS and bool(_TEST_NAME.match(function, start))


def test_name(function: str) -> str | None:
    """The test that contains a function: `TestX` for `pkg.TestX.func1.2`."""
    if (
        ".Test" not in function and ".Benchmark" not in function
        and ".Example" not in function and ".Fuzz" not in function
    ):  # fmt: skip
        return None
    last = parent(function).rpartition(".")[2]
    return last if _TEST_NAME.match(last) else None
