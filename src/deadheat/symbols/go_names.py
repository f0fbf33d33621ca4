"""Names of Go's functions: package, receiver, closure, test; knows no file.

The compiler appends to the name of a function what it makes of the pieces of code in it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from deadheat.text.late import regex

# the functions that closures met lately were written in; a dictionary asks less than `lru_cache`
_parents: Final[dict[str, str]] = {}
_MOST_KNOWN: Final = 1 << 10

# "(_Memberlist).Create" was "(*Memberlist).Create" before a Markdown renderer took the asterisks
_LOST_STAR: Final = regex(r"\(_(?=[A-Za-z])")
# "yaml%2ev3": the compiler's escape for a dot in the last element of an import path
_ESCAPE: Final = regex(r"%([0-9a-f]{2})")
# what the compiler appends to the name of the function that a piece of code was written in:
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
    """A printed symbol as import path and function (package name, receiver, closure as printed)."""
    if "(_" in symbol:
        symbol = _LOST_STAR.sub("(*", symbol)
    if "%" in symbol:
        return _split_escaped(symbol)
    slash = symbol.rfind("/")
    if slash > 0 and ("(" in symbol or "[" in symbol):
        # type arguments and receivers may hold import paths of their own
        ends = [i for i in (symbol.find("("), symbol.find("[")) if i >= 0]
        slash = symbol.rfind("/", 0, min(ends))
    dot = symbol.find(".", slash + 1)
    if dot < 0:
        return "", symbol
    return symbol[:dot], symbol[slash + 1 :]


def is_unusual(symbol: str) -> bool:
    """Has it escapes, lost stars or type arguments?"""
    return "%" in symbol or "[" in symbol or "(_" in symbol


def split_plain(symbol: str) -> tuple[str, str]:
    """`split` of a symbol that is not unusual, in half the time."""
    slash = last_slash(symbol)
    dot = symbol.find(".", slash + 1)
    return (symbol[:dot], symbol[slash + 1 :]) if dot >= 0 else ("", symbol)


def last_slash(symbol: str) -> int:
    """Where the last element of an import path begins; a receiver may hold a path of its own."""
    receiver = symbol.find("(")
    return symbol.rfind("/", 0, receiver) if receiver >= 0 else symbol.rfind("/")


def _split_escaped(symbol: str) -> tuple[str, str]:
    """An escaped dot belongs to the package's name, so it must not end it."""
    package, function = split(symbol.replace("%2e", "\0").replace("%", "\1"))
    parts = (part.replace("\1", "%").replace("\0", "%2e") for part in (package, function))
    package, function = (_ESCAPE.sub(lambda m: chr(int(m[1], 16)), part) for part in parts)
    return package, function


def parent(function: str) -> str:
    """The function that a programmer wrote: no closure, wrapper or type arguments."""
    # every suffix that the compiler appends ends in a digit or in "fm"
    if function[-1:].isdigit() or function[-2:] == "fm" or "[" in function:
        return written_in(function)
    return function


def written_in(function: str) -> str:
    """The same for a function whose name shows that it may have such."""
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
            return plain  # it does not say which function it is in
    # what Go up to 1.21 calls a closure in a package variable is in `init` since
    plain = plain.replace("glob..func", "init.func")
    outer = enclosing(plain)
    return outer if outer == plain or plain.endswith("fm") else _inlined_from(outer)


def enclosing(function: str) -> str:
    """A function's name without what the compiler appended for the closures in it."""
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
    """How long what stands before a closure's number is; 0 if that is none."""
    for suffix in _COUNTED:
        # sooner than `endswith` with bounds
        if function.find(suffix, max(0, end - len(suffix)), end) >= 0:
            return len(suffix)
    return 0


def _inlined_from(function: str) -> str:
    """The function that a closure was written in, where its name tells how it was inlined.

    Go 1.21 to 1.26 name a closure after the functions that the one it stands in was inlined into:
    `wait.(*Queue).run.gowrap1.Until.BackoffUntil` is in `BackoffUntil`. `cart.Item.Price` may be a
    method of a value or `Price` inlined into `Item`; it is `Price` in both cases, always.
    """
    package, _, name = function.partition(".")
    at = name.rfind("(*")
    last = name.rpartition(".")[2]
    if at > 0 and ")." in name[at:] and name[at:].count(".") == 1:
        return f"{package}.{name[at:]}"
    return function if at == 0 and name.count(".") == 1 else f"{package}.{last}"


@lru_cache(maxsize=1 << 13)
def is_inlined(function: str) -> bool:
    """Does a closure's name tell which function it was written in, and where that was inlined?"""
    if not function[-1:].isdigit():
        return False
    outer = enclosing(without_brackets(function))
    return _inlined_from(outer) != outer


def without_brackets(text: str) -> str:
    """The text without its type arguments: `Map[go.shape.int]` as `Map`."""
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
    # its first letter tells most of the others
    return function[start : start + 1] in _TEST_INITIALS and bool(_TEST_NAME.match(function, start))


def test_name(function: str) -> str | None:
    """The test that a frame was written in: `TestX` for `pkg.TestX.func1.2`."""
    if (
        ".Test" not in function and ".Benchmark" not in function
        and ".Example" not in function and ".Fuzz" not in function
    ):  # fmt: skip
        return None
    last = parent(function).rpartition(".")[2]
    return last if _TEST_NAME.match(last) else None
