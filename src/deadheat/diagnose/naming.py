"""How functions are called: closures, owners, bare names and their words; knows no report."""

from __future__ import annotations

import re
from functools import lru_cache

# "F.func1", "F.func1.2", "F.1", "F-range1": a closure; "{lambda}", "$_0", "operator()": one of C++
_CLOSURE = re.compile(
    r"(?:\.func\d+|\.\d+|-range\d+|·\d+)$|\{lambda|\$_\d|lambda\(|\{\{closure\}\}"
)
# "exec.(*Query).Reset", "Reset", "news::Feed::publish", "buffer_free"
_LAST = re.compile(r"[~\w]+$")
# "ResetContextOfStmt" as "Reset", "Context", …; "buffer_free" as "buffer", "free"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# "v2": the last element of an import path may have a dot, as in "yaml.v3.Unmarshal"
_VERSION = re.compile(r"v\d+")
_LONG = 200  # no name that a person gave is longer


def is_same(a: str, b: str) -> bool:
    """Were two pieces of code written in one function?

    A closure in `scale.Policy.Decide`, a method of a value, is known to be in `scale.Decide` only.
    """
    if a == b:
        return a != ""
    if "(" in a or "(" in b or a.count(".") == b.count("."):
        return False
    return a.partition(".")[0] == b.partition(".")[0] and last(a) == last(b)


def is_closure(function: str) -> bool:
    return bool(_CLOSURE.search(function))


def is_test_file(file: str) -> bool:
    return file.endswith("_test.go") or "/tests/" in f"/{file}"


def owner(name: str) -> str:
    """`courier.(*Courier)` of a method, the package or namespace of a function."""
    if "::" in name:
        return name.rpartition("::")[0]
    return name.rpartition(".")[0]


def of_value(name: str) -> bool:
    """Is it a method of a value (`usage.Meter.Add`), which works on a copy?"""
    package, _, rest = name.partition(".")
    kind, _, method = rest.partition(".")
    if not method.isidentifier() or not kind.isidentifier() or "/" in package:
        return False
    return _VERSION.fullmatch(kind) is None


def short(name: str) -> str:
    """A function without its package: `(*Courier).Stop`."""
    return name.partition(".")[2] or name


def last(name: str) -> str:
    """The bare name of a function: `Stop`."""
    end = name[-_LONG:].rpartition(".")[2]
    if end.isalnum():
        return end
    found = _LAST.search(name[-_LONG:])
    return found[0] if found else ""


def words(name: str) -> tuple[str, ...]:
    """The words of a bare name, in lower case: `("reset", "context", "of", "stmt")`."""
    return _words(last(name))


@lru_cache(maxsize=1 << 12)
def _words(bare: str) -> tuple[str, ...]:
    return tuple([word.lower() for word in _WORD.findall(bare)])
