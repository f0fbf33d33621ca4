"""Names that attack: every format, read by a parser of its own, has the structure that it has with ordinary names."""

from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from deadheat import cli, plugins, serialization
from deadheat.baseline.absence import AbsenceState
from deadheat.baseline.judgement import GateStanding
from deadheat.output import OutputStyle
from deadheat.output.dossier_markdown import DossierMarkdown
from deadheat.output.dossier_text import DossierText
from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings
from deadheat.output.html.dossier_page import DossierHtmlPage
from deadheat.output.layout import cell_width
from deadheat.printable import format_json, visible_text
from deadheat.shell import format_command
from tests.cases import ROOT
from tests.repositories import Repository
from tests.test_output_formats import make_findings, render, validate_sarif
from tests.test_shell import words_of

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.model import Sighting

PARTS = st.sampled_from(
    ["<script>", "</script>", "<img src=x onerror=y>", "-->", "]]>", "&lt;", "`", "```", "|", "\\", "\\|", "*", "_",
     "[a](b)", "![a](b)", "@everybody", "https://evil.example", "www.evil.example", "# ", "- ", "1. ", "::error::",
     "::add-mask::", "##[error]", "%0A", ",file=x", "::", "{0}", "${IFS}", "$(touch PWN)",
     "'", '"', "\n", "\r", "\t", "\0", "\x1b[31m",
     "\x7f", "\x9b31m", "\u202e", "\u2028", "\u200b", "\ufeff", "\udcff", "\ufffe", " ", "/", "~", "-x", "é", "name"]
)  # fmt: skip
NAMES = st.lists(PARTS | st.characters(), min_size=1, max_size=5).map("".join)


class Names(NamedTuple):
    """The names in a race."""

    function: str
    file: str
    test: str
    other: str  # title, thread, note, document


ORDINARY = Names("fn", "f.go", "TestX", "other")
HOSTILE = st.builds(Names, NAMES, NAMES, NAMES, NAMES)
TOKENS = {"QFUNCTION": "function", "QFILE": "file", "QTEST": "test", "QOTHER": "other"}


def with_names(value: Any, names: Names) -> Any:
    """A JSON value in which the tokens are replaced by names."""
    if isinstance(value, str):
        pattern = "|".join(TOKENS)
        return re.sub(pattern, lambda match: str(getattr(names, TOKENS[match[0]])), value)
    if isinstance(value, list):
        return [with_names(inner, names) for inner in value]
    return {key: with_names(inner, names) for key, inner in value.items()} if isinstance(value, dict) else value


def template_row() -> dict[str, Any]:
    """A race with tokens instead of names."""
    [finding] = make_findings((ROOT / "go" / "two-goroutines.txt").read_bytes())
    text = json.dumps(serialization.sighting_to_wire(finding.sighting))
    text = (
        text.replace("cart.(*Cart).Add", "QFUNCTION").replace("cart/cart.go", "QFILE").replace("goroutine ", "QOTHER")
    )
    return {**json.loads(text), "test": "QTEST", "title": "QOTHER"}


ROW = template_row()


def sighting_with(names: Names) -> Sighting:
    return serialization.sighting_from_wire(with_names(ROW, names))


def render_races(name: str, names: Names) -> str:
    """A new race, a muted one and one that is gone."""
    new = RaceFinding(sighting_with(names), 2, (names.other,))
    muted = new._replace(standing=GateStanding.MUTED, note=names.other)
    return render(name, [new, muted], (AbsentRace("00", names.other, AbsenceState.GONE, names.other),))


class HtmlStructure(HTMLParser):
    """The elements with the names of their attributes, and the text, of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.text, self.scripts = "", [""]
        self.values: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.values += [value or "" for name, value in attrs if name in ("href", "src", "style", "onclick")]
        self.scripts += [""] * (tag == "script")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.scripts[-1] += data
        else:
            self.text += data


def markdown_structure(text: str) -> tuple[list[str], list[str]]:
    """The kinds of tokens of a Markdown text, and the content of its code."""
    kinds, code = [], []
    for token in MarkdownIt("commonmark").enable(["strikethrough", "table"]).parse(text):
        for part in [token, *(token.children or ())]:
            if part.type in ("code_inline", "fence"):
                code.append(part.content)
            is_text = part.type in ("text", "text_special", "code_inline") or part.content == "<!-- -->"
            kinds += [] if is_text else [part.type, *(part.attrs or ()), part.content * (part.type == "html_inline")]
    return kinds, code


def is_printable_text(text: str) -> bool:
    return text.replace("\n", "").isprintable()


def page_elements(page: str) -> list[tuple[str, tuple[str, ...]]]:
    """The elements of a page; their number of pieces of code depends on the names."""
    pieces = (("code", ()), ("code", ("title",)), ("span", ("class",)))
    return [tag for tag in HtmlStructure(page).tags if tag not in pieces]


@settings(deadline=None, max_examples=25)
@given(HOSTILE)
def test_html_report_has_no_other_elements(names: Names) -> None:
    ordinary, hostile = (render_races("html", each) for each in (ORDINARY, names))
    is_without_command = "<dt>Command</dt>" not in hostile
    assert page_elements(ordinary) == page_elements(hostile) or is_without_command
    assert {*page_elements(ordinary)} >= {*page_elements(hostile)}
    pages = HtmlStructure(ordinary), HtmlStructure(hostile)
    assert pages[0].values == pages[1].values
    assert pages[0].scripts == pages[1].scripts
    assert visible_text(names.test, "\n\t") in pages[1].text


@settings(deadline=None, max_examples=25)
@given(HOSTILE)
def test_junit_has_no_other_elements(names: Names) -> None:
    trees = [ElementTree.fromstring(render_races("junit", each)) for each in (ORDINARY, names)]
    structures = [[(element.tag, tuple(element.attrib)) for element in tree.iter()] for tree in trees]
    assert structures[0] == structures[1]
    case = trees[1][0][0]
    assert case.attrib["file"] == visible_text(names.file)
    assert visible_text(names.function) in (case[0].text or "")


@settings(deadline=None, max_examples=25)
@given(HOSTILE)
def test_markdown_summary_has_no_other_markup(names: Names) -> None:
    (expected, _), (kinds, code) = (markdown_structure(render_races("markdown", each)) for each in (ORDINARY, names))
    assert [kind for kind in kinds if "summary" not in kind] == [kind for kind in expected if "summary" not in kind]
    assert visible_text(names.test) in code


COMMANDS = {"add-mask", "debug", "error", "notice", "stop-commands", "warning"}


def workflow_commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """The workflow commands in a log, read as GitHub's runner does: name, properties and message."""
    commands = []
    for line in re.split(r"\r\n|\r|\n", text):
        match = re.match(r"\s*::([^ :]*)(?: (.*?))?::(.*)$", line, re.DOTALL)
        if match and match[1].lower() in COMMANDS:
            fields = (field.partition("=") for field in (match[2] or "").split(",") if field)
            properties = {name: decode_percent(value, ":,") for name, _, value in fields}
            commands.append((match[1], properties, decode_percent(match[3])))
        else:
            assert "##[" not in line
    return commands


def decode_percent(text: str, also: str = "") -> str:
    for character in f"\r\n{also}%":
        text = text.replace(f"%{ord(character):02X}", character)
    return text


@settings(deadline=None, max_examples=25)
@given(HOSTILE)
def test_github_annotations_are_the_commands_that_are_meant(names: Names) -> None:
    text = render_races("github", names)
    new, muted, gone = workflow_commands(text)
    assert len(text.splitlines()) == 3
    assert (new[0], muted[0], gone[0]) == ("error", "notice", "notice")
    assert new[1] == {"file": visible_text(names.file), "line": "31", "title": visible_text(names.other)}
    assert new[1] == muted[1]
    assert visible_text(names.function, "\n") in new[2] or visible_text(f"in {names.function}", "\n") in new[2]
    assert gone[1] == {"title": "known race not seen"}


@settings(deadline=None, max_examples=25)
@given(HOSTILE)
def test_other_formats_have_no_workflow_command(names: Names) -> None:
    for name in ("text", "json", "jsonl", "gitlab", "sarif", "junit", "markdown", "html"):
        assert workflow_commands(render_races(name, names)) == []


def without_surrogates(value: Any) -> Any:
    """What JSON has instead of lone surrogates: their escapes as text."""
    return json.loads(format_json(value))


@settings(deadline=None, max_examples=25)
@given(HOSTILE)
def test_values_in_json_are_unchanged(names: Names) -> None:
    for name in ("json", "jsonl", "gitlab"):
        assert is_printable_text(render_races(name, names))
    [race, _] = map(json.loads, render_races("jsonl", names).split("\n")[:2])
    assert {key: race[key] for key in ROW} == without_surrogates(with_names(ROW, names))
    assert json.loads(render_races("json", names))["races"][0] == race
    [issue, _] = json.loads(render_races("gitlab", names))
    assert issue["location"]["path"] == without_surrogates(names.file)


@settings(deadline=None, max_examples=20)
@given(HOSTILE)
def test_sarif_is_valid_and_its_values_are_unchanged(names: Names) -> None:
    text = render_races("sarif", names)
    assert is_printable_text(text)
    result = validate_sarif(text)["runs"][0]["results"][0]
    [logical] = result["locations"][0]["logicalLocations"]
    assert logical["fullyQualifiedName"] == without_surrogates(names.function)
    assert result["properties"]["test"] == without_surrogates(names.test)
    message = re.sub(r"\[(?:read|write)\]\([12]\)", "", result["message"]["text"], count=2)
    assert "](" not in message
    assert not re.search(r"(?<!\{)(?:\{\{)*\{(?!\{)", message)
    kinds, _ = markdown_structure(result["message"]["markdown"])
    assert not {"link_open", "image", "html_block", "heading_open"} & {*kinds}


@settings(deadline=None, max_examples=25)
@given(HOSTILE)
def test_text_for_a_terminal_is_printable_and_has_no_other_lines(names: Names) -> None:
    shown = render_races("text", names)
    assert is_printable_text(shown)
    assert shown.count("\n") == render_races("text", ORDINARY).count("\n")
    assert visible_text(names.test) in shown or visible_text(f"in {names.test}") in shown


@settings(deadline=None, max_examples=25)
@given(HOSTILE, st.sampled_from(["text", "jsonl", "json"]))
def test_output_of_a_scan_is_printable(names: Names, name: str) -> None:
    output_format, style = plugins.output_formats()[name], OutputStyle(why=True)
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    collector, writer = output_format.new_collector(style), output_format.new_writer(out, style)
    collector.add_sighting(sighting_with(names))
    writer.merge_batch(collector.pack_batch())
    writer.write_remaining({})
    assert is_printable_text(out.buffer.getvalue().decode())


# -- dossiers ---------------------------------------------------------------------------------------

SOURCE = """package zork

type Zork struct{ zork int }

func (z *Zork) Close() { z.zork = 0 }

func (z *Zork) Run() { z.zork++ }
"""
TEST = """package zork

func TestZork(t *testing.T) {
	z := &Zork{}
	go z.Run()
	z.Close()
}
"""
MODULE = "example.com/acme/relay"
REPORT = f"""==================
WARNING: DATA RACE
Write at 0x00c000012340 by goroutine 7:
  {MODULE}/zork.(*Zork).Close()
      /src/relay/zork/zork.go:5 +0x45
  {MODULE}/zork.TestZork()
      /src/relay/zork/zork_test.go:6 +0x45
  testing.tRunner()
      /usr/local/go/src/testing/testing.go:1259 +0x22f

Previous read at 0x00c000012340 by goroutine 8:
  {MODULE}/zork.(*Zork).Run()
      /src/relay/zork/zork.go:7 +0x45

Goroutine 8 (running) created at:
  {MODULE}/zork.TestZork()
      /src/relay/zork/zork_test.go:5 +0x3
==================
"""


@pytest.fixture(scope="module")
def dossier(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The dossier of a race in a repository in which everything is called zork."""
    folder = tmp_path_factory.mktemp("zork")
    repo = Repository(folder / "relay")
    files: dict[str, str | None] = {"go.mod": f"module {MODULE}\n", "zork/zork.go": SOURCE, "zork/zork_test.go": TEST}
    repo.put("zork: begin", files)
    repo.git("tag", "v1.0-zork")
    repo.put("zork: fix data race on zork", {"zork/zork.go": SOURCE.replace("z.zork = 0", "z.reset()")})
    repo.git("tag", "v1.1-zork")
    repo.git("branch", "-m", "zork")
    (folder / "zork.log").write_text(f"# zork\n\nFound in v1.0-zork.\n\n{REPORT}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        out = io.StringIO()
        patch.setattr("sys.stdout", out)
        cli.main(["explain", str(folder / "zork.log"), "--repo", str(repo.path), "--format", "json"])
    [found] = json.loads(out.getvalue())
    assert found["pin"]["tags"] == ["v1.0-zork"]
    assert found["reproduce"]["command"] == "go test -race ./zork -run '^TestZork$' -vet=off -count=20"
    assert found["fixed_by"]
    assert found["owners"]
    return dict(found)


def dossier_with(dossier: dict[str, Any], name: str) -> tuple[Sighting, dict[str, Any]]:
    """The dossier in which everything has another name."""

    def rename(value: Any) -> Any:
        if isinstance(value, str):
            return re.sub("zork", lambda _: name, value, flags=re.IGNORECASE)
        if isinstance(value, list):
            return [rename(inner) for inner in value]
        return {key: rename(inner) for key, inner in value.items()} if isinstance(value, dict) else value

    renamed = rename(dossier)
    command = format_command("go", "test", "-race", f"./{name}", "-vet=off", "-count=20")
    renamed["reproduce"] |= {"command": command, "note": None if command else "No command is given."}
    return serialization.sighting_from_wire(renamed), renamed


def printed_commands(code: str) -> list[str]:
    return [line for line in code.split("\n") if line.startswith(("git ", "go "))]


def render_markdown(sighting: Sighting, dossier: dict[str, Any]) -> str:
    return DossierMarkdown()(1, sighting, dossier)


def render_text(sighting: Sighting, dossier: dict[str, Any], width: int = 100) -> str:
    finding = RaceFinding(sighting, 2, ("ci.log:7", "other.log"))
    return DossierText(OutputStyle(width=width), shows_diff=True)(finding, dossier)


def render_page(sighting: Sighting, dossier: dict[str, Any]) -> str:
    return DossierHtmlPage()([(RaceFinding(sighting, 2, ("ci.log:7", "other.log")), dossier)])


@settings(deadline=None, max_examples=25)
@given(NAMES)
def test_dossiers_have_no_other_markup(dossier: dict[str, Any], name: str) -> None:
    hostile, ordinary = dossier_with(dossier, name), dossier_with(dossier, "a" * len(name))
    is_without_command = hostile[1]["reproduce"]["command"] is None
    kinds, expected = (markdown_structure(render_markdown(*each))[0] for each in (hostile, ordinary))
    assert kinds == expected or is_without_command
    assert not {"link_open", "image", "html_block"} & set(kinds)
    tags, expected_tags = (page_elements(render_page(*each)) for each in (hostile, ordinary))
    assert tags == expected_tags or is_without_command
    assert {tag for tag, _ in tags} <= {tag for tag, _ in expected_tags}
    texts = [render_text(*hostile), render_markdown(*hostile), render_page(*hostile)]
    assert is_printable_text(texts[0])
    assert workflow_commands("\n".join(texts)) == []


@settings(deadline=None, max_examples=40)
@given(NAMES, st.sampled_from([60, 80, 100, 200]))
def test_no_line_of_a_dossier_is_wider_than_the_terminal(dossier: dict[str, Any], name: str, width: int) -> None:
    lines = render_text(*dossier_with(dossier, name), width).splitlines()
    assert [line for line in lines if cell_width(line) > width] == []


@settings(deadline=None, max_examples=40)
@given(HOSTILE, st.sampled_from([60, 80, 100, 200]), st.booleans())
def test_no_line_of_a_scan_is_wider_than_the_terminal(names: Names, width: int, is_listed: bool) -> None:
    style = OutputStyle(width=width, is_terminal=True, why=True, cause=True, full=not is_listed)
    new = RaceFinding(sighting_with(names), 2, (names.other,))
    known = new._replace(standing=GateStanding.KNOWN, note=names.other)
    absent = AbsentRace("00", names.other, AbsenceState.GONE, names.other)
    findings = RaceFindings([new] * (12 if is_listed else 1) + [known], (absent,))
    lines = "".join(plugins.output_formats()["text"].render_pieces(findings, style)).splitlines()
    assert [line for line in lines if cell_width(line) > width] == []


@settings(deadline=None, max_examples=20)
@given(NAMES, st.sampled_from([60, 100, 200]))
def test_commands_of_dossiers_have_the_words_that_are_meant(
    dossier: dict[str, Any], folder: Path, name: str, width: int
) -> None:
    sighting, fields = dossier_with(dossier, name)
    code = [block for block in markdown_structure(render_markdown(sighting, fields))[1] if "git checkout" in block]
    text = render_text(sighting, fields, width)
    shown = text[text.index("\n  reproduce   ") :].partition("\n\n")[0].removeprefix("\n  reproduce   ")
    if not name.isprintable() or "##[" in name:
        assert code == []
        assert shown.startswith("No command is given.")
        return
    pasted = shown[shown.index("git checkout") :]
    for commands in (code[0], pasted):
        [checkout], [run] = (words_of(line, folder) for line in split_commands(commands))
        assert checkout == ["git", "checkout", fields["reproduce"]["at"]]
        assert run == ["go", "test", "-race", f"./{name}", "-vet=off", "-count=20"]


def split_commands(text: str) -> list[str]:
    """The two commands; a line that ends in a backslash goes on."""
    checkout, _, run = text.partition("\n")
    while checkout.endswith("\\"):
        line, _, run = run.partition("\n")
        checkout += f"\n{line}"
    return [checkout, run]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sandbox")
