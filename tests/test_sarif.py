"""SARIF respects the limits of GitHub: what is left out is the least important, and the file says so."""

from __future__ import annotations

import gzip
import json
import os
import random
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deadheat import cli, plugins, serialization
from deadheat.baseline.absence import AbsenceState
from deadheat.baseline.judgement import GateStanding
from deadheat.model import Cause
from deadheat.output import JobContext, OutputStyle, project_pages, sarif_limits
from deadheat.output.findings import AbsentRace, RaceFinding, RaceFindings
from deadheat.output.sarif import FORMAT
from deadheat.output.sarif_limits import CompressedSize
from tests.cases import ROOT
from tests.test_output_formats import case_text, findings_of_all_cases, make_findings, validate_sarif

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PROJECT = ROOT.parents[1]


@pytest.fixture(scope="module")
def finding() -> RaceFinding:
    [found] = make_findings(case_text("go/two-goroutines.txt"))
    return found


def render_file(races: Iterable[RaceFinding], absent: tuple[AbsentRace, ...] = (), **job: Any) -> tuple[str, list[str]]:
    """The file, and the warnings."""
    warnings: list[str] = []
    style = OutputStyle(job=JobContext(**job, warn=warnings.append))
    return "".join(FORMAT.render_pieces(RaceFindings(races, absent), style)), warnings


def run_of(text: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(text)
    [run] = log["runs"]
    return dict(run)


def notes_of(run: dict[str, Any]) -> dict[str, str]:
    [invocation] = run["invocations"]
    return {note["descriptor"]["id"]: note["message"]["text"] for note in invocation["toolExecutionNotifications"]}


def named(finding: RaceFinding, race: str, **fields: Any) -> RaceFinding:
    verdict = finding.sighting.verdict._replace(race=race)
    return finding._replace(sighting=finding.sighting._replace(verdict=verdict), **fields)


def with_stack(finding: RaceFinding, frame_count: int) -> RaceFinding:
    """The race with long stacks, whose frames are numbered from the innermost one."""
    report = finding.sighting.report
    [frame, *_] = report.accesses[0].stack
    stack = tuple(frame._replace(function=f"f{number}", line=number + 1) for number in range(frame_count))
    accesses = tuple(access._replace(stack=stack, site=stack[0]) for access in report.accesses)
    return finding._replace(sighting=finding.sighting.with_report(report._replace(accesses=accesses)))


# -- rules ------------------------------------------------------------------------------------------


def test_every_cause_has_a_rule_with_help() -> None:
    rules = {rule["id"]: rule for rule in run_of(render_file([])[0])["tool"]["driver"]["rules"]}
    assert list(rules) == list(plugins.causes_by_name())
    for name, rule in rules.items():
        assert rule["helpUri"].endswith(f"/causes/{name}.md")
        assert (PROJECT / "docs" / "reference" / "causes" / f"{name}.md").exists()
        texts = [rule["shortDescription"]["text"], rule["fullDescription"]["text"], *rule["help"].values()]
        assert all(text and "{" not in text for text in texts)
        assert "\n- " in rule["help"]["markdown"]
        assert rule["name"].isalnum()
        assert rule["properties"]["problem.severity"] == "error"
        assert len(rule["properties"]["tags"]) <= sarif_limits.MAX_TAGS


def test_address_of_the_project_is_that_of_the_package() -> None:
    urls = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["urls"]
    assert urls["Homepage"] == project_pages.PROJECT_URL


def with_causes(finding: RaceFinding, *causes: Cause, kind: str = "data-race") -> RaceFinding:
    sighting = finding.sighting.with_report(finding.sighting.report._replace(kind=kind))
    return finding._replace(sighting=sighting._replace(causes=causes))


@pytest.mark.parametrize(
    ("causes", "kind", "rule"),
    [
        ([Cause("partial-lock", 0.9)], "data-race", "partial-lock"),
        ([Cause("partial-lock", 0.5), Cause("missing-lock", 0.4)], "data-race", "partial-lock"),
        ([Cause("partial-lock", 0.45), Cause("missing-lock", 0.4)], "data-race", "data-race"),
        ([Cause("unknown", 0.8), Cause("missing-lock", 0.2)], "data-race", "data-race"),
        ([Cause("unknown", 1.0)], "lock-order-inversion", "lock-order-inversion"),
        ([Cause("of-a-plugin-that-is-gone", 0.9)], "data-race", "data-race"),
        ([], "thread-leak", "thread-leak"),
    ],
)
def test_rule_is_the_cause_if_it_is_likely_else_the_kind(
    finding: RaceFinding, causes: list[Cause], kind: str, rule: str
) -> None:
    text, _ = render_file([with_causes(finding, *causes, kind=kind)])
    validate_sarif(text)
    run = run_of(text)
    [result] = run["results"]
    assert result["ruleId"] == rule == run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"]


def test_cause_of_a_dossier_counts_more_than_that_of_the_report(finding: RaceFinding) -> None:
    fix = {"change": "Take `mu` in `Total` too."}
    dossier = {"cause": {"fix": fix}, "causes": [{"cause": "partial-lock", "confidence": 0.93}]}
    [result] = run_of(render_file([with_causes(finding, Cause("missing-lock", 0.9))._replace(dossier=dossier)])[0])[
        "results"
    ]
    assert result["ruleId"] == "partial-lock"
    assert result["message"]["text"].startswith(
        "A lock on one side only: read/write race in cart.(*Cart): Total / Add."
    )
    assert "To fix it: Take mu in Total too." in result["message"]["text"]
    assert "To fix it: Take `mu` in `Total` too." in result["message"]["markdown"]


def test_message_links_to_the_accesses(finding: RaceFinding) -> None:
    [result] = run_of(render_file([with_causes(finding, Cause("missing-lock", 0.9))])[0])["results"]
    text = result["message"]["text"]
    assert "[write](1) by goroutine 21 in cart.(*Cart).Add, cart/cart.go:31; [read](2) by goroutine 20" in text
    assert {place["id"] for place in result["relatedLocations"]} == {1, 2}
    assert text.endswith(f"Race {finding.sighting.verdict.race}, seen 2 times.")


def test_kinds_beyond_the_limit_share_a_rule(finding: RaceFinding) -> None:
    races = [with_causes(finding, kind=f"kind-{number}") for number in range(sarif_limits.MAX_KINDS + 5)]
    run = run_of(render_file(races)[0])
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(plugins.causes_by_name()) + sarif_limits.MAX_KINDS + 1
    assert [result["ruleId"] for result in run["results"][-5:]] == 5 * ["other-report"]


# -- the job ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        ({}, None),
        ({"key": "unit tests"}, "deadheat/unit tests/"),
        ({"key": "unit", "name": "race", "run": "17"}, "deadheat/unit/17"),
        ({"name": "race tests", "run": "17"}, "deadheat/race tests/17"),
        ({"run": "17"}, None),
    ],
)
def test_uploads_of_several_jobs_have_categories(job: dict[str, Any], expected: str | None) -> None:
    run = run_of(render_file([], **job)[0])
    assert run.get("automationDetails") == (expected and {"id": expected})


def test_version_of_the_code_is_given_if_known() -> None:
    text, _ = render_file([], repository="https://github.com/acme/shop", commit="abc123", branch="main")
    validate_sarif(text)
    assert run_of(text)["versionControlProvenance"] == [
        {"repositoryUri": "https://github.com/acme/shop", "revisionId": "abc123", "branch": "main"}
    ]
    assert "versionControlProvenance" not in run_of(render_file([], commit="abc123")[0])


GITHUB_JOB = {
    "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/shop",
    "GITHUB_SHA": "abc123", "GITHUB_HEAD_REF": "topic", "GITHUB_JOB": "race", "GITHUB_RUN_ID": "17",
}  # fmt: skip
GITLAB_JOB = {
    "CI": "true", "CI_PROJECT_URL": "https://gitlab.example.com/acme/shop", "CI_COMMIT_SHA": "abc123",
    "CI_COMMIT_REF_NAME": "topic", "CI_JOB_NAME": "race tests", "CI_PIPELINE_ID": "17",
}  # fmt: skip


@pytest.mark.parametrize(
    ("variables", "options", "category", "repository"),
    [
        (GITHUB_JOB, [], None, "https://github.com/acme/shop"),
        (GITHUB_JOB, ["--key", "go 1.25"], "deadheat/go 1.25/17", "https://github.com/acme/shop"),
        (GITLAB_JOB, [], "deadheat/race tests/17", "https://gitlab.example.com/acme/shop"),
        (
            GITLAB_JOB | {"CI_PROJECT_URL": "https://me:secret@gitlab.example.com/a/b"},
            [],
            "deadheat/race tests/17",
            None,
        ),
        ({}, [], None, None),
    ],
)
def test_job_is_read_from_the_variables_of_the_ci_system(
    variables: dict[str, str], options: list[str], category: str | None, repository: str | None,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    for name in {*os.environ, *GITHUB_JOB, *GITLAB_JOB}:
        if name.startswith(("CI", "GITHUB_", "JENKINS_")):
            monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cli.main(["scan", "--format", "sarif", *options, str(ROOT / "go/two-goroutines.txt")]) == 1
    text = capsys.readouterr().out
    run = validate_sarif(text)["runs"][0]
    assert run.get("automationDetails") == (category and {"id": category})
    expected = [{"repositoryUri": repository, "revisionId": "abc123", "branch": "topic"}] if repository else None
    assert run.get("versionControlProvenance") == expected
    assert "secret" not in text


@pytest.mark.parametrize("options", [[], ["--quiet"]])
def test_what_is_left_out_is_a_line_on_standard_error(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("deadheat.output.sarif.MAX_RESULTS", 0)
    assert cli.main(["scan", "--format", "sarif", *options, str(ROOT / "go/two-goroutines.txt")]) == 1
    err = capsys.readouterr().err
    assert err == "" if options else err.startswith("deadheat: sarif: 1 race left out: GitHub accepts 25,000 results")


# -- limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [250, pytest.param(sarif_limits.MAX_RESULTS, marks=pytest.mark.soak)])
def test_races_beyond_the_limit_are_left_out_known_ones_first(
    finding: RaceFinding, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("sarif", "sarif_limits"):
        monkeypatch.setattr(f"deadheat.output.{module}.MAX_RESULTS", limit)
    part = limit // 25
    known = [named(finding, f"{number:016x}", standing=GateStanding.KNOWN) for number in range(6 * part)]
    new = [named(finding, f"{number:016x}", standing=GateStanding.NEW) for number in range(6 * part, 30 * part)]
    text, warnings = render_file(iter([*known, *new]))
    run = run_of(text)
    races = [result["partialFingerprints"]["deadheatRace/v1"] for result in run["results"]]
    assert races[: len(new)] == [race.sighting.verdict.race for race in new]
    assert races[len(new) :] == [race.sighting.verdict.race for race in known[:part]]
    left_out = f"{5 * part:,} races left out: GitHub accepts {limit:,} results"
    assert notes_of(run)["omitted-races"].startswith(left_out)
    assert warnings == [f"sarif: {notes_of(run)['omitted-races']}"]
    assert len(gzip.compress(text.encode())) <= sarif_limits.MAX_GZIP_BYTES


def test_inner_frames_of_long_stacks_are_kept(finding: RaceFinding) -> None:
    text, warnings = render_file([with_stack(finding, 20_000)])
    validate_sarif(text)
    [result] = run_of(text)["results"]
    flows = result["codeFlows"][0]["threadFlows"]
    assert sum(len(flow["locations"]) for flow in flows) == sarif_limits.MAX_THREAD_FLOW_LOCATIONS
    for flow in flows:
        names = [step["location"]["logicalLocations"][0]["fullyQualifiedName"] for step in flow["locations"]]
        assert names == [f"f{number}" for number in range(499, -1, -1)]
    created = sum(len(actor.created_at) for actor in finding.sighting.report.actors)
    assert warnings[0].startswith(f"sarif: {2 * 19_500 + created:,} outer frames of long stacks left out")


def test_accesses_beyond_the_limit_are_left_out(finding: RaceFinding) -> None:
    report = finding.sighting.report
    accesses = tuple(access._replace(address=hex(number)) for number in range(150) for access in report.accesses)
    sighting = finding.sighting.with_report(report._replace(accesses=accesses))
    text, warnings = render_file([finding._replace(sighting=sighting)])
    validate_sarif(text)
    [result] = run_of(text)["results"]
    assert len(result["relatedLocations"]) == 100
    assert sum(len(flow["locations"]) for flow in result["codeFlows"][0]["threadFlows"]) <= 1_000
    assert "200 accesses left out" in warnings[-1]


def incompressible_races(finding: RaceFinding, count: int) -> Iterator[RaceFinding]:
    """Races with stacks of random names; the last ones have long names of tests, too."""
    noise = random.Random(1)
    for number in range(count):
        report = finding.sighting.report
        [frame, *_] = report.accesses[0].stack
        stack = (frame, *(frame._replace(function=f"{noise.getrandbits(16_000):x}") for _ in range(20)))
        accesses = tuple(access._replace(stack=stack, site=frame) for access in report.accesses)
        test = f"{noise.getrandbits(2_000_000):x}" if number > count - 10 else None
        sighting = finding.sighting.with_report(report._replace(accesses=accesses, test=test))
        yield named(finding._replace(sighting=sighting), f"{number:016x}")


def test_file_is_below_the_size_limit_after_gzip(finding: RaceFinding) -> None:
    absent = tuple(
        AbsentRace(f"{number:016x}", f"{random.Random(number).getrandbits(4_000):x}", AbsenceState.GONE, "passed")
        for number in range(1_500)
    )
    text, warnings = render_file(incompressible_races(finding, 300), absent)
    run = run_of(text)
    size = len(gzip.compress(text.encode(), 6))
    assert 8_000_000 < size <= sarif_limits.MAX_GZIP_BYTES
    has_stacks = ["codeFlows" in result for result in run["results"]]
    assert has_stacks == sorted(has_stacks, reverse=True), "the first races have their stacks"
    assert [note.partition(" ")[0] for note in notes_of(run)] == [
        "omitted-races", "omitted-stacks", "omitted-absent-races"
    ]  # fmt: skip
    assert int(notes_of(run)["omitted-races"].split()[0]) + len(run["results"]) == 300
    assert len(run["properties"]["gone"]) == sarif_limits.MAX_ABSENT_RACES
    assert len(warnings) == 3


@given(st.lists(st.binary(max_size=3_000) | st.integers(0, 9).map(lambda n: bytes([n]) * 4_000), max_size=30))
@settings(deadline=None, max_examples=50)
def test_size_after_gzip_is_never_underestimated(pieces: list[bytes]) -> None:
    limit, size = 8_000, CompressedSize(8_000)
    written = b"".join(piece for piece in pieces if size.add_if_fits(piece))
    assert len(gzip.compress(written, 6)) <= limit
    if all(len(piece) < 50 for piece in pieces):
        assert written == b"".join(pieces)


def test_long_titles_are_shortened(finding: RaceFinding) -> None:
    sighting = finding.sighting._replace(verdict=finding.sighting.verdict._replace(title="x" * 100_000))
    text, _ = render_file([finding._replace(sighting=sighting)])
    validate_sarif(text)
    assert len(text) < 100_000


def test_every_case_writes_no_note() -> None:
    text, warnings = render_file(findings_of_all_cases())
    assert (notes_of(run_of(text)), warnings) == ({}, [])


# -- properties -------------------------------------------------------------------------------------

ROWS = [serialization.sighting_to_wire(each.sighting) for each in findings_of_all_cases()]
TEXTS = st.text(max_size=20) | st.sampled_from(["{0}", "[a](1)", "\udcff", "\x00", "](", "`", "/a b/c.go", "C:\\x"])


def scrambled(row: dict[str, Any], draw: Any) -> dict[str, Any]:
    """A race with other texts in some of its strings."""

    def change(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: change(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [change(inner, key) for inner in value]
        is_free = key in ("function", "file", "path", "package", "test", "title", "actor", "kind", "address", "uri")
        return draw(TEXTS) if is_free and isinstance(value, str) and draw(st.integers(0, 3)) == 0 else value

    return dict(change(row))


@st.composite
def findings(draw: Any) -> RaceFinding:
    row = scrambled(draw(st.sampled_from(ROWS)), draw)
    standing = draw(st.none() | st.sampled_from(list(GateStanding)))
    causes = draw(st.lists(st.builds(Cause, st.sampled_from([*plugins.causes_by_name(), "unknown"]), st.floats(0, 1))))
    sighting = serialization.sighting_from_wire(row)._replace(causes=tuple(causes))
    return RaceFinding(
        sighting, draw(st.integers(1, 9)), tuple(draw(st.lists(TEXTS, max_size=3))), standing, draw(TEXTS)
    )


@given(st.lists(findings(), max_size=4), TEXTS)
@settings(deadline=None, max_examples=60)
def test_any_races_make_a_valid_file(races: list[RaceFinding], key: str) -> None:
    text, _ = render_file(races, (AbsentRace("00", key, AbsenceState.GONE, key),), key=key)
    text.encode()
    run = validate_sarif(text)["runs"][0]
    assert len(run["results"]) == len(races)
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"].strip()
