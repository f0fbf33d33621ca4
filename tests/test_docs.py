"""The documentation is true: nothing is missing, stale, broken or made up."""

from __future__ import annotations

import doctest
import re
from typing import TYPE_CHECKING

import pytest

import deadheat
from deadheat import plugins
from deadheat.model import ActorState, Damage, Op, Origin
from tests.cases import all_cases
from tools import docs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

README, CONTRIBUTING = docs.ROOT / "README.md", docs.ROOT / "CONTRIBUTING.md"
JSON = docs.DOCS / "json.md"
PAGES = docs.pages()

# "[text](target)", and not "![image](target)" nor a link to another host
LINK = re.compile(r"(?<!!)\[[^\]\n]+\]\((?!\w+:)([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
# "demo: $(STAMP) ## run the main job"
TARGET = re.compile(r"^([a-z]+):.*## ", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def name(page: Path) -> str:
    return page.relative_to(docs.ROOT).as_posix()


@pytest.mark.parametrize("dialect", plugins.all_detectors(), ids=lambda dialect: dialect.name)
def test_every_dialect_has_its_page(dialect: Any) -> None:
    page = docs.DIALECTS / f"{dialect.name}.md"
    assert page.exists(), "python tools/docs.py makes it"
    assert "## " in page.read_text(), "the module's docstring has no section"
    assert page.read_text() == docs.dialect_pages()[page], "python tools/docs.py makes it anew"


@pytest.mark.parametrize("rule", plugins.all_rules(), ids=lambda rule: rule.cause)
def test_every_cause_has_its_page(rule: Any) -> None:
    page = docs.CAUSES / f"{rule.cause}.md"
    assert page.exists(), "python tools/docs.py makes it"
    assert page.read_text() == docs.cause_pages()[page], "python tools/docs.py makes it anew"


def test_every_made_page_has_its_module() -> None:
    assert docs.orphans() == []


def test_every_flag_is_documented() -> None:
    assert docs.commands()
    assert docs.undocumented() == []


def test_every_format_is_documented() -> None:
    page = (docs.DOCS / "scan.md").read_text()
    assert [f for f in plugins.output_formats() if f"`{f}`" not in page] == []


@pytest.mark.parametrize("kind", [Damage, Op, Origin, ActorState], ids=lambda kind: kind.__name__)
def test_every_word_is_documented(kind: type[Damage | Op | Origin | ActorState]) -> None:
    page = JSON.read_text()
    assert [word.value for word in kind if f"`{word.value}`" not in page] == []


def keys(plain: object) -> Iterator[str]:
    if isinstance(plain, dict):
        yield from plain
        for value in plain.values():
            yield from keys(value)
    elif isinstance(plain, list):
        for item in plain:
            yield from keys(item)


def test_every_field_is_documented() -> None:
    page = JSON.read_text()
    wired = [deadheat.sighting_to_wire(s) for case in all_cases()[:20] for s in case.sightings()]
    assert {key for key in keys(wired) if f"`{key}`" not in page} == set()


def test_every_target_of_make_is_told() -> None:
    told = README.read_text() + CONTRIBUTING.read_text()
    targets = TARGET.findall((docs.ROOT / "Makefile").read_text())
    assert targets
    assert [target for target in targets if f"make {target}" not in told] == []


def slug(heading: str) -> str:
    """A heading's anchor, as code hosts make it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_link_is_broken(page: Path) -> None:
    for link in LINK.findall(FENCED.sub("", page.read_text())):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(docs.ROOT), link
        if anchor:
            assert anchor in map(slug, HEADING.findall(target.read_text())), link


def test_every_page_is_on_the_map() -> None:
    told = (docs.DOCS / "index.md").read_text()
    below = [p.relative_to(docs.DOCS).as_posix() for p in docs.DOCS.rglob("*.md")]
    unlisted = [p for p in below if f"]({p})" not in told and p != "index.md"]
    assert [p for p in unlisted if not p.startswith(("dialects/", "causes/"))] == []


SHOWN = [(page, *shown) for page in PAGES for shown in docs.shown(page.read_text())]


@pytest.mark.parametrize(("page", "command", "block"), SHOWN, ids=[f"{name(p)}: {c}" for p, c, _ in SHOWN])
def test_shown_output_is_what_the_command_prints(page: Path, command: str, block: str) -> None:
    assert block == docs.block(command), "python tools/docs.py writes it anew"


def test_the_readme_shows_a_sample() -> None:
    assert any(page == README for page, _, _ in SHOWN)


@pytest.mark.parametrize("page", [p for p in PAGES if ">>> " in p.read_text()], ids=name)
def test_python_sessions_are_real(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(docs.ROOT)
    # the fence below a session would be taken for its output
    text = re.sub(r"^```.*$", "", page.read_text(), flags=re.MULTILINE)
    session = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert session.examples
    assert doctest.DocTestRunner(verbose=False).run(session).failed == 0


def test_the_tool_finds_nothing_to_complain_about() -> None:
    assert docs.faults() == []
