"""Variants of a racy Go program: changes of its source that keep its races."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from corpus.go_source import RACE_MARK, Files, SourceFunction, file_imports, find_functions, function_body, with_imports

Change = Callable[[Files], Files]
GO_OR_DEFER = re.compile(r"\bfunc\(|\bgo |\bdefer ")


@dataclass(frozen=True)
class Variant:
    """A change of a program's source, build flags or printed folder."""

    kind: str
    change: Change = dict
    flags: tuple[str, ...] = ()
    shown_folder: str = ""
    version_count: int = 1  # number of Go versions it is recorded with
    versions: tuple[str, ...] = ()  # allowed versions; empty: all

    @property
    def changes_source(self) -> bool:
        """Whether the source differs."""
        return self.change is not dict or self.kind == "order"


def _is_go(name: str) -> bool:
    return name.endswith(".go") and not name.startswith("vendor/")


def _uses_c(files: Files) -> bool:
    return any('import "C"' in text for text in files.values())


def _change_go_files(files: Files, change: Callable[[str], str]) -> Files:
    return {name: change(text) if _is_go(name) else text for name, text in files.items()}


def _marked_functions(files: Files) -> list[SourceFunction]:
    """The functions that contain a marked line."""
    return [one for one in find_functions(files) if RACE_MARK.search(function_body(one, files))]


def _unmarked_entries(files: Files) -> list[SourceFunction]:
    """Tests and main functions without a marked line."""
    marked = _marked_functions(files)
    found = find_functions(files)
    return [one for one in found if one.is_entry and one.name != "init" and one not in marked]


def _replace_functions(files: Files, edits: list[tuple[SourceFunction, Callable[[list[str]], list[str]]]]) -> Files:
    """Replace functions, the last of a file first, so that the line numbers of the others stay valid."""
    changed = dict(files)
    for function, change in sorted(edits, key=lambda edit: -edit[0].start):
        lines = changed[function.file].split("\n")
        lines[function.start : function.end] = change(lines[function.start : function.end])
        changed[function.file] = "\n".join(lines)
    return changed


def _is_unique(files: Files, name: str) -> bool:
    return sum(one.name == name for one in find_functions(files)) == 1


# --- places -------------------------------------------------------------------------------------

TOP = "// This file is part of the service; see the notes of the release\n// before you change it.\n\n"


def insert_lines(files: Files) -> Files:
    """Insert comments and blank lines at the top of files, in functions and before racing lines."""

    def change(text: str) -> str:
        out = []
        for line in text.split("\n"):
            if RACE_MARK.search(line) and re.match(r"\t\w", line):
                out += ["", "\t// kept as it was"]
            out.append(line)
            if line.startswith("func ") and line.endswith("{"):
                out += ["\t// see the notes", ""]
        return TOP + "\n".join(out)

    return _change_go_files(files, change)


def rename_files(files: Files) -> Files:
    """Rename every file."""

    def name(old: str) -> str:
        path = PurePosixPath(old)
        stem, tail = (path.stem.removesuffix("_test"), "_test") if "_test." in old else (path.stem, "")
        return str(path.with_name(f"{stem}_core{tail}.go"))

    return {name(old) if _is_go(old) else old: text for old, text in files.items()}


def move_functions(files: Files) -> Files:
    """Move the racing functions to a new file."""
    if _uses_c(files):
        return files
    changed = dict(files)
    targets: dict[str, list[str]] = {}
    found = [one for one in _marked_functions(files) if one.name != "init"]
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
    wanted = {target: [one for function in found for one in file_imports(files[function.file])] for target in targets}
    changed |= {target: "\n".join(new) for target, new in targets.items()}
    return {name: with_imports(text, wanted.get(name, [])) if _is_go(name) else text for name, text in changed.items()}


def raise_major_version(files: Files) -> Files:
    """Raise the module's major version, which changes every import path."""
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


def add_closure(files: Files) -> Files:
    """Insert a closure before the existing ones, so that func1 becomes func2."""

    def change(block: list[str]) -> list[str]:
        head = next(at for at, line in enumerate(block) if line.startswith("func "))
        return [*block[: head + 1], "\thook := func() {}", "\thook()", *block[head + 1 :]]

    wanted = [one for one in find_functions(files) if GO_OR_DEFER.search(function_body(one, files))]
    changed = _replace_functions(files, [(one, change) for one in wanted])
    return _change_go_files(changed, lambda text: re.sub(r"(?m)^(var \w+ = func\()", r"var _ = func() {}\n\n\1", text))


def _prefixed_name(name: str, word: str) -> str:
    return f"{word.title() if name[0].isupper() else word}{name[0].upper()}{name[1:]}"


def add_wrapper(files: Files) -> Files:
    """Insert a function between each racing function and its callers."""
    changed = dict(files)
    for function in _marked_functions(files):
        name, via = function.name, _prefixed_name(function.name, "call")
        call = function.call_statement(name)
        if function.is_entry or not call or not _is_unique(files, name):
            continue
        pattern = re.compile(rf"(?m)^(?!func )(.*)\b(?<!\")({name})\(")
        swapped = {
            file: _replaced_calls(text, pattern, via) if _is_go(file) else text for file, text in changed.items()
        }
        if swapped != changed:
            new = ["", function.signature_line(via), f"\t{call}", "}", ""]
            swapped[function.file] = swapped[function.file].rstrip("\n") + "\n" + "\n".join(new)
            changed = swapped
    return changed


def _replaced_calls(text: str, pattern: re.Pattern[str], via: str) -> str:
    return pattern.sub(rf"\1{via}(", text)


def rename_callers(files: Files) -> Files:
    """Rename the functions that call a racing one."""
    marked = _marked_functions(files)
    changed = dict(files)
    for function in find_functions(files):
        name = function.name
        calls = any(re.search(rf"\b{one.name}\(", function_body(function, files)) for one in marked)
        if function in marked or function.is_entry or not calls or not _is_unique(files, name):
            continue
        changed = _change_go_files(changed, partial(re.sub, rf"\b{name}\b(?=\()", f"{name}Now"))
    return changed


def extract_body(files: Files) -> Files:
    """Move the body of each racing function into a new function."""

    def change(function: SourceFunction) -> Callable[[list[str]], list[str]]:
        step = f"{function.name}Step"

        def split(block: list[str]) -> list[str]:
            head = next(at for at, line in enumerate(block) if line.startswith("func "))
            front = [*block[: head + 1], f"\t{function.call_statement(step)}", "}", ""]
            return [*front, function.signature_line(step), *block[head + 1 :]]

        return split

    wanted = [one for one in _marked_functions(files) if not one.is_entry and one.call_statement(one.name)]
    return _replace_functions(files, [(one, change(one)) for one in wanted])


# --- entries ------------------------------------------------------------------------------------


def change_entry(files: Files) -> Files:
    """Rename tests and put a function between main and its body, where these have no marked line."""

    def change(function: SourceFunction) -> Callable[[list[str]], list[str]]:
        test = function.name != "main"
        inner = f"check{function.name.removeprefix('Test')}" if test else "serve"
        given = "t" if test else ""

        def split(block: list[str]) -> list[str]:
            head = next(at for at, line in enumerate(block) if line.startswith("func "))
            outer = f"{function.name}Elsewhere" if test else "main"
            front = [*block[:head], f"func {outer}({function.params}) {{", f"\t{inner}({given})", "}", ""]
            return [*front, f"func {inner}({function.params}) {{", *block[head + 1 :]]

        return split

    return _replace_functions(files, [(one, change(one)) for one in _unmarked_entries(files)])


def wrap_in_subtest(files: Files) -> Files:
    """Wrap the body of each test in a sub-test."""

    def change(block: list[str]) -> list[str]:
        head = next(at for at, line in enumerate(block) if line.startswith("func "))
        inner = ['\tt.Run("under load", func(t *testing.T) {', *block[head + 1 : -1], "\t})"]
        return [*block[: head + 1], *inner, block[-1]]

    tests = [one for one in _unmarked_entries(files) if one.params == "t *testing.T"]
    return _replace_functions(files, [(one, change) for one in tests])


# --- time ---------------------------------------------------------------------------------------


def delay_accesses(places: set[tuple[str, int]]) -> Change:
    """A change that delays the accesses at these lines and the end of the program."""

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
            delayed = "\n".join(out)
            changed[name] = with_imports(delayed, ['"time"']) if delayed != text else text
        return changed

    return change


VARIANTS = (
    Variant("lines", insert_lines, version_count=2),
    Variant("renamed", rename_files),
    Variant("moved", move_functions, version_count=2),
    Variant("closure", add_closure),
    Variant("wrapper", add_wrapper, version_count=2),
    Variant("caller", rename_callers),
    Variant("extracted", extract_body),
    Variant("entry", change_entry),
    Variant("subtest", wrap_in_subtest),
    Variant("major", raise_major_version),
    Variant("dir", shown_folder="/builds/platform/checkout-4711/go"),
    Variant("again"),
    Variant("order", version_count=2),
    Variant("noinline", flags=("-gcflags=all=-l",), versions=("1.26", "1.21")),
    Variant("noopt", flags=("-gcflags=all=-N -l",), versions=("1.24", "1.27")),
    Variant("trimpath", flags=("-trimpath",), versions=("1.24", "1.22")),
)

BY_KIND = {variant.kind: variant for variant in VARIANTS}
