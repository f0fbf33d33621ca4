"""Formats that show each race once: well formed, complete, and safe with untrusted text."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from deadheat import cli, plugins
from deadheat.api import scan_text
from deadheat.baseline.absence import AbsenceState
from deadheat.baseline.judgement import GateStanding
from deadheat.output import OutputStyle, gate_json
from deadheat.output.findings import AbsentRace, FindingsAccumulator, OncePerRaceFormat, RaceFinding, RaceFindings
from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMATS: dict[str, OncePerRaceFormat] = {
    name: elements for name, elements in plugins.output_formats().items() if isinstance(elements, OncePerRaceFormat)
} | gate_json.GATE_FORMATS
SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-schema-2.1.0.json").read_text())
TITLE = "read/write race in cart.(*Cart): Total / Add"
HOSTILE = (
    "cart.(*Cart).Add</script><img/src=x\tonerror=alert(1)>%0A::error::`|@octocat[a](javascript:x){0}"
    "\x1b[31m\u202e\x00]]>"
)
Capture = pytest.CaptureFixture[str]


def case_text(name: str) -> bytes:
    return (ROOT / name).read_bytes()


def case_race(name: str) -> str:
    return scan_text(case_text(name))[0].verdict.race


def make_findings(*texts: bytes, standing: GateStanding | None = None, note: str = "") -> list[RaceFinding]:
    return [
        RaceFinding(sighting, 2, ("ci.log:7",), standing, note)
        for text in texts
        for sighting in scan_text(text, "ci.log")
    ]


def render(name: str, races: list[RaceFinding], absent: tuple[AbsentRace, ...] = (), root: str = "") -> str:
    style = OutputStyle(width=120, root=root, is_wrapped=False)
    return "".join(FORMATS[name].render_pieces(RaceFindings(iter(races), absent), style))


def hostile_absence() -> tuple[AbsentRace, ...]:
    return tuple(AbsentRace("00", HOSTILE, state, HOSTILE) for state in AbsenceState)


def hostile_findings() -> list[RaceFinding]:
    """A race whose every name is an attack."""
    [finding] = make_findings(case_text("go/two-goroutines.txt"))
    text = json.dumps(_finding_row(finding)).replace("cart.(*Cart).Add", json.dumps(HOSTILE)[1:-1])
    text = text.replace("cart/cart.go", json.dumps(HOSTILE)[1:-1])
    from deadheat import serialization

    row = json.loads(text) | {"test": HOSTILE, "title": HOSTILE}
    races = [finding._replace(sighting=serialization.sighting_from_wire(row), locations=(HOSTILE,))]
    return [*races, *(f._replace(standing=GateStanding.KNOWN, note=HOSTILE) for f in races)]


def _finding_row(finding: RaceFinding) -> dict[str, Any]:
    from deadheat import serialization

    return serialization.sighting_to_wire(finding.sighting)


def findings_of_all_cases() -> Iterator[RaceFinding]:
    """Races of every detector, including damaged ones."""
    for folder in sorted(ROOT.iterdir()):
        for path in sorted(folder.glob("*.txt"))[:12]:
            yield from make_findings(path.read_bytes())


# -- all formats ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_command_shows_each_race_once(name: str, tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(3 * case_text("go/two-goroutines.txt") + case_text("go/method-value.txt"))
    run = ["gate", "--baseline", str(tmp_path / "b")] if name in gate_json.GATE_FORMATS else ["scan"]
    assert cli.main([*run, "--format", name, str(log)]) == 1
    out = capsys.readouterr().out
    assert case_race("go/two-goroutines.txt") in out
    assert case_race("go/method-value.txt") in out
    assert TITLE in out.replace("\\", "").replace("%3A", ":")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_untrusted_text_is_escaped(name: str) -> None:
    text = render(name, hostile_findings(), hostile_absence())
    assert "octocat" in text
    if name not in ("json", "jsonl"):  # data formats, escaped by JSON
        assert not {"\x1b", "\u202e", "\x00"} & set(text)
    if name in ("html", "junit"):
        assert "<img" not in text
        assert text.count("</script>") == (name == "html")
    if name == "markdown":
        prose = re.sub(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", "", text, flags=re.DOTALL)
        assert "\\<img" in prose
        assert not re.search(r"(?<!\\)<img|@octocat", prose)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_output_without_races_is_well_formed(name: str) -> None:
    text = render(name, [])
    if name in ("json", "gitlab", "sarif"):
        json.loads(text)
    if name == "junit":
        assert ElementTree.fromstring(text).attrib["failures"] == "0"


def test_packed_sighting_is_restored(tmp_path: Path) -> None:
    accumulator = FindingsAccumulator()
    collector = accumulator.new_collector(diagnose=True)
    for finding in make_findings(case_text("go/two-goroutines.txt")):
        collector.add_sighting(finding.sighting)
    accumulator.merge_batch(collector.pack_batch())
    [restored] = accumulator.iter_findings({})
    assert restored.sighting == make_findings(case_text("go/two-goroutines.txt"))[0].sighting


# -- SARIF ------------------------------------------------------------------------------------------


def validate_sarif(text: str) -> dict[str, Any]:
    jsonschema = pytest.importorskip("jsonschema", reason="the schema of SARIF needs jsonschema")
    log: dict[str, Any] = json.loads(text)
    jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER).validate(log)
    return log


def test_sarif_of_every_detector_matches_the_schema() -> None:
    log = validate_sarif(render("sarif", list(findings_of_all_cases())))
    results = log["runs"][0]["results"]
    rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert len(results) > 40
    assert len(rules) > 3
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in results)


def test_sarif_of_hostile_names_matches_the_schema() -> None:
    validate_sarif(render("sarif", hostile_findings()))


def test_sarif_has_both_sites_the_stacks_and_stable_fingerprints() -> None:
    [finding] = make_findings(case_text("go/two-goroutines.txt"))
    [result] = validate_sarif(render("sarif", [finding]))["runs"][0]["results"]
    spots = [
        (place["physicalLocation"]["artifactLocation"]["uri"], place["physicalLocation"]["region"]["startLine"])
        for place in result["relatedLocations"]
    ]
    assert spots == [("cart/cart.go", 31), ("cart/cart.go", 40)]
    flows = result["codeFlows"][0]["threadFlows"]
    assert [flow["id"] for flow in flows] == ["goroutine 21", "goroutine 20"]
    for flow, access in zip(flows, finding.sighting.report.accesses, strict=True):
        names = [step["location"]["logicalLocations"][0]["fullyQualifiedName"] for step in flow["locations"]]
        assert names[-len(access.stack) :] == [frame.function for frame in access.stack][::-1]
        assert flow["locations"][-1]["importance"] == "essential"
    assert result["partialFingerprints"]["deadheatRace/v1"] == finding.sighting.verdict.race
    assert result["level"] == "error"


@pytest.mark.parametrize(
    ("standing", "key", "value", "level"),
    [
        (GateStanding.NEW, "baselineState", "new", "error"),
        (GateStanding.EXPIRED, "baselineState", "unchanged", "error"),
        (GateStanding.KNOWN, "baselineState", "unchanged", "note"),
        (GateStanding.MUTED, "suppressions", [{"kind": "external", "status": "accepted",
                                           "justification": "why"}], "note"),
    ],
)  # fmt: skip
def test_sarif_shows_the_standing_of_a_race(standing: GateStanding, key: str, value: Any, level: str) -> None:
    races = make_findings(case_text("go/two-goroutines.txt"), standing=standing, note="why")
    [result] = validate_sarif(render("sarif", races))["runs"][0]["results"]
    assert (result[key], result["level"]) == (value, level)


@pytest.mark.parametrize(
    ("printed", "root", "uri"),
    [
        ("/home/ci/work/cart.go", "/home/ci/work", "cart.go"),
        ("/home/ci/workshop/cart.go", "/home/ci/work", "file:///home/ci/workshop/cart.go"),
        ("C:/ci/my cart.go", "", "file:///C:/ci/my%20cart.go"),
    ],
)
def test_files_are_relative_to_the_checkout(printed: str, root: str, uri: str) -> None:
    text = case_text("go/two-goroutines.txt").decode()
    path = re.findall(r"(/\S+cart\.go):31", text)[0]
    races = make_findings(text.replace(path, printed).encode())
    [result] = validate_sarif(render("sarif", races, root=root))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


# -- other formats ----------------------------------------------------------------------------------


def test_junit_has_a_failure_per_new_race_and_skips_known_ones() -> None:
    races = [
        *make_findings(case_text("go/two-goroutines.txt"), standing=GateStanding.NEW),
        *make_findings(case_text("go/method-value.txt"), standing=GateStanding.KNOWN, note="later"),
    ]
    suite = ElementTree.fromstring(render("junit", races))[0]
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["skipped"]) == ("2", "1", "1")
    [failed, skipped] = suite
    assert failed.attrib["file"] == "cart/cart.go"
    assert failed[0].attrib == {"type": "missing-lock", "message": f"new race: {TITLE}: No lock on either side"}
    assert "\nto fix it: Put a sync.Mutex next to the variable" in (failed[0].text or "")
    assert (failed[0].text or "").startswith(f"new race {case_race('go/two-goroutines.txt')}, seen 2 times by go\n")
    assert "cart.(*Cart).Total  cart/cart.go:40" in (failed[0].text or "")
    assert skipped[0].attrib["message"] == "known: later"


# the schema of Jenkins' xUnit plugin, and two attributes that GitLab and others show
JUNIT = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "file"},
    "testcase": {"name", "classname", "time", "group"} | {"file", "line"},
    "failure": {"type", "message"},
    "skipped": {"type", "message"},
}


def test_junit_uses_only_common_attributes() -> None:
    races = [
        *make_findings(case_text("go/two-goroutines.txt"), standing=GateStanding.NEW),
        *make_findings(case_text("go/method-value.txt"), standing=GateStanding.KNOWN, note="later"),
    ]
    elements = [*ElementTree.fromstring(render("junit", races)).iter()]
    assert {one.tag for one in elements} == JUNIT.keys()
    assert all(one.attrib.keys() <= JUNIT[one.tag] for one in elements)


def test_junit_of_hostile_names_is_well_formed() -> None:
    suite = ElementTree.fromstring(render("junit", hostile_findings()))[0]
    assert "octocat" in suite[0].attrib["name"]


@pytest.mark.parametrize("name", sorted({*FORMATS} - {"gitlab", "jsonl"}))
def test_state_of_every_race_that_was_not_found_is_shown(name: str) -> None:
    absent = tuple(
        AbsentRace(f"{number}0ff", f"race {number}", state, f"why {number}")
        for number, state in enumerate(AbsenceState)
    )
    text = render(name, [], absent)
    assert all(f"race {number}" in text and f"{number}0ff" in text for number in range(3))
    assert all(f"why {number}" in text for number in (1, 2))
    if name in ("json", "sarif"):
        log = json.loads(text)
        fields = log["runs"][0]["properties"] if name == "sarif" else log
        assert {state: [row["why"] for row in fields[state]] for state in ("gone", "not_run", "not_known")} == {
            "gone": ["why 0"], "not_run": ["why 1"], "not_known": ["why 2"]
        }  # fmt: skip
    if name == "json":
        assert log["counts"] == {
            "new": 0, "back": 0, "expired": 0, "known": 0, "muted": 0, "gone": 1, "not_run": 1, "not_known": 1
        }  # fmt: skip
    if name == "junit":
        suite = ElementTree.fromstring(text)[0]
        assert (suite.attrib["tests"], suite.attrib["skipped"]) == ("3", "2")
        assert [len(case) for case in suite] == [0, 1, 1]


def test_github_workflow_command_is_escaped() -> None:
    lines = render("github", hostile_findings(), hostile_absence()).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error", *4 * ["::notice"]]
    for line in lines:
        properties = line[2:].partition("::")[0]
        assert "%250A" in line  # the percent sign is escaped
        assert ":" not in properties
        assert properties.count(",") <= 2


def test_gitlab_code_quality_issue() -> None:
    [issue] = json.loads(render("gitlab", make_findings(case_text("go/two-goroutines.txt"))))
    assert issue["fingerprint"] == case_race("go/two-goroutines.txt")
    assert issue["location"] == {"path": "cart/cart.go", "lines": {"begin": 31}}
    assert issue["severity"] == "critical"


def test_markdown_has_a_row_per_race_and_a_section_per_failure() -> None:
    races = [
        *make_findings(case_text("go/method-value.txt"), standing=GateStanding.KNOWN, note="later"),
        *make_findings(case_text("go/two-goroutines.txt"), standing=GateStanding.NEW),
    ]
    text = render("markdown", races, (AbsentRace("00ff", "an old one", AbsenceState.GONE, "TestOld passed"),))
    assert text.startswith("## deadheat: 2 races, 1 of them new\n")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert [row.count("|") for row in rows] == [7, 7, 7]
    assert "| No lock on either side |" in rows[1]
    assert "new" in rows[1]
    assert text.count("<details>") == 1
    [summary] = re.findall("^<details><summary>(.*)</summary>$", text, re.MULTILINE)
    assert html.unescape(summary) == TITLE, "a backslash would be shown there"
    assert "- an old one `00ff`" in text


def test_markdown_is_below_the_size_limit_of_github() -> None:
    races = make_findings(case_text("go/two-goroutines.txt")) * 3000
    text = render("markdown", races, 3000 * (AbsentRace("00ff", 80 * "x", AbsenceState.NOT_RUN, 80 * "y"),))
    assert len(text.encode()) < 1 << 20
    assert text.count("… and 2500 more races") == 2
    assert "… and 2900 more sections" in text


def with_long_names(finding: RaceFinding) -> RaceFinding:
    """The race with names of 20,000 characters, and stacks of 2,000 frames."""
    report, name = finding.sighting.report, 10_000 * "é<"
    stack = 1_000 * tuple(frame._replace(function=name) for frame in report.accesses[0].stack[:2])
    accesses = tuple(access._replace(stack=stack, site=stack[0]) for access in report.accesses)
    verdict = finding.sighting.verdict._replace(title=name)
    return finding._replace(
        sighting=finding.sighting.with_report(report._replace(accesses=accesses))._replace(verdict=verdict)
    )


def test_long_names_do_not_exceed_the_limits_of_code_hosts() -> None:
    races = 200 * [with_long_names(finding) for finding in make_findings(case_text("go/two-goroutines.txt"))]
    assert len(render("markdown", races).encode()) < 1 << 20
    [annotation] = render("github", races[:1]).splitlines()
    properties, _, message = annotation.removeprefix("::error ").partition("::")
    title = properties.partition("title=")[2]
    assert len(title.encode()) <= 4 * 255
    assert len(html.unescape(message).encode()) < 1 << 16


@pytest.mark.parametrize("standing", [GateStanding.NEW, GateStanding.KNOWN, None])
@pytest.mark.parametrize("name", ["github", "gitlab", "junit"])
def test_formats_for_ci_systems_name_the_race(name: str, standing: GateStanding | None) -> None:
    text = render(name, make_findings(case_text("go/two-goroutines.txt"), standing=standing, note="SHOP-12"))
    named = f"{standing} race {case_race('go/two-goroutines.txt')}" if standing else case_race("go/two-goroutines.txt")
    assert named in text or named.capitalize() in text or (name == "junit" and standing is GateStanding.KNOWN)
    if name != "junit" or standing is not GateStanding.KNOWN:
        assert "No lock on either side" in text
    assert "ci.log:7" in text or name == "gitlab" or standing is GateStanding.KNOWN


def test_html_report_loads_nothing() -> None:
    text = render("html", list(findings_of_all_cases()))
    markup = re.sub(r"(?s)<(script|style)>.*?</\1>", "", text)
    assert not re.search(r"""\s(?:src|srcset|action|style|on\w+)\s*=|<(?:img|link|iframe|form|base|object)\b""", markup)
    assert set(re.findall(r'href="(.*?)"', markup)) == {"#main"}, "no code host is known"
    assert not re.search(r"url\(|@import|https?:", text.partition("</style>")[0])
    assert "default-src 'none'" in text
    assert "unsafe" not in text.partition("</style>")[0]
