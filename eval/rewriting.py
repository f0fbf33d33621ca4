"""Source written another way on the same lines; what it does stays, and so do its reports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eval.renaming import Renamed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eval.renaming import Files

    Change = Callable[[str], str]

_GO, _C = (".go",), (".c", ".h", ".cc", ".cpp")
_SIMPLE = r"[\w.]+(?:\[[\w.]+\])?"


def only(change: tuple[tuple[str, ...], Change]) -> Callable[[Files], Renamed]:
    """The change of every file that it is for; names stay."""
    endings, rewrite = change

    def apply(files: Files) -> Renamed:
        changed = {
            path: rewrite(text.decode("utf-8", "replace")).encode()
            for path, text in files.items()
            if path.endswith(endings)
        }
        return Renamed(files | changed, {})

    return apply


def _each(pattern: str, by: str) -> Change:
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda text: compiled.sub(by, text)


def _embedded(text: str) -> str:
    """`mu sync.Mutex` as a field becomes `sync.Mutex`, and `c.mu.Lock()` `c.Lock()`."""
    field = re.compile(r"^(\t)(\w+)( +)(sync\.(?:RW)?Mutex)$", re.MULTILINE)
    names = "|".join({found[2] for found in field.finditer(text)})
    if not names:
        return text
    asked = re.compile(rf"(\w)\.(?:{names})\.((?:R|Try|TryR)?(?:Lock|Unlock)\b)")
    return asked.sub(r"\1.\2", field.sub(r"\1\4", text))


_METHOD = re.compile(r"^func \((\w+) (\*?\w+)(?:\[[^\]]*\])?\) .*\{$")


def _by_helper(text: str) -> str:
    """`c.mu.Lock()` in a method of Cache becomes `c.enter()`, a method of Cache that does so."""
    owner = kind = ""
    helpers: dict[str, str] = {}
    rows = text.split("\n")
    for at, row in enumerate(rows):
        if row.startswith("func "):
            method = _METHOD.match(row)
            owner, kind = (method[1], method[2]) if method else ("", "")
        if not owner or not kind.startswith("*"):
            continue

        def call(found: re.Match[str], owner: str = owner, kind: str = kind) -> str:
            name = f"via{found[1].replace('.', '')}{found[2]}"
            helpers[f"{kind} {name}"] = f"func ({owner} {kind}) {name}() {{\n\t{found[0]}\n}}\n"
            return f"{owner}.{name}()"

        rows[at] = re.sub(rf"\b{owner}\.(\w+)\.((?:R)?(?:Lock|Unlock))\(\)", call, row)
    return "\n".join(rows) + "".join(f"\n{helpers[key]}" for key in sorted(helpers))


_FUNCTION = re.compile(r"^func [^\n]*\{\n(?:.*\n)*?\}$", re.MULTILINE)


def _not_deferred(text: str) -> str:
    """`defer c.mu.Unlock()` goes to the end of a function that gives nothing back."""
    late = re.compile(r"^\tdefer ([\w.]+\.R?Unlock\(\))$", re.MULTILINE)

    def change(function: re.Match[str]) -> str:
        body = function[0]
        found = late.findall(body)
        if len(found) != 1 or "return" in body:
            return body
        return f"{late.sub('', body)[:-2]}; {found[0]}\n}}"

    return _FUNCTION.sub(change, text)


CHANGES: dict[str, tuple[tuple[str, ...], Change]] = {
    "comments gone": (_GO + _C, _each(r"[ \t]*//.*$", "")),
    "x += 1 for x++": (_GO, _each(rf"^(\s+{_SIMPLE})\+\+", r"\1 += 1")),
    "x = x + 1": (_GO, _each(rf"^(\s+)({_SIMPLE})\+\+", r"\1\2 = \2 + 1")),
    "x = x + n": (_GO, _each(rf"^(\s+)({_SIMPLE}) \+= (.+?)(?=$| //)", r"\1\2 = \2 + \3")),
    "var x = for :=": (_GO, _each(r"^(\s+)(\w+) := ", r"\1var \2 = ")),
    "v, ok in front": (_GO, _each(r"^(\s+)if (\w+, \w+ :?= [^;{]+); (.*\{)", r"\1\2; if \3")),
    "err in front": (_GO, _each(r"^(\s+)if (\w+ :?= [^;{]+); (.*\{)", r"\1\2; if \3")),
    "nil == x": (_GO, _each(rf"\b({_SIMPLE}) (==|!=) nil\b", r"nil \2 \1")),
    "if (x)": (_GO, _each(r"^(\s+(?:\} else )?if )([^;{]+) \{", r"\1(\2) {")),
    "switch for if": (_GO, _each(r"^(\s+)if ([^;{]+) \{(?=$| //)", r"\1switch { case \2:")),
    "range n": (_GO, _each(r"for (\w+) := 0; \1 < (\w+); \1\+\+", r"for \1 := range \2")),
    "lock embedded": (_GO, _embedded),
    "lock by a helper": (_GO, _by_helper),
    "no defer": (_GO, _not_deferred),
    "array by a name": (_GO, _each(r"^(\s+)(\w+\.\w+) = append\(\2, ", r"\1\2 = append(\2[:], ")),
    "(*p).f": (_C, _each(r"\b(\w+)->(?=\w)", r"(*\1).")),
    "i += 1 for i++": (_C, _each(r"(\b[\w.>\-]+)\+\+", r"\1 += 1")),
    "p == NULL": (_C, _each(r"if \(!([\w.>\-]+)\)", r"if (\1 == NULL)")),
}
