"""Generates the pages of the documentation that come from the code, and checks the others against the code.

python tools/docs.py            writes docs/reference/detectors/, docs/reference/causes/ and the outputs in all pages
python tools/docs.py --check    writes nothing; prints what is stale or undocumented, and exits with 1
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from deadheat import cli, plugins
from deadheat.diagnosis.cause import CauseDefinition
from deadheat.lake.schema import TABLES

if not __package__:  # run as a script
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tools.console_session import session_commands, with_session_outputs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    from deadheat.detectors import Detector

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
NAVIGATION = ROOT / "mkdocs.yml"
REFERENCE = DOCS / "reference"
COMMANDS = REFERENCE / "commands"
DETECTORS = REFERENCE / "detectors"
CAUSES = REFERENCE / "causes"
CONFIGURATION = REFERENCE / "configuration.md"
LAKE = REFERENCE / "lake.md"
MCP_TOOLS = REFERENCE / "mcp-tools.md"
# the repository that the tutorial and the README explain races with
EXAMPLE_HISTORY = ROOT / "examples" / "shop" / "history"
EXAMPLE_CLONE = ROOT / "build" / "shop"

# a comment with the command, then the block that shows it and its output
_SHOWN_COMMAND = re.compile(
    r"(?P<mark><!-- run: (?P<command>deadheat [^\n]*?) -->\n(?P<fence>`{3,})(?:text|markdown)\n)"
    r"(?P<block>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
# DEADHEAT_CACHE, GITHUB_SHA, CI
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
# constants of the package that list environment variables
_VARIABLE_LISTS = ("_CI_VARIABLES", "_PASSED_VARIABLES")
_OWN_VARIABLE = re.compile(r"\bDEADHEAT_[A-Z]+\b")


def all_pages() -> list[Path]:
    """Every page of documentation in the repository, including the generated ones."""
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "corpus").glob("*.md")])


# -- generated pages --------------------------------------------------------------------------------


@cache
def generated_pages() -> dict[Path, str]:
    """One page per detector and per cause, from the docstrings of the modules, their lists, and the tools of agents."""
    detectors = {DETECTORS / f"{detector.name}.md": _detector_page(detector) for detector in plugins.all_detectors()}
    causes = {CAUSES / f"{name}.md": _cause_page(cause) for name, cause in plugins.causes_by_name().items()}
    lists = {DETECTORS / "index.md": _detector_list(), CAUSES / "index.md": _cause_list()}
    return detectors | causes | lists | {MCP_TOOLS: mcp_tools_page()}


def mcp_tools_page() -> str:
    """The tools, resources and prompts of `deadheat mcp`, from their schemas."""
    from deadheat.mcp_server.prompts import PROMPTS
    from deadheat.mcp_server.schemas import TOOLS

    lines = [
        "# Tools for agents", "",
        "What [`deadheat mcp`](commands/mcp.md) offers to clients of the Model Context Protocol. This page is made from the schemas in the code.", "",
        "Every answer has the fields `notice`, `summary` (words of deadheat only), `data` (untrusted: what logs, repositories and lakes say), `cut` (what was left",
        "out), `total` and `next_cursor`, and the same as text for clients that read no structured answers. In text, untrusted parts are between two markers with a number that is",
        "new in each answer. A call that fails is a tool error: what is wrong, where, and what to do.", "", "## Tools", "",
    ]  # fmt: skip
    for tool in TOOLS:
        consent = " Only with `--allow-run`." if tool.runs_code else ""
        lines += [
            f"### `{tool.name}`",
            "",
            f"{tool.description}{consent}",
            "",
            "| argument | type | meaning |",
            "|---|---|---|",
        ]
        for name, field in tool.inputs.items():
            needed = " Required." if name in tool.required else ""
            lines.append(f"| `{name}` | {_type_text(field)} | {field['description']}{needed} |")
        lines.append("")
    lines += [
        "## Resources",
        "",
        "With `--lake` only. Fifty races per page are listed.",
        "",
        "| address | content |",
        "|---|---|",
    ]
    lines += [
        "| `deadheat://race/ID` | the answer of `show_race` |",
        "| `deadheat://dossier/ID` | the dossier that `deadheat place` made |",
    ]
    lines += ["", "## Prompts", "", "| prompt | arguments | what it asks for |", "|---|---|---|"]
    for prompt in PROMPTS:
        lines.append(
            f"| `{prompt.name}` | {', '.join(f'`{name}`' for name in prompt.arguments)} | {prompt.description} |"
        )
    return "\n".join(lines) + "\n"


def _type_text(field: dict[str, Any]) -> str:
    """`integer, 1 to 100, default 10`."""
    if "enum" in field:
        kind = " or ".join(f"`{value}`" for value in field["enum"])
    elif field["type"] == "array":
        kind = f"at most {field['maxItems']} strings"
    elif "maxLength" in field:
        kind = f"string, at most {field['maxLength']:,} characters"
    elif "maximum" in field:
        kind = f"{field['type']}, {field['minimum']:,} to {field['maximum']:,}"
    else:
        kind = str(field["type"])
    return f"{kind}, default {field['default']}" if "default" in field else kind


def _detector_page(detector: Detector) -> str:
    module = _module_of(detector)
    title, body = _docstring_parts(module)
    return (
        f"<!-- generated from {_source_path(module)} by tools/docs.py -->\n\n"
        f'# {title}\n\nIn JSON: `"detector": "{detector.name}"`. Source: `{_source_path(module)}`.\n\n{body}\n'
    )


def _detector_list() -> str:
    rows = "\n".join(
        f"| [`{detector.name}`]({detector.name}.md) | {_docstring_parts(_module_of(detector))[0]} |"
        for detector in plugins.all_detectors()
    )
    return (
        "<!-- generated by tools/docs.py -->\n\n# Detectors\n\n"
        "The detectors whose reports are read: what each one prints, and which damage its parser tolerates.\n\n"
        f"| detector | |\n|---|---|\n{rows}\n"
    )


def _cause_page(cause: CauseDefinition) -> str:
    module = _module_of(cause)
    title, body = _docstring_parts(module)
    links = " and ".join(f"[{general}]({general}.md)" for general in cause.general_causes)
    refines = f" Refines {links}." if links else ""
    groups = [f"- one of: {group.replace(' | ', '; ')}" if " | " in group else f"- {group}" for group in cause.needs]
    excluded = [f"\nNever with: {cause.contradicted_by.replace(' | ', '; ')}."] if cause.contradicted_by else []
    needs = ["\n\n## Facts it needs\n", *groups, *excluded] if groups else []
    return (
        f"<!-- generated from {_source_path(module)} by tools/docs.py -->\n\n"
        f'# {title}\n\nIn JSON: `"cause": "{cause.name}"`. Family: {cause.family}.{refines}'
        f" Source: `{_source_path(module)}`.\n\n{body}" + "\n".join(needs) + "\n"
    )


def _cause_list() -> str:
    rows = "\n".join(
        f"| {cause.family} | [`{cause.name}`]({cause.name}.md) | {cause.title} |"
        for cause in sorted(plugins.causes_by_name().values(), key=lambda cause: (cause.family, cause.name))
    )
    return (
        "<!-- generated by tools/docs.py -->\n\n# Causes\n\n"
        "Why races happen. Each page says how the cause is recognised, what to change, and when it is the wrong\n"
        "answer. [Diagnosis](../../explanation/diagnosis.md) says how often the answers are right.\n\n"
        f"| family | cause | |\n|---|---|---|\n{rows}\n"
    )


def _module_of(plugin: Detector | CauseDefinition) -> ModuleType:
    if isinstance(plugin, CauseDefinition):
        return next(module for module in [*sys.modules.values()] if getattr(module, "CAUSE", None) is plugin)
    return sys.modules[type(plugin).__module__]


def _source_path(module: ModuleType) -> str:
    return f"src/{module.__name__.replace('.', '/')}.py"


def _docstring_parts(module: ModuleType) -> tuple[str, str]:
    """Title and body of the docstring of a module, from its source: a compiled module has none."""
    source = (ROOT / _source_path(module)).read_text(encoding="utf-8")
    docstring = ast.get_docstring(ast.parse(source), clean=False) or ""
    title, _, body = docstring.strip().partition("\n")
    return title.rstrip("."), body.strip()


def orphaned_pages() -> list[Path]:
    """Pages of detectors and causes that no longer exist."""
    return sorted({*DETECTORS.glob("*.md"), *CAUSES.glob("*.md")} - set(generated_pages()))


# -- outputs of commands ----------------------------------------------------------------------------


def shown_commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands in a page that are marked with `run:`, each with the block below it."""
    for match in _SHOWN_COMMAND.finditer(text):
        yield match["command"], match["block"]


def command_block(command: str) -> str:
    """The command and what it prints now."""
    return f"$ {command}\n{command_output(command)}"


@cache
def command_output(command: str) -> str:
    """What a `deadheat` command prints to a pipe in the root of the repository; `| head -33` shows its beginning."""
    make_example_clone()
    command, _, line_count = command.partition(" | head -")
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")} | {"COLUMNS": "100"}
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
    return "".join(done.stdout.splitlines(keepends=True)[: int(line_count or 1_000_000)])


def make_example_clone() -> None:
    """Create the repository of the tutorial, if it does not exist or is older than its history."""
    if EXAMPLE_CLONE.exists():
        if EXAMPLE_CLONE.stat().st_mtime >= EXAMPLE_HISTORY.stat().st_mtime:
            return
        shutil.rmtree(EXAMPLE_CLONE, ignore_errors=True)
    EXAMPLE_CLONE.parent.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=EXAMPLE_CLONE.parent)) / "shop"
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    with EXAMPLE_HISTORY.open("rb") as history:
        subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], stdin=history, check=True)
    with suppress(OSError):  # another process was faster
        folder.rename(EXAMPLE_CLONE)
    shutil.rmtree(folder.parent)


def with_current_outputs(text: str) -> str:
    """A page in which every marked block, and every console session, shows what its commands print now."""
    text = with_session_outputs(text)
    return _SHOWN_COMMAND.sub(lambda match: f"{match['mark']}{command_block(match['command'])}{match['fence']}", text)


# -- what must be documented ------------------------------------------------------------------------


def command_parsers() -> dict[str, argparse.ArgumentParser]:
    """Every command of the command line by its name."""
    return {
        name: parser
        for action in cli.build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, parser in action.choices.items()
    }


def undocumented_flags() -> list[str]:
    """Commands without a page, and flags that the page of their command does not mention."""
    faults = []
    for name, parser in command_parsers().items():
        page = COMMANDS / f"{name}.md"
        if not page.exists():
            faults.append(f"{page_name(page)} is missing")
            continue
        text = page.read_text(encoding="utf-8")
        flags = [flag for action in parser._actions for flag in action.option_strings]
        missing = [flag for flag in flags if not re.search(rf"`{re.escape(flag)}(?![\w-])", text)]
        faults += [f"{page_name(page)} does not mention `{flag}`" for flag in missing]
    return faults


def undocumented_columns() -> list[str]:
    """Tables of a lake without a section, and columns that their section does not mention."""
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", LAKE.read_text(), re.MULTILINE | re.DOTALL))
    faults = [f"{page_name(LAKE)} has no section {table}" for table in TABLES if table not in sections]
    return faults + [
        f"{page_name(LAKE)} does not mention `{column}` of {table}"
        for table, schema in TABLES.items()
        for column in schema.names
        if table in sections and f"`{column}`" not in sections[table]
    ]


@cache
def environment_variables() -> set[str]:
    """The environment variables that the package reads."""
    variables: set[str] = set()
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        variables |= {*_OWN_VARIABLE.findall(text)}
        tree = ast.parse(text)
        for node in ast.walk(tree):
            variables |= {*_variables_read(node)}
    return variables


def _variables_read(node: ast.AST) -> Iterator[str]:
    """The names in `environ.get("X")`, `environ["X"]`, `"X" in environment`, `_CI_VARIABLES = ("X", ...)`."""
    names: list[ast.AST] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_environment(node.func.value):
        names = [*node.args[:1]]
    elif isinstance(node, ast.Subscript) and _is_environment(node.value):
        names = [node.slice]
    elif isinstance(node, ast.Compare) and _is_environment(node.comparators[0]):
        names = [node.left]
    elif isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id in _VARIABLE_LISTS for target in node.targets
    ):
        names = [*ast.walk(node.value)]
    for name in names:
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and _VARIABLE.fullmatch(name.value):
            yield name.value


def _is_environment(node: ast.AST) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in ("environ", "environment")


def undocumented_variables() -> list[str]:
    """Environment variables that the configuration page does not mention."""
    text = CONFIGURATION.read_text(encoding="utf-8")
    missing = [name for name in sorted(environment_variables()) if f"`{name}`" not in text]
    return [f"{page_name(CONFIGURATION)} does not mention `{name}`" for name in missing]


def pages_in_navigation() -> set[str]:
    """The pages that mkdocs.yml lists, relative to docs/."""
    return set(re.findall(r"[\w/.-]+\.md", NAVIGATION.read_text(encoding="utf-8").partition("\nnav:")[2]))


def navigation_faults() -> list[str]:
    """Pages that the navigation lacks, and entries without a page."""
    listed, existing = pages_in_navigation(), {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")}
    return [f"mkdocs.yml does not list {page}" for page in sorted(existing - listed)] + [
        f"mkdocs.yml lists {page}, which does not exist" for page in sorted(listed - existing)
    ]


# -- the command ------------------------------------------------------------------------------------


def expected_pages() -> dict[Path, str]:
    """Every page that is generated, completely or in part, as it should be."""
    pages = {**generated_pages()}
    for page in all_pages():
        text = page.read_text(encoding="utf-8")
        is_generated = page in pages or page.parent in (DETECTORS, CAUSES)
        if not is_generated and (any(shown_commands(text)) or session_commands(text)):
            pages[page] = with_current_outputs(text)
    return pages


def find_faults() -> list[str]:
    """Everything that is stale or undocumented, one line each."""
    stale = [
        f"{page_name(page)} is stale: run python tools/docs.py"
        for page, text in expected_pages().items()
        if not page.exists() or page.read_text(encoding="utf-8") != text
    ]
    orphaned = [f"{page_name(page)} belongs to no detector or cause" for page in orphaned_pages()]
    missing = [*undocumented_flags(), *undocumented_columns(), *undocumented_variables(), *navigation_faults()]
    return [*stale, *orphaned, *missing]


def write_pages() -> None:
    for folder in (DETECTORS, CAUSES):
        folder.mkdir(parents=True, exist_ok=True)
    for page, text in expected_pages().items():
        page.write_text(text, encoding="utf-8")
    for page in orphaned_pages():
        page.unlink()


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; print what is stale or undocumented")
    if not parser.parse_args().check:
        write_pages()
    faults = find_faults()
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
