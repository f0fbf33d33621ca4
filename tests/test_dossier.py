"""The dossier as text, Markdown and a page: complete, escaped, and silent about what nobody knows."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from deadheat import cli
from deadheat.model import Access, Actor, ActorState, Frame, Op, Origin, Report
from deadheat.output.html.race_diagram import RaceDiagram, build_diagram
from tests.repositories import MODULE, Repository, line
from tests.test_code_pin import FIXED, HUB

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Explain = Callable[[str, str, Repository | None], str]

TEST = """package hub

import "testing"

func TestHub(t *testing.T) {
	h := &Hub{}
	Start(h)
	h.Close()
}
"""
EVIL = "<script>alert(1)</script> **bold** [link](javascript:x) @everybody http://evil.example \x1b[31m"


def report(close: str = "Close", extra: str = "") -> str:
    write, read = line(HUB, "h.count = 0"), line(HUB, "if h.count > 3")
    go, test = line(HUB, "go h.run()"), line(TEST, "h.Close()")
    return (
        "==================\nWARNING: DATA RACE\nWrite at 0x00c000012340 by goroutine 7:\n"
        f"  {MODULE}/hub.(*Hub).{close}()\n      /src/relay/hub/hub.go:{write} +0x45\n"
        f"  {MODULE}/hub.TestHub()\n      /src/relay/hub/hub_test.go:{test} +0x45\n"
        "  testing.tRunner()\n      /usr/local/go/src/testing/testing.go:1259 +0x22f\n"
        f"{extra}\n"
        "Previous read at 0x00c000012340 by goroutine 8:\n"
        f"  {MODULE}/hub.(*Hub).run()\n      /src/relay/hub/hub.go:{read} +0x45\n\n"
        "Goroutine 7 (running) created at:\n  testing.(*T).Run()\n"
        "      /usr/local/go/src/testing/testing.go:1306 +0x47\n\n"
        f"Goroutine 8 (finished) created at:\n  {MODULE}/hub.Start()\n"
        f"      /src/relay/hub/hub.go:{go} +0x3\n"
        f"  {MODULE}/hub.TestHub()\n      /src/relay/hub/hub_test.go:7 +0x3\n"
        "==================\n"
    )


pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "relay")
    made.put("hub: begin", {"go.mod": f"module {MODULE}\n", "hub/hub.go": HUB, "hub/hub_test.go": TEST})
    made.put(f"hub: fix data race on count {EVIL}", {"hub/hub.go": FIXED})
    return made


@pytest.fixture
def explain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Explain:
    def run(text: str, way: str, repo: Repository | None) -> str:
        (tmp_path / "in.md").write_text(text)
        clone = ["--repo", str(repo.path)] if repo else []
        assert cli.main(["explain", str(tmp_path / "in.md"), *clone, "--format", way]) == 0
        return capsys.readouterr().out

    return run


# -- Markdown ----------------------------------------------------------------------------------------

SECTIONS = [
    "1. Minimal reproduce step", "2. What did you expect to see?", "3. What did you see instead",
    "4. What is your version?", "Cause", "Evidence", "Remedy", "Fixed by",
]  # fmt: skip


def test_a_bug_report_answers_what_a_maintainer_asks(explain: Explain, repo: Repository) -> None:
    text = explain(report(), "markdown", repo)
    titles = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert [t for t in titles if t in SECTIONS[:5]] == SECTIONS[:5]
    first = repo.git("rev-parse", "HEAD~1")
    assert f"git checkout {first}\ngo test -race ./hub -run '^TestHub$' -vet=off -count=20\n" in text
    assert "access `count` of `Hub` only if one happens before the other." in text
    assert "goroutine 8 (finished) reads in" in text.replace("\\", "")
    assert ">    12     h.count = 0" in text
    assert f"- `{first[:11]}` on `main`, 2020-09-14; 5 of 5 frames fit" in text.replace("\\", "")
    assert "write at 0x00c000012340 by goroutine 7 (running)\n" in text


def test_without_a_clone_the_unknown_is_said_to_be_unknown(explain: Explain) -> None:
    text = explain(report(), "markdown", None)
    assert "- Unknown: no frame is in one of the given repositories." in text
    assert "Unknown: the source of the racing lines is not available." in text
    assert "- Unknown: without the version, later commits cannot be searched." in text
    assert "git checkout" not in text


def test_untrusted_text_is_no_markup(explain: Explain, repo: Repository) -> None:
    text = explain(f"# {EVIL}\n\nFound in v9.9.9.\n\n```\n{report()}```\n", "markdown", repo)
    outside = re.sub(r"(`{3,})[^\n]*\n.*?\n\1", "", text, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)<(?!!--)", outside)
    assert "**bold**" not in outside
    assert "](javascript" not in outside
    assert "\x1b" not in text
    assert not re.search(r"(?<!\\)@everybody", outside)


def test_claims_are_quoted_as_claims(explain: Explain, repo: Repository) -> None:
    text = explain(f"# A race\n\nFound in v9.9.9.\n\n```\n{report()}```\n", "markdown", repo)
    _, _, claims = text.partition("### What the document claims")
    assert "not decidable; the clone has no such tag, branch or commit" in claims.replace("\\", "")


STEPS = """# A data race when two sessions commit

```sql
/* t1 */ begin;
/* t2 */ begin;
```

```
[kv:8024]invalid transaction
example.com/acme/relay/hub.(*Hub).Close
	/src/relay/hub/hub.go:12
example.com/acme/relay/hub.Start
	/src/relay/hub/hub.go:26
runtime.goexit
	/usr/local/go/src/runtime/asm_amd64.s:1371
```
"""


def test_steps_of_the_document_are_said_to_be_its_own(explain: Explain, repo: Repository) -> None:
    text = explain(STEPS, "markdown", repo)
    assert "```sql\n/* t1 */ begin;\n/* t2 */ begin;\n```" in text
    assert "Steps from the document, not tested" in text
    assert "Steps from the document, not tested" in explain(STEPS, "text", repo)
    (race,) = json.loads(explain(STEPS, "json", repo))
    assert race["reproduce"]["claimed"] is True
    assert race["reproduce"]["note"] is None
    assert race["narrative"]["saw"].startswith("An error in `hub.(*Hub).Close`")


# -- the page ----------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Which elements and attributes a page has, and whether all are closed."""

    _VOID = ("meta", "path", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in self._VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_needs_nothing_and_runs_nothing(explain: Explain, repo: Repository) -> None:
    text = explain(f"# {EVIL}\n\nFound in v9.9.9.\n\n```\n{report()}```\n", "html", repo)
    page = Page(text)
    assert not page.open
    assert not page.tags & {"img", "link", "iframe", "object", "form", "base"}
    assert not page.attributes & {"src", "style", "onclick", "onload", "srcset", "action"}
    assert set(re.findall(r'href="(.*?)"', text)) == {"#main"}
    assert text.count("<script>") == text.count("</script>") == 1
    assert "default-src 'none'" in text
    assert "unsafe" not in text.partition("</style>")[0]
    assert "url(" not in text
    assert "\x1b" not in text
    assert "<script>alert(1)</script>" in page.text  # as text, where a commit's subject says so


def test_the_picture_goes_from_the_ancestor_to_the_racing_lines(explain: Explain, repo: Repository) -> None:
    text = explain(report(), "html", repo)
    assert "Common caller: <code>hub.TestHub</code>" in text
    assert '<li class="start">started in <code>hub.Start</code>' in text
    assert "goroutine 8 <small>finished</small></h3>" in text
    assert '<span class="line marked"><span class="number">12</span><span class="hidden">racing line </span>' in text
    at = [text.index(words) for words in ("Common caller", 'class="start"', 'class="access"', "Nothing orders these")]
    assert at == sorted(at)


def test_both_racing_snippets_are_shown_in_the_order_of_the_title(explain: Explain, repo: Repository) -> None:
    text = explain(report(), "html", repo)
    [title] = re.findall("<h1>(.*?)</h1>", text)
    heads = re.findall(
        r'class="panel-head"><span class="side (.)">.</span> <b class="op">(\w+)</b> in <code>(.*?)<', text
    )
    assert [(side, op) for side, op, _ in heads] == [("a", "read"), ("b", "write")]
    assert [name.rpartition(".")[2] for *_, name in heads] == title.rpartition(": ")[2].split(" / ")
    marked = re.findall(r'<span class="line marked">(.*?)\n', text)
    rows = [re.sub("<.*?>", "", row).partition("racing line ")[2].strip() for row in marked]
    assert rows == ["if h.count &gt; 3 {", "h.count = 0"]


def test_links_lead_to_the_version_of_the_race(explain: Explain, repo: Repository) -> None:
    repo.git("remote", "add", "origin", "git@gitlab.com:acme/team/relay.git")
    text = explain(report(), "html", repo)
    (race,) = json.loads(explain(report(), "json", repo))
    base = "https://gitlab.com/acme/team/relay/-"
    hrefs = set(re.findall(r'href="(http.*?)"', text))
    pin = race["pin"]
    assert {f"{base}/commit/{pin['first']}", f"{base}/commit/{pin['last']}"} <= hrefs
    assert f"{base}/blob/{pin['surest']['last']}/hub/hub.go#L12" in hrefs
    assert f"{base}/commit/{race['fixed_by'][0]['commit']}" in hrefs
    assert all(href.startswith(base) for href in hrefs)
    assert "/testing/" not in "".join(hrefs), "a file of the standard library is not in the repository"


def test_stale_frames_are_grey_and_no_part_of_the_way(explain: Explain, repo: Repository) -> None:
    stale = (
        f"  {MODULE}/hub.(*Hub).run()\n      /src/relay/hub/hub.go:19 +0x45\n"
        f"  {MODULE}/hub.Start()\n      /src/relay/hub/hub.go:26 +0x3\n"
    )
    text = explain(report(extra=stale), "html", repo)
    assert '<li class="more">2 stale frames, not part of this stack</li>' in text


def test_several_races_make_one_page(explain: Explain, repo: Repository) -> None:
    other = report(close="Stop").replace("0x00c000012340", "0x00c000099990")
    text = explain(report() + other, "html", repo)
    assert text.count("<article") == 2
    assert "<title>2 races · deadheat</title>" in text
    index = text[text.index("<nav") : text.index("</nav>")]
    links = re.findall(r'<a href="#(\w+)">(.*?)</a>', index)
    assert links == re.findall(r'<article id="(\w+)".*?<h2>(.*?)</h2>', text)
    assert len(links) == 2


# -- the lanes ---------------------------------------------------------------------------------------


def diagram_of(report: Report) -> RaceDiagram:
    actors = {actor.id: actor for actor in report.actors}
    return build_diagram([(access, actors.get(access.actor)) for access in report.accesses])


def frame(name: str, origin: Origin = Origin.USER, stale: bool = False) -> Frame:
    return Frame(name, "hub", "hub/hub.go", 1, origin, stale=stale)


def test_an_actor_that_runs_in_the_ancestor_needs_no_start() -> None:
    test, start, run, stop = (frame(f"hub.{n}") for n in ("TestIt", "Start", "run", "Stop"))
    worker = Access(Op.READ, "goroutine 8", (run,), site=run)
    owner = Access(Op.WRITE, "goroutine 7", (stop, test), site=stop)
    created = (frame("testing.(*T).Run", Origin.TEST),)
    actors = (
        Actor("goroutine 8", ActorState.RUNNING, (start, test)),
        Actor("goroutine 7", ActorState.RUNNING, created),
    )
    found = diagram_of(Report("go", "data-race", (worker, owner), actors))
    assert found.ancestor == test
    kinds = [[(s.kind, s.frame.function) for s in lane.steps] for lane in found.columns]
    assert kinds == [[("start", "hub.Start"), ("access", "hub.run")], [("access", "hub.Stop")]]


def test_two_calls_of_one_function_are_no_ancestor() -> None:
    """Both pass `Exec`, but from two lines of the test: that is where they part."""
    test = Frame("hub.TestIt", "hub", "hub/hub_test.go", 5, Origin.USER)
    later, call = test._replace(line=9), frame("hub.Exec")
    worker = Access(Op.READ, "goroutine 8", (frame("hub.run"),), site=frame("hub.run"))
    owner = Access(Op.WRITE, "goroutine 7", (frame("hub.reset"), call, later), site=frame("hub.reset"))
    actors = (Actor("goroutine 8", ActorState.RUNNING, (frame("hub.start"), call, test)),)
    found = diagram_of(Report("go", "data-race", (worker, owner), actors))
    assert found.ancestor == test
    assert [[s.frame.function for s in lane.steps] for lane in found.columns] == [
        ["hub.Exec", "hub.start", "hub.run"],
        ["hub.Exec", "hub.reset"],
    ]


def test_an_access_in_the_common_caller_is_kept() -> None:
    """The function that starts the thread is the one that races with it."""
    start = frame("hub.Run")
    site = start._replace(line=9)
    worker = Access(Op.WRITE, "goroutine 8", (frame("hub.Run.func1"),), site=frame("hub.Run.func1"))
    owner = Access(Op.WRITE, "main", (site, frame("main.main")), site=site)
    found = diagram_of(Report("go", "data-race", (worker, owner), (Actor("goroutine 8", created_at=(start,)),)))
    assert found.ancestor == start
    assert [[(s.kind, s.frame) for s in lane.steps][-1] for lane in found.columns] == [
        ("access", frame("hub.Run.func1")),
        ("access", site),
    ]


def test_strangers_have_no_ancestor() -> None:
    one = Access(Op.READ, "goroutine 8", (frame("a.x"),), site=frame("a.x"))
    two = Access(Op.WRITE, "goroutine 7", (frame("b.y"),), site=frame("b.y"))
    found = diagram_of(Report("go", "data-race", (one, two)))
    assert found.ancestor is None
    assert [len(lane.steps) for lane in found.columns] == [1, 1]


def test_frames_of_the_language_are_below_the_access() -> None:
    inner, site = frame("runtime.mapassign", Origin.RUNTIME), frame("hub.put")
    access = Access(Op.WRITE, "goroutine 8", (inner, site), site=site)
    (lane,) = diagram_of(Report("go", "data-race", (access,))).columns
    assert [(s.kind, s.frame.function) for s in lane.steps] == [("access", "hub.put"), ("inner", "runtime.mapassign")]


# -- families ----------------------------------------------------------------------------------------


def test_relatives_in_the_same_input_are_named(explain: Explain) -> None:
    def one(reader: str) -> str:
        return (
            "==================\nWARNING: DATA RACE\nWrite at 0x00c000012340 by goroutine 7:\n"
            f"  {MODULE}/hub.(*Hub).Reset()\n      /src/relay/hub/hub.go:12 +0x45\n\n"
            "Previous read at 0x00c000012340 by goroutine 8:\n"
            f"  {MODULE}/hub.{reader}()\n      /src/relay/{reader}/hub.go:18 +0x45\n"
            "==================\n"
        )

    first, second = json.loads(explain(one("alpha") + one("beta").replace("c000012340", "c000099990"), "json", None))
    assert first["related"] == [second["race"]]
    assert second["related"] == [first["race"]]
