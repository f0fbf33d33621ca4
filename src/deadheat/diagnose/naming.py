"""Parts of function names: closures, owners, bare names and their words."""

from __future__ import annotations

import re
from typing import Final

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
_LONG: Final = 200  # no name in source code is longer
# the words of recent bare names: most programs reuse a small set of verbs
_known: Final[dict[str, tuple[str, ...]]] = {}
_MOST_KNOWN: Final = 1 << 12


def is_same(a: str, b: str) -> bool:
    """Are two names those of code in one function of the source?

    A closure in `scale.Policy.Decide`, a method of a value, is only known to be in `scale.Decide`.
    """
    if a == b:
        return a != ""
    if "(" in a or "(" in b or a.count(".") == b.count("."):
        return False
    return a.partition(".")[0] == b.partition(".")[0] and last(a) == last(b)


def is_closure(function: str) -> bool:
    # most names are not closures, and this test is cheaper than the pattern
    end = function[-1:]
    told = end.isdigit() or end == "\n" or "lambda" in function
    if not told and "$_" not in function and "{{" not in function:
        return False
    return bool(_CLOSURE.search(function))


def is_test_file(file: str) -> bool:
    return file.endswith("_test.go") or "/tests/" in f"/{file}"


def owner(name: str) -> str:
    """`courier.(*Courier)` for a method, the package or namespace for a function."""
    if "::" in name:
        return name.rpartition("::")[0]
    return name.rpartition(".")[0]


def of_value(name: str) -> bool:
    """Is it a method with a value receiver (`usage.Meter.Add`), which works on a copy?"""
    dot = name.find(".")
    second = name.find(".", dot + 1) if dot >= 0 else -1
    kind = name[dot + 1 : second] if second >= 0 else ""
    if not kind.isidentifier() or not name[second + 1 :].isidentifier() or "/" in name[:dot]:
        return False
    return _VERSION.fullmatch(kind) is None


def is_function(name: str) -> bool:
    """Is it a Go function of a package, not a method?"""
    return "(" not in name and not of_value(name)


def short(name: str) -> str:
    """A function without its package: `(*Courier).Stop`."""
    return name.partition(".")[2] or name


def last(name: str) -> str:
    """The bare name of a function: `Stop`."""
    end = name[name.rfind(".") + 1 :][-_LONG:]
    if end.isalnum():
        return end
    found = _LAST.search(name[-_LONG:])
    return found[0] if found else ""


def words(name: str) -> tuple[str, ...]:
    """The words of a bare name, in lower case: `("reset", "context", "of", "stmt")`."""
    bare = last(name)
    known = _known.get(bare)
    if known is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[bare] = known = tuple([word.lower() for word in _WORD.findall(bare)])
    return known
