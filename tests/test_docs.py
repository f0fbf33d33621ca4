"""The documentation is complete and true: no command, flag, table or setting is missing, no link or output is wrong."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat import plugins
from deadheat.lake.schema import TABLES
from deadheat.model import ActorState, Damage, Op, Origin
from tests.cases import all_cases
from tools import docs
from tools.console_session import session_commands, with_session_outputs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

README, CONTRIBUTING = docs.ROOT / "README.md", docs.ROOT / "CONTRIBUTING.md"
JSON = docs.REFERENCE / "json.md"
PAGES = docs.all_pages()

# "[text](target)" and "![image](target)", but not a link to another host
LINK = re.compile(r"\[[^\]\n]+\]\((?!\w+:)([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
# "demo: $(STAMP) ## run the main job"
TARGET = re.compile(r"^([a-z]+):.*## ", re.MULTILINE)
FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
# what makes a browser load something from another host; a link to follow does not
EXTERNAL_LOAD = re.compile(
    r'<(?:script|img|iframe)[^>]+src="?https?://|<link[^>]+rel="?(?:stylesheet|preconnect)[^>]+https?://'
)


def page_ids(page: Path) -> str:
    return docs.page_name(page)


# -- completeness -----------------------------------------------------------------------------------


@pytest.mark.parametrize("detector", plugins.all_detectors(), ids=lambda detector: detector.name)
def test_every_detector_has_a_current_page(detector: Any) -> None:
    page = docs.DETECTORS / f"{detector.name}.md"
    assert page.exists(), "run python tools/docs.py"
    assert "## " in page.read_text(), "the docstring of the module has no section"
    assert page.read_text() == docs.generated_pages()[page], "run python tools/docs.py"


@pytest.mark.parametrize("cause", plugins.causes_by_name())
def test_every_cause_has_a_current_page(cause: str) -> None:
    page = docs.CAUSES / f"{cause}.md"
    assert page.exists(), "run python tools/docs.py"
    assert page.read_text() == docs.generated_pages()[page], "run python tools/docs.py"


def test_every_generated_page_has_a_module() -> None:
    assert docs.orphaned_pages() == []


def test_every_command_and_flag_is_documented() -> None:
    assert docs.command_parsers()
    assert docs.undocumented_flags() == []


@pytest.mark.parametrize("page", ["commands/index.md", "exit-status.md"])
def test_overview_pages_name_every_command(page: str) -> None:
    text = (docs.REFERENCE / page).read_text()
    assert [name for name in docs.command_parsers() if f"`{name}`" not in text] == []


def test_every_output_format_is_documented() -> None:
    text = (docs.COMMANDS / "scan.md").read_text()
    assert [name for name in plugins.output_formats() if f"`{name}`" not in text] == []


def test_every_table_and_column_of_a_lake_is_documented() -> None:
    assert TABLES
    assert docs.undocumented_columns() == []


def test_every_environment_variable_is_documented() -> None:
    assert {"DEADHEAT_CACHE", "NO_COLOR", "GITHUB_SHA"} <= docs.environment_variables()
    assert docs.undocumented_variables() == []


def test_every_variable_of_builds_tests_and_integrations_is_documented() -> None:
    sources = [docs.ROOT / "hatch_build.py", docs.ROOT / "conftest.py", *docs.ROOT.glob("integrations/*")]
    sources += [*docs.ROOT.glob("tests/*.py"), *docs.ROOT.glob("tools/*")]
    used = {name for path in sources if path.is_file() for name in re.findall(r"\bDEADHEAT_[A-Z]+\b", path.read_text())}
    text = "".join(page.read_text() for page in PAGES if page.name != "CHANGELOG.md")
    assert {name for name in used if f"`{name}" not in text} == set()


@pytest.mark.parametrize("kind", [Damage, Op, Origin, ActorState], ids=lambda kind: kind.__name__)
def test_every_json_value_is_documented(kind: type[Damage | Op | Origin | ActorState]) -> None:
    text = JSON.read_text()
    assert [member.value for member in kind if f"`{member.value}`" not in text] == []


def json_keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from json_keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from json_keys(item)


def test_every_json_field_of_a_report_is_documented() -> None:
    text = JSON.read_text()
    reports = [deadheat.sighting_to_wire(s) for case in all_cases()[:20] for s in case.sightings()]
    assert {key for key in json_keys(reports) if f"`{key}`" not in text} == set()


def test_every_json_field_of_a_dossier_is_documented() -> None:
    text = JSON.read_text()
    command = "deadheat explain --format json --quiet examples/shop/logs --repo build/shop"
    dossiers = json.loads(docs.command_output(command))
    assert len(dossiers) == 2
    assert {key for key in json_keys(dossiers) if f"`{key}`" not in text} == set()


def test_every_make_target_is_mentioned() -> None:
    text = README.read_text() + CONTRIBUTING.read_text()
    targets = TARGET.findall((docs.ROOT / "Makefile").read_text())
    assert targets
    assert [target for target in targets if f"make {target}" not in text] == []


def test_every_page_is_in_the_navigation() -> None:
    assert docs.navigation_faults() == []


# -- links ------------------------------------------------------------------------------------------


def github_anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def mkdocs_anchor(heading: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


@pytest.mark.parametrize("page", PAGES, ids=page_ids)
def test_no_link_or_anchor_is_broken(page: Path) -> None:
    for link in LINK.findall(FENCED.sub("", page.read_text())):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(docs.DOCS if page.is_relative_to(docs.DOCS) else docs.ROOT), link
        if anchor:
            headings = HEADING.findall(FENCED.sub("", target.read_text()))
            assert anchor in [github_anchor(h) for h in headings if github_anchor(h) == mkdocs_anchor(h)], link


NAMES_SOURCES = [CONTRIBUTING, docs.DOCS / "explanation" / "architecture.md", *sorted(docs.DOCS.glob("how-to/*.md"))]


@pytest.mark.parametrize("page", NAMES_SOURCES, ids=page_ids)
def test_every_source_file_or_folder_that_a_page_names_exists(page: Path) -> None:
    # `text/prefixes.py`, `sarif.py`, `diagnosis/causes/`, `symbols/*.frames.txt`
    names = re.findall(
        r"`((?:src|tests|tools|corpus|docs|eval)?[\w/*-]+(?:\.py|\.frames\.txt|(?<=\w)/))`", page.read_text()
    )
    assert [name for name in names if not any(docs.ROOT.glob(name)) and not any((docs.ROOT / "src").rglob(name))] == []


# -- outputs ----------------------------------------------------------------------------------------

SHOWN = [(page, *shown) for page in PAGES for shown in docs.shown_commands(page.read_text())]


@pytest.mark.parametrize(("page", "command", "block"), SHOWN, ids=[f"{docs.page_name(p)}: {c}" for p, c, _ in SHOWN])
def test_shown_output_is_what_the_command_prints(page: Path, command: str, block: str) -> None:
    assert block == docs.command_block(command), "run python tools/docs.py"


def test_readme_shows_a_dossier() -> None:
    assert any(shown == README and "explain" in command for shown, command, _ in SHOWN)


def test_tutorial_is_what_its_own_commands_print() -> None:
    text = (docs.DOCS / "tutorial.md").read_text()
    commands = " ".join(session_commands(text))
    for command in ("scan", "explain", "gate"):
        assert f"deadheat {command} " in commands
    assert text == with_session_outputs(text), "run python tools/docs.py"
    assert "internal error" not in text


def test_commands_of_a_session_share_one_shell() -> None:
    page = "```console\n$ x=1; false\n$ echo $? $x\\\n  2\nstale\n```\n\n````console\n$ ls -d samples\n````\n"
    expected = (
        "```console\n$ x=1; false\n$ echo $? $x\\\n  2\n1 1 2\n```\n\n````console\n$ ls -d samples\nsamples\n````\n"
    )
    assert with_session_outputs(page) == expected


@pytest.mark.parametrize("page", [p for p in PAGES if ">>> " in p.read_text()], ids=page_ids)
def test_python_sessions_are_real(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(docs.ROOT)
    # doctest would take the fence below a session for its output
    text = re.sub(r"^`{3,}.*$", "", page.read_text(), flags=re.MULTILINE)
    session = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert session.examples
    assert doctest.DocTestRunner(verbose=False).run(session).failed == 0


def test_docs_tool_finds_no_fault() -> None:
    assert docs.find_faults() == []


# -- the site ---------------------------------------------------------------------------------------


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed")
def test_site_builds_strictly_and_loads_nothing_from_other_hosts(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=docs.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = [*tmp_path.rglob("*.html")]
    assert len(pages) >= len(docs.pages_in_navigation())
    assert [page.name for page in pages if EXTERNAL_LOAD.search(page.read_text())] == []
