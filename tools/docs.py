"""Makes the parts of the documentation that the code already knows, or checks that they are true.

python tools/docs.py            writes docs/dialects/, docs/causes/ and the outputs shown in the pages
python tools/docs.py --check    writes nothing; complains, and exits with 1, if anything is stale
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from deadheat import cli, plugins

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from deadheat.detectors import Detector
    from deadheat.diagnosis.rule import Rule

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
DIALECTS = DOCS / "dialects"
CAUSES = DOCS / "causes"

# a comment with the command, then the block that shows it and what it prints
_SHOWN = re.compile(
    r"(?P<mark><!-- run: (?P<command>deadheat [^\n]*?) -->\n```(?:text|console)\n)(?P<block>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def pages() -> list[Path]:
    """Every page of documentation in the repository, the generated ones included."""
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "corpus").glob("*.md")])


# -- dialects ---------------------------------------------------------------------------------------


def dialect_pages() -> dict[Path, str]:
    """The page of each dialect, made from its module's docstring, and the list of them."""
    made = {DIALECTS / f"{dialect.name}.md": _page(dialect) for dialect in plugins.all_detectors()}
    return made | {DIALECTS / "index.md": _list()}


def _page(dialect: Detector) -> str:
    module = type(dialect).__module__
    source = f"src/{module.replace('.', '/')}.py"
    title, body = _docstring(dialect)
    return (
        f"<!-- made from {source} by tools/docs.py; change it there -->\n\n"
        f'# {title}\n\nIn JSON: `"detector": "{dialect.name}"`.'
        f" Read by [{source}](../../{source}).\n\n{body}\n"
    )


def _list() -> str:
    rows = "\n".join(
        f"| `{dialect.name}` | [{_docstring(dialect)[0]}]({dialect.name}.md) |" for dialect in plugins.all_detectors()
    )
    return (
        "<!-- made by tools/docs.py -->\n\n# Dialects\n\n"
        "One per detector: the text that it prints, and how it is read.\n\n"
        f"| detector | page |\n|---|---|\n{rows}\n"
    )


def _docstring(dialect: Detector) -> tuple[str, str]:
    return _parts(sys.modules[type(dialect).__module__])


def _parts(module: ModuleType) -> tuple[str, str]:
    """Title and body of a module's docstring, from its source: compiled, it has none."""
    source = ROOT.joinpath("src", *module.__name__.split(".")).with_suffix(".py")
    told = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8")), clean=False)
    title, _, body = (told or "").strip().partition("\n")
    return title.rstrip("."), body.strip()


# -- causes -----------------------------------------------------------------------------------------


def cause_pages() -> dict[Path, str]:
    """The page of each cause, made from its rule's docstring, and the list of them."""
    made = {CAUSES / f"{rule.cause}.md": _cause(rule) for rule in plugins.all_rules()}
    return made | {CAUSES / "index.md": _causes()}


def _module(rule: Rule) -> ModuleType:
    return sys.modules[rule.find.__module__]


def _cause(rule: Rule) -> str:
    source = f"src/{_module(rule).__name__.replace('.', '/')}.py"
    title, body = _parts(_module(rule))
    links = " and ".join(f"[{wider}]({wider}.md)" for wider in rule.general_causes)
    refines = f" Refines {links}." if links else ""
    return (
        f"<!-- made from {source} by tools/docs.py; change it there -->\n\n"
        f'# {title}\n\nIn JSON: `"cause": "{rule.cause}"`. Family: {rule.family}.{refines}'
        f" Found by [{source}](../../{source}).\n\n{body}\n\n"
        f"The primitive: {rule.primitive}. The price: {rule.price[:1].lower()}{rule.price[1:]}\n"
    )


def _causes() -> str:
    rows = "\n".join(
        f"| {rule.family} | [`{rule.cause}`]({rule.cause}.md) | {_parts(_module(rule))[0]} |"
        for rule in sorted(plugins.all_rules(), key=lambda rule: (rule.family, rule.cause))
    )
    return (
        "<!-- made by tools/docs.py -->\n\n# Causes\n\n"
        "Why races happen: one page each, with how it shows, what to do about it and when the rule is\n"
        "wrong. How far to trust a diagnosis is in [diagnosis.md](../diagnosis.md).\n\n"
        f"| family | cause | in a sentence |\n|---|---|---|\n{rows}\n"
    )


# -- outputs ----------------------------------------------------------------------------------------


def shown(text: str) -> Iterator[tuple[str, str]]:
    """The commands that a page shows, each with the block that it shows for it."""
    for match in _SHOWN.finditer(text):
        yield match["command"], match["block"]


def block(command: str) -> str:
    """What stands in the block of a command: the command, and what it prints now."""
    return f"$ {command}\n{output(command)}"


def output(command: str) -> str:
    """What a `deadheat` command prints to a pipe, run at the root of the repository."""
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
    path = os.pathsep.join(filter(None, (str(ROOT / "src"), environment.get("PYTHONPATH", ""))))
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=ROOT,
        env=environment | {"PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout


def with_outputs(text: str) -> str:
    """A page with every block as its command prints it now."""
    return _SHOWN.sub(lambda match: f"{match['mark']}{block(match['command'])}```", text)


# -- flags ------------------------------------------------------------------------------------------


def commands() -> dict[str, argparse.ArgumentParser]:
    """Every command of the command line by its name."""
    return {
        name: parser
        for action in cli.build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, parser in action.choices.items()
    }


def flags(parser: argparse.ArgumentParser) -> list[str]:
    """Every way to spell an option of a command."""
    return [flag for action in parser._actions for flag in action.option_strings]


def undocumented() -> list[str]:
    """What the command line has and its page has not."""
    faults = []
    for name, parser in commands().items():
        page = DOCS / f"{name}.md"
        if not page.exists():
            faults.append(f"{_name(page)} is missing")
            continue
        text = page.read_text(encoding="utf-8")
        missing = [f for f in flags(parser) if not re.search(rf"`{re.escape(f)}(?![\w-])", text)]
        faults += [f"{_name(page)} does not mention `{flag}`" for flag in missing]
    return faults


# -- the command ------------------------------------------------------------------------------------


def wanted() -> dict[Path, str]:
    """Every page that is made, in full or in part, as it should be."""
    made = dialect_pages() | cause_pages()
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if page.parent not in (DIALECTS, CAUSES) and any(shown(text)):
            made[page] = with_outputs(text)
    return made


def orphans() -> list[Path]:
    """Pages of dialects and causes that there are no more."""
    there = {*DIALECTS.glob("*.md"), *CAUSES.glob("*.md")}
    return sorted(there - set(dialect_pages()) - set(cause_pages()))


def faults() -> list[str]:
    """Everything that is not as it should be, a line each."""
    stale = [
        f"{_name(page)} is stale: python tools/docs.py"
        for page, text in wanted().items()
        if not page.exists() or page.read_text(encoding="utf-8") != text
    ]
    return [*stale, *(f"{_name(page)} is of no dialect or cause" for page in orphans()), *undocumented()]


def write() -> None:
    for folder in (DIALECTS, CAUSES):
        folder.mkdir(parents=True, exist_ok=True)
    for page, text in wanted().items():
        page.write_text(text, encoding="utf-8")
    for page in orphans():
        page.unlink()


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, complain")
    if not parser.parse_args().check:
        write()
    found = faults()
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
