"""Rewrite source code with the same behaviour and line numbers, so that its reports stay valid."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from eval.renaming import RenamedProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    from eval.renaming import Files

    Change = Callable[[str], str]

_GO, _C = (".go",), (".c", ".h", ".cc", ".cpp")
_SIMPLE = r"[\w.]+(?:\[[\w.]+\])?"


def rewrite_files(change: tuple[tuple[str, ...], Change]) -> Callable[[Files], RenamedProgram]:
    """Apply a rewriting to every file with one of its extensions."""
    endings, rewrite = change

    def apply(files: Files) -> RenamedProgram:
        changed = {
            path: rewrite(text.decode("utf-8", "replace")).encode()
            for path, text in files.items()
            if path.endswith(endings)
        }
        return RenamedProgram(files | changed, {})

    return apply


def _replace_all(pattern: str, replacement: str) -> Change:
    compiled = re.compile(pattern, re.MULTILINE)
    return lambda text: compiled.sub(replacement, text)


def _embed_mutex(text: str) -> str:
    """`mu sync.Mutex` as a field becomes `sync.Mutex`, and `c.mu.Lock()` `c.Lock()`."""
    field = re.compile(r"^(\t)(\w+)( +)(sync\.(?:RW)?Mutex)$", re.MULTILINE)
    names = "|".join({found[2] for found in field.finditer(text)})
    if not names:
        return text
    lock_call = re.compile(rf"(\w)\.(?:{names})\.((?:R|Try|TryR)?(?:Lock|Unlock)\b)")
    return lock_call.sub(r"\1.\2", field.sub(r"\1\4", text))


_METHOD = re.compile(r"^func \((\w+) (\*?\w+)(?:\[[^\]]*\])?\) .*\{$")


def _lock_through_helper(text: str) -> str:
    """`c.mu.Lock()` in a method becomes `c.viamuLock()`, a new method that locks."""
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


def _unlock_without_defer(text: str) -> str:
    """Move `defer c.mu.Unlock()` to the end of a function without `return`."""
    deferred = re.compile(r"^\tdefer ([\w.]+\.R?Unlock\(\))$", re.MULTILINE)

    def change(function: re.Match[str]) -> str:
        body = function[0]
        found = deferred.findall(body)
        if len(found) != 1 or "return" in body:
            return body
        return f"{deferred.sub('', body)[:-2]}; {found[0]}\n}}"

    return _FUNCTION.sub(change, text)


CHANGES: dict[str, tuple[tuple[str, ...], Change]] = {
    "comments gone": (_GO + _C, _replace_all(r"[ \t]*//.*$", "")),
    "x += 1 for x++": (_GO, _replace_all(rf"^(\s+{_SIMPLE})\+\+", r"\1 += 1")),
    "x = x + 1": (_GO, _replace_all(rf"^(\s+)({_SIMPLE})\+\+", r"\1\2 = \2 + 1")),
    "x = x + n": (_GO, _replace_all(rf"^(\s+)({_SIMPLE}) \+= (.+?)(?=$| //)", r"\1\2 = \2 + \3")),
    "var x = for :=": (_GO, _replace_all(r"^(\s+)(\w+) := ", r"\1var \2 = ")),
    "v, ok in front": (_GO, _replace_all(r"^(\s+)if (\w+, \w+ :?= [^;{]+); (.*\{)", r"\1\2; if \3")),
    "err in front": (_GO, _replace_all(r"^(\s+)if (\w+ :?= [^;{]+); (.*\{)", r"\1\2; if \3")),
    "nil == x": (_GO, _replace_all(rf"\b({_SIMPLE}) (==|!=) nil\b", r"nil \2 \1")),
    "if (x)": (_GO, _replace_all(r"^(\s+(?:\} else )?if )([^;{]+) \{", r"\1(\2) {")),
    "switch for if": (_GO, _replace_all(r"^(\s+)if ([^;{]+) \{(?=$| //)", r"\1switch { case \2:")),
    "range n": (_GO, _replace_all(r"for (\w+) := 0; \1 < (\w+); \1\+\+", r"for \1 := range \2")),
    "lock embedded": (_GO, _embed_mutex),
    "lock by a helper": (_GO, _lock_through_helper),
    "no defer": (_GO, _unlock_without_defer),
    "array by a name": (_GO, _replace_all(r"^(\s+)(\w+\.\w+) = append\(\2, ", r"\1\2 = append(\2[:], ")),
    "(*p).f": (_C, _replace_all(r"\b(\w+)->(?=\w)", r"(*\1).")),
    "i += 1 for i++": (_C, _replace_all(r"(\b[\w.>\-]+)\+\+", r"\1 += 1")),
    "p == NULL": (_C, _replace_all(r"if \(!([\w.>\-]+)\)", r"if (\1 == NULL)")),
}
