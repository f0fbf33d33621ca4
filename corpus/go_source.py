"""Find the functions, marks and imports in gofmt-formatted Go source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

Files = dict[str, str]

# a line that races: `	c.total += n //race:Cart.total,Cart.lines`
RACE_MARK = re.compile(r"//race:(\S+)$", re.MULTILINE)
# a line that races on the target of a pointer or map; not in RACE_MARK, from which the recorded variants
# were made: `	e.at = e.at.plus(e.speed) //behind:zone.entities[]`
POINTEE_MARK = re.compile(r"//behind:(\S+)(?: //race:\S+)?$", re.MULTILINE)
# the first line of a function: `func (r *Ring[T]) Push(v T) (n int, err error) {`
FUNC = re.compile(r"func (?:\((?P<receiver>[^)]*)\) )?(?P<name>\w+)(?P<types>\[[^]]*\])?\(")
COMMENT = re.compile(r"\s*//.*$")


@dataclass(frozen=True)
class SourceFunction:
    """The lines `[start, end)` of a file, the doc comment included; `head` is the `func` line."""

    file: str
    start: int
    head: int
    end: int
    receiver: str
    name: str
    types: str
    params: str
    results: str

    @property
    def is_entry(self) -> bool:
        """Whether the runtime or the test harness calls it."""
        return self.name in ("main", "init") or self.name.startswith("Test")

    def argument_list(self) -> str | None:
        """Arguments that pass on the parameters: `key, values...`; None if a parameter has no name."""
        names = []
        for part in _split_list(self.params):
            name, _, kind = part.strip().partition(" ")
            if name == "_" or not name.isidentifier():
                return None
            names.append(f"{name}..." if kind.strip().startswith("...") else name)
        return ", ".join(names)

    def call_statement(self, name: str) -> str | None:
        """A statement that calls a function of the same signature under another name."""
        arguments = self.argument_list()
        if arguments is None:
            return None
        owner = f"{self.receiver.split()[0]}." if self.receiver else ""
        return f"{'return ' if self.results else ''}{owner}{name}({arguments})"

    def signature_line(self, name: str) -> str:
        """The `func` line of a function of the same signature under another name."""
        receiver = f"({self.receiver}) " if self.receiver else ""
        results = f" {self.results}" if self.results else ""
        return f"func {receiver}{name}{self.types}({self.params}){results} {{"


def _split_list(params: str) -> list[str]:
    """Split a list at its outer commas."""
    parts, depth, last = [], 0, 0
    for at, char in enumerate(params):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and not depth:
            parts.append(params[last:at])
            last = at + 1
    return [part for part in (*parts, params[last:]) if part.strip()]


def _closing_bracket(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if not depth:
            return at
    return len(text)


def _parse_function(file: str, lines: list[str], head: int) -> SourceFunction | None:
    found = FUNC.match(lines[head])
    if not found or not COMMENT.sub("", lines[head]).endswith("{"):
        return None
    opened = found.end() - 1
    closed = _closing_bracket(lines[head], opened)
    results = COMMENT.sub("", lines[head])[closed + 1 :].removesuffix("{").strip()
    start = head
    while start and lines[start - 1].startswith("//"):
        start -= 1
    end = next((at for at in range(head + 1, len(lines)) if lines[at].startswith("}")), len(lines) - 1)
    params = lines[head][opened + 1 : closed]
    return SourceFunction(
        file, start, head, end + 1, found["receiver"] or "", found["name"], found["types"] or "", params, results
    )


def find_functions(files: Files) -> list[SourceFunction]:
    """The functions of more than one line in all files, without vendored files."""
    return [
        function
        for file, text in files.items()
        if file.endswith(".go") and not file.startswith("vendor/")
        for lines in [text.split("\n")]
        for head, line in enumerate(lines)
        if line.startswith("func ") and (function := _parse_function(file, lines, head))
    ]


def function_body(function: SourceFunction, files: Files) -> str:
    """The lines between a function's first and last line."""
    lines = files[function.file].split("\n")
    return "\n".join(lines[function.head + 1 : function.end])


# --- imports ------------------------------------------------------------------------------------

# one import, in a block or alone: `	yaml "gopkg.in/yaml.v3"`
IMPORT = re.compile(r'^(?:import |\t)((?:\w+ )?"[^"]+")$', re.MULTILINE)
IMPORTS = re.compile(r'^import (?:\((?:\n[^)]*)\)|(?:\w+ )?"[^"]+")\n', re.MULTILINE)
PACKAGE = re.compile(r"^package \w+\n", re.MULTILINE)


def file_imports(text: str) -> list[str]:
    """The imports of a file, each as written."""
    return [found for block in IMPORTS.findall(text) for found in IMPORT.findall(block)]


def _is_used(one: str, code: str) -> bool:
    name, _, path = one.rpartition(" ")
    base = PurePosixPath(path.strip('"'))
    last = base.parent.name if re.fullmatch(r"v\d+", base.name) else base.name
    return re.search(rf"\b{re.escape(name or last)}\.", code) is not None


def with_imports(text: str, wanted: list[str]) -> str:
    """The file with those of its imports and of the wanted ones that its code uses."""
    every = sorted({*file_imports(text), *wanted}, key=lambda one: one.rpartition(" ")[2])
    code = IMPORTS.sub("", text)
    used = [one for one in every if _is_used(one, re.sub(r"//.*", "", code))]
    package = PACKAGE.search(code)
    if package is None or not used:
        return code
    block = "\nimport (\n" + "".join(f"\t{one}\n" for one in used) + ")\n"
    return code[: package.end()] + block + code[package.end() :]
