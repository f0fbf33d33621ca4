"""Other shapes of a racy program: pure changes of its source that leave its races what they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from corpus.go_source import MARK, Files, Function, body, functions, imports, with_imports

Change = Callable[[Files], Files]
GO_OR_DEFER = re.compile(r"\bfunc\(|\bgo |\bdefer ")


@dataclass(frozen=True)
class Variant:
    """One way to change a program, or the way in which it is built, shown or run."""

    kind: str
    change: Change = dict
    flags: tuple[str, ...] = ()
    shown: str = ""
    times: int = 1  # under how many versions of Go it is recorded
    versions: tuple[str, ...] = ()  # which; any, if none is named

    @property
    def changes(self) -> bool:
        """Whether it is the source that differs."""
        return self.change is not dict or self.kind == "order"


def _is_go(name: str) -> bool:
    return name.endswith(".go") and not name.startswith("vendor/")


def _uses_c(files: Files) -> bool:
    return any('import "C"' in text for text in files.values())


def _each(files: Files, change: Callable[[str], str]) -> Files:
    return {name: change(text) if _is_go(name) else text for name, text in files.items()}


def _marked(files: Files) -> list[Function]:
    """The functions with a mark in them, innermost code of a race."""
    return [one for one in functions(files) if MARK.search(body(one, files))]


def _unmarked_entries(files: Files) -> list[Function]:
    """Tests and main functions that only call what races."""
    marked = _marked(files)
    found = functions(files)
    return [one for one in found if one.is_entry and one.name != "init" and one not in marked]


def _edit(files: Files, edits: list[tuple[Function, Callable[[list[str]], list[str]]]]) -> Files:
    """Replace whole functions, the last of a file first, so that the others keep their places."""
    changed = dict(files)
    for function, change in sorted(edits, key=lambda edit: -edit[0].start):
        lines = changed[function.file].split("\n")
        lines[function.start : function.end] = change(lines[function.start : function.end])
        changed[function.file] = "\n".join(lines)
    return changed


def _only(files: Files, name: str) -> bool:
    return sum(one.name == name for one in functions(files)) == 1


# --- places -------------------------------------------------------------------------------------

TOP = "// This file is part of the service; see the notes of the release\n// before you change it.\n\n"


def lines(files: Files) -> Files:
    """Comments and blank lines at the top of files, in functions and before racing lines."""

    def change(text: str) -> str:
        out = []
        for line in text.split("\n"):
            if MARK.search(line) and re.match(r"\t\w", line):
                out += ["", "\t// kept as it was"]
            out.append(line)
            if line.startswith("func ") and line.endswith("{"):
                out += ["\t// see the notes", ""]
        return TOP + "\n".join(out)

    return _each(files, change)


def renamed(files: Files) -> Files:
    """Every file under another name."""

    def name(old: str) -> str:
        path = PurePosixPath(old)
        stem, tail = (path.stem.removesuffix("_test"), "_test") if "_test." in old else (path.stem, "")
        return str(path.with_name(f"{stem}_core{tail}.go"))

    return {name(old) if _is_go(old) else old: text for old, text in files.items()}


def moved(files: Files) -> Files:
    """The racing functions in a file of their own."""
    if _uses_c(files):
        return files
    changed = dict(files)
    targets: dict[str, list[str]] = {}
    found = [one for one in _marked(files) if one.name != "init"]
    for function in sorted(found, key=lambda one: -one.start):
        text = changed[function.file].split("\n")
        folder = PurePosixPath(function.file).parent
        test = "_test" if function.file.endswith("_test.go") else ""
        target = str(folder / f"moved{test}.go")
        package = re.search(r"^package \w+$", files[function.file], re.MULTILINE)
        new = targets.setdefault(target, [package[0] if package else "", ""])
        new[2:2] = [*text[function.start : function.end], ""]
        del text[function.start : function.end]
        changed[function.file] = "\n".join(text)
    wanted = {target: [one for function in found for one in imports(files[function.file])] for target in targets}
    changed |= {target: "\n".join(new) for target, new in targets.items()}
    return {name: with_imports(text, wanted.get(name, [])) if _is_go(name) else text for name, text in changed.items()}


def major(files: Files) -> Files:
    """The module's next major version, which changes every import path."""
    module = files["go.mod"].split("\n")[0].removeprefix("module ").strip()
    if re.search(r"/v\d+$", module) or "." not in module:
        return files
    return {
        name: text.replace(f"module {module}", f"module {module}/v2")
        if name == "go.mod"
        else text.replace(f'"{module}/', f'"{module}/v2/').replace(f'"{module}"', f'"{module}/v2"')
        for name, text in files.items()
    }


# --- functions ----------------------------------------------------------------------------------


def closure(files: Files) -> Files:
    """Another closure before the ones that are there, so that func1 becomes func2."""

    def change(block: list[str]) -> list[str]:
        head = next(at for at, line in enumerate(block) if line.startswith("func "))
        return [*block[: head + 1], "\thook := func() {}", "\thook()", *block[head + 1 :]]

    wanted = [one for one in functions(files) if GO_OR_DEFER.search(body(one, files))]
    changed = _edit(files, [(one, change) for one in wanted])
    return _each(changed, lambda text: re.sub(r"(?m)^(var \w+ = func\()", r"var _ = func() {}\n\n\1", text))


def _via(name: str, word: str) -> str:
    return f"{word.title() if name[0].isupper() else word}{name[0].upper()}{name[1:]}"


def wrapper(files: Files) -> Files:
    """A function between each racing function and its callers."""
    changed = dict(files)
    for function in _marked(files):
        name, via = function.name, _via(function.name, "call")
        call = function.call(name)
        if function.is_entry or not call or not _only(files, name):
            continue
        pattern = re.compile(rf"(?m)^(?!func )(.*)\b(?<!\")({name})\(")
        swapped = {
            file: _replaced_calls(text, pattern, via) if _is_go(file) else text for file, text in changed.items()
        }
        if swapped != changed:
            new = ["", function.signature(via), f"\t{call}", "}", ""]
            swapped[function.file] = swapped[function.file].rstrip("\n") + "\n" + "\n".join(new)
            changed = swapped
    return changed


def _replaced_calls(text: str, pattern: re.Pattern[str], via: str) -> str:
    return pattern.sub(rf"\1{via}(", text)


def caller(files: Files) -> Files:
    """Other names for the functions that call a racing one."""
    marked = _marked(files)
    changed = dict(files)
    for function in functions(files):
        name = function.name
        calls = any(re.search(rf"\b{one.name}\(", body(function, files)) for one in marked)
        if function in marked or function.is_entry or not calls or not _only(files, name):
            continue
        changed = _each(changed, partial(re.sub, rf"\b{name}\b(?=\()", f"{name}Now"))
    return changed


def extracted(files: Files) -> Files:
    """The body of each racing function in a function of its own."""

    def change(function: Function) -> Callable[[list[str]], list[str]]:
        step = f"{function.name}Step"

        def split(block: list[str]) -> list[str]:
            head = next(at for at, line in enumerate(block) if line.startswith("func "))
            front = [*block[: head + 1], f"\t{function.call(step)}", "}", ""]
            return [*front, function.signature(step), *block[head + 1 :]]

        return split

    wanted = [one for one in _marked(files) if not one.is_entry and one.call(one.name)]
    return _edit(files, [(one, change(one)) for one in wanted])


# --- entries ------------------------------------------------------------------------------------


def entry(files: Files) -> Files:
    """Another test, or main by way of another function, where these only call what races."""

    def change(function: Function) -> Callable[[list[str]], list[str]]:
        test = function.name != "main"
        inner = f"check{function.name.removeprefix('Test')}" if test else "serve"
        given = "t" if test else ""

        def split(block: list[str]) -> list[str]:
            head = next(at for at, line in enumerate(block) if line.startswith("func "))
            outer = f"{function.name}Elsewhere" if test else "main"
            front = [*block[:head], f"func {outer}({function.params}) {{", f"\t{inner}({given})", "}", ""]
            return [*front, f"func {inner}({function.params}) {{", *block[head + 1 :]]

        return split

    return _edit(files, [(one, change(one)) for one in _unmarked_entries(files)])


def subtest(files: Files) -> Files:
    """The whole test in a sub-test."""

    def change(block: list[str]) -> list[str]:
        head = next(at for at, line in enumerate(block) if line.startswith("func "))
        inner = ['\tt.Run("under load", func(t *testing.T) {', *block[head + 1 : -1], "\t})"]
        return [*block[: head + 1], *inner, block[-1]]

    tests = [one for one in _unmarked_entries(files) if one.params == "t *testing.T"]
    return _edit(files, [(one, change) for one in tests])


# --- time ---------------------------------------------------------------------------------------


def late(places: set[tuple[str, int]]) -> Change:
    """A change that makes the accesses at these places wait, and the program with them."""

    def change(files: Files) -> Files:
        if not places or _uses_c(files):
            return files
        changed = {}
        for name, text in files.items():
            out = []
            for number, line in enumerate(text.split("\n"), 1):
                if (name, number) in places:
                    out.append("time.Sleep(60 * time.Millisecond)")
                out.append(line)
                if re.match(r"func (main|Test\w+)\(.*\{$", line):
                    out.append("\tdefer time.Sleep(250 * time.Millisecond)")
            waits = "\n".join(out)
            changed[name] = with_imports(waits, ['"time"']) if waits != text else text
        return changed

    return change


VARIANTS = (
    Variant("lines", lines, times=2),
    Variant("renamed", renamed),
    Variant("moved", moved, times=2),
    Variant("closure", closure),
    Variant("wrapper", wrapper, times=2),
    Variant("caller", caller),
    Variant("extracted", extracted),
    Variant("entry", entry),
    Variant("subtest", subtest),
    Variant("major", major),
    Variant("dir", shown="/builds/platform/checkout-4711/go"),
    Variant("again"),
    Variant("order", times=2),
    Variant("noinline", flags=("-gcflags=all=-l",), versions=("1.26", "1.21")),
    Variant("noopt", flags=("-gcflags=all=-N -l",), versions=("1.24", "1.27")),
    Variant("trimpath", flags=("-trimpath",), versions=("1.24", "1.22")),
)

BY_KIND = {variant.kind: variant for variant in VARIANTS}
