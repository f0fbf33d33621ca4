"""`deadheat gate`: new races fail, known ones do not, and the baseline is a reviewable text file."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deadheat
from deadheat import baseline as baseline_module
from deadheat import cli
from deadheat.baseline import Baseline, KnownRace, Mute
from deadheat.baseline.editing import BaselineText, EntryFields
from deadheat.baseline.judgement import BaselineGate, GateStanding, NewEntryDetails
from deadheat.grouping.fingerprint import FINGERPRINT_VERSION
from deadheat.grouping.race_assignment import group_sightings, with_race
from deadheat.grouping.races import Variant
from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from deadheat.model import Sighting

REPORT = ROOT / "go" / "two-goroutines.txt"
OTHER = ROOT / "go" / "method-value.txt"
TITLE = "read/write race in cart.(*Cart): Total / Add"
RACE = deadheat.scan(REPORT.read_bytes(), diagnose=False)[0].verdict.race
TODAY = "2026-06-01"
EMPTY = Baseline()
Capture = pytest.CaptureFixture[str]


class GateRun:
    """A gate and its judgement of some reports."""

    def __init__(self, text: bytes, baseline: Baseline = EMPTY, today: str = TODAY) -> None:
        sightings, facts, _ = group_sightings(deadheat.scan(text, diagnose=False))
        self.gate = BaselineGate(baseline, facts, today)
        self.races: dict[str, Sighting] = {}
        for sighting in sightings:
            race = self.gate.ids[sighting.verdict.race]
            self.races[race] = with_race(sighting, race)

    @property
    def standings(self) -> list[str]:
        return sorted(self.gate.judge_race(sighting).standing for sighting in self.races.values())

    def update_baseline(self, prune: bool = False, **details: str) -> Baseline:
        entry = NewEntryDetails(TODAY, details.get("reason", ""), details.get("owner", ""), details.get("expires", ""))
        return baseline_module.parse_baseline(
            baseline_module.format_baseline(self.gate.updated_baseline(self.races.values(), entry, prune))
        )


def make_report(first: str, second: str, address: int = 0xC000012345, callers: Sequence[str] = ()) -> bytes:
    """A Go report about two functions, each called by one of `callers`."""
    called = list(callers) or ["main.a", "main.b"]
    stacks = [
        f"  shop.{name}()\n      /src/shop/shop.go:{line} +0x1\n"
        f"  shop.{caller}()\n      /src/shop/call.go:{line} +0x1\n"
        for name, caller, line in zip((first, second), called, (11, 22), strict=True)
    ]
    return (
        "==================\nWARNING: DATA RACE\n"
        f"Read at 0x{address:016x} by goroutine 7:\n{stacks[0]}\n"
        f"Previous write at 0x{address:016x} by goroutine 8:\n{stacks[1]}\n"
        "Goroutine 7 (running) created at:\n  main.main()\n      /src/main.go:5 +0x1\n\n"
        "Goroutine 8 (running) created at:\n  main.main()\n      /src/main.go:6 +0x1\n"
        "==================\n"
    ).encode()


# -- known and new races ----------------------------------------------------------------------------


def test_empty_baseline_makes_every_race_new() -> None:
    assert GateRun(REPORT.read_bytes() + OTHER.read_bytes()).standings == ["new", "new"]


def test_only_races_outside_the_baseline_are_new() -> None:
    known = GateRun(REPORT.read_bytes()).update_baseline()
    both = GateRun(REPORT.read_bytes() + OTHER.read_bytes(), known)
    assert both.standings == ["known", "new"]


def test_moved_lines_and_renumbered_closures_stay_known() -> None:
    known = GateRun(REPORT.read_bytes()).update_baseline()
    text = REPORT.read_bytes()
    for old, new in ((b".go:31", b".go:131"), (b".func1", b".func7"), (b":40 +0x", b":99 +0x")):
        assert old in text or new == b":99 +0x"
        text = text.replace(old, new)
    assert GateRun(text, known).standings == ["known"]


def test_race_is_known_by_its_id_alone() -> None:
    [race] = GateRun(REPORT.read_bytes()).races
    written = baseline_module.parse_baseline(json.dumps({"race": race, "reason": "by hand"}))
    gated = GateRun(REPORT.read_bytes(), written)
    assert gated.standings == ["known"]
    assert list(gated.races) == [race]


def test_two_objects_behind_one_fingerprint_are_distinguished_over_runs() -> None:
    """One run shows that callers matter; the next shows one of the two, and then a third."""
    one = make_report("get", "set", 0xC000010000, ("userA", "userB"))
    two = make_report("get", "set", 0xC000090000, ("orderA", "orderB"))
    third = make_report("get", "set", 0xC000070000, ("cartA", "cartB"))
    first = GateRun(one + two)
    assert first.standings == ["new", "new"]
    known = first.update_baseline()
    assert len(known.known) == 2
    assert GateRun(one, known).standings == ["known"]
    assert GateRun(two, known).standings == ["known"]
    assert GateRun(one + third, known).standings == ["known", "new"]


def test_ids_of_known_races_are_stable() -> None:
    first = GateRun(make_report("get", "set", 0xC000010000, ("userA", "userB")))
    known = first.update_baseline()
    [race] = first.races
    later = GateRun(
        make_report("get", "set", 0xC000090000, ("orderA", "orderB"))
        + make_report("get", "set", 0xC000010000, ("userA", "userB")),
        known,
    )
    assert later.standings == ["known", "new"]
    assert race in later.races


def test_entries_of_one_race_are_merged() -> None:
    reports = [make_report("get", "set", 0xC000010000), make_report("size", "set", 0xC000020000)]
    known = Baseline(tuple(k for text in reports for k in GateRun(text).update_baseline().known))
    assert len(known.known) == 2
    # within one run, one address is one variable
    joined = GateRun(make_report("get", "set", 0xC000010000) + make_report("size", "set", 0xC000010000), known)
    assert joined.standings == ["known"]
    [entry] = joined.update_baseline().known
    assert len(entry.merged) == 1
    assert {entry.race, *entry.merged} == {k.race for k in known.known}
    for text in reports:
        assert GateRun(text, Baseline((entry,))).standings == ["known"]


def test_baseline_keeps_all_grouping_evidence() -> None:
    """What joins reports within a run must also join them over runs."""
    for path in sorted((ROOT / "go").glob("*.txt"))[:60]:
        text = path.read_bytes()
        first = GateRun(text)
        known, facts = baseline_module.known_race_evidence(first.update_baseline().known), first.gate._run_evidence
        assert known.variants == facts.variants
        assert known.encoded_aliases() == {name: texts for name, texts in facts.encoded_aliases().items() if texts}
        assert known.shared_names == facts.shared_names
        assert known.split_by_caller >= facts.split_by_caller & {node.base for node in facts.variants.values()}
        assert {*GateRun(text, first.update_baseline()).standings} <= {"known"}


def test_expired_entry_counts_as_new_from_the_day_after() -> None:
    known = GateRun(REPORT.read_bytes()).update_baseline(expires="2026-06-01", reason="until the release")
    assert GateRun(REPORT.read_bytes(), known, "2026-06-01").standings == ["known"]
    late = GateRun(REPORT.read_bytes(), known, "2026-06-02")
    assert late.standings == ["expired"]
    [sighting] = late.races.values()
    assert late.gate.judge_race(sighting).note == "until 2026-06-01: until the release"
    [renewed] = late.update_baseline(expires="2026-07-01").known
    assert (renewed.expires, renewed.reason) == ("2026-07-01", "until the release")


def test_races_that_are_not_proved_gone_are_listed_and_kept() -> None:
    known = GateRun(REPORT.read_bytes() + OTHER.read_bytes()).update_baseline()
    later = GateRun(OTHER.read_bytes(), known)
    assert [(entry.title, absence.state) for entry, absence in later.gate.absent_races()] == [(TITLE, "not known")]
    assert later.update_baseline() == known
    assert later.update_baseline(prune=True) == known


def test_update_with_the_same_races_changes_nothing() -> None:
    text = REPORT.read_bytes() + OTHER.read_bytes()
    known = GateRun(text).update_baseline(reason="R", owner="O")
    again = GateRun(text, known).update_baseline(reason="another", owner="another")
    assert baseline_module.format_baseline(again) == baseline_module.format_baseline(known)


# -- the file ---------------------------------------------------------------------------------------

TEXT = st.text(max_size=12)
HEX = st.text("0123456789abcdef", min_size=8, max_size=16)
DATES = st.sampled_from(["", "2026-01-31", "2030-12-01"])
VARIANTS = st.builds(Variant, HEX, HEX, st.integers(0, 9), st.sampled_from(["", "50d3d4"]))
KNOWN = st.builds(
    KnownRace, HEX, TEXT, TEXT, TEXT, DATES, DATES, st.tuples(TEXT), st.just(()),
    st.lists(VARIANTS, min_size=1, max_size=3, unique=True).map(lambda n: tuple(sorted(n))),
    st.lists(HEX, max_size=2, unique=True).map(lambda a: tuple(sorted(a))),
)  # fmt: skip
PATTERNS = st.sampled_from(["race:cart.Add", "deadlock:^main$", "id:0123456789"])
MUTES = st.builds(Mute, PATTERNS, TEXT.filter(str.strip), TEXT, DATES)


@settings(deadline=None)
@given(st.lists(KNOWN, max_size=4), st.lists(MUTES, max_size=2))
def test_baseline_round_trip(known: list[KnownRace], muted: list[Mute]) -> None:
    text = baseline_module.format_baseline(Baseline(tuple(known), tuple(muted)))
    again = baseline_module.parse_baseline(text)
    assert sorted(map(repr, again.known)) == sorted(map(repr, known))
    assert sorted(again.mutes) == sorted(muted)
    assert baseline_module.format_baseline(again) == text
    assert text.count("\n") == len(known) + len(muted)


def test_file_is_sorted_by_title() -> None:
    one, other = REPORT.read_bytes(), OTHER.read_bytes()
    texts = {baseline_module.format_baseline(GateRun(text).update_baseline()) for text in (one + other, other + one)}
    assert len(texts) == 1
    titles = [json.loads(line)["title"] for line in texts.pop().splitlines()]
    assert titles == sorted(titles)


VALUES = st.none() | st.integers() | TEXT
OBJECTS = st.dictionaries(st.sampled_from(["race", "mute", "names", "expires"]), VALUES)


@settings(deadline=None)
@given(st.text(max_size=60) | OBJECTS.map(json.dumps))
def test_malformed_line_raises_only_a_line_error(line: str) -> None:
    with suppress(baseline_module.BaselineLineError):
        baseline_module.parse_baseline(f"# a comment\n{line}")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("<<<<<<< HEAD", "is a merge conflict marker"),
        ("{", "is not valid JSON"),
        ("[]", "neither"),
        ('{"race": "xyz"}', "is not a race id"),
        ('{"race": "0123456789abcdef", "expires": "soon"}', "is not a date"),
        ('{"mute": "race:x"}', "has no reason"),
        ('{"mute": "race:*", "reason": "r"}', "would mute everything"),
        ('{"race": "0123456789abcdef", "names": "v2"}', "is not a list"),
    ],
)
def test_bad_line_is_reported_with_its_position(tmp_path: Path, capsys: Capture, line: str, expected: str) -> None:
    (tmp_path / "b").write_text(f"\n{line}\n")
    assert cli.main(["gate", "--baseline", str(tmp_path / "b"), str(REPORT)]) == 3
    error = capsys.readouterr().err
    assert f"{tmp_path / 'b'}:2: " in error
    assert expected in error


# -- mutes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "muted"),
    [
        ("race:Cart", True),
        ("race:cart.(*Cart).Add", True),
        ("race:^cart.(*Cart).Add$", True),
        ("race:^(*Cart).Add$", False),
        ("race:^cart*Add$", True),
        ("race:*cart/cart.go", True),
        ("race:Start*Flow", False),
        ("race:Flow*Start", True),
        ("race_top:cart.(*Cart).Total", True),
        ("race_top:checkout", False),
        ("deadlock:Cart", False),
        (f"id:{RACE[:8]}", True),
        (f"id:{RACE[:7]}x".replace("x", "0" if RACE[7] != "0" else "1"), False),
    ],
)
def test_mute_patterns_match_as_those_of_tsan(pattern: str, muted: bool) -> None:
    baseline = Baseline(mutes=(Mute(pattern, "why"),))
    assert GateRun(REPORT.read_bytes(), baseline).standings == ["muted" if muted else "new"]


@settings(deadline=None)
@given(st.text("ab*", max_size=6), st.booleans(), st.booleans(), st.text("ab", max_size=8))
def test_patterns_match_as_globs(inside: str, begins: bool, ends: bool, text: str) -> None:
    expected = "^" * begins + ".*".join(map(re.escape, inside.split("*"))) + r"\Z" * ends
    pattern = "^" * begins + inside + "$" * ends
    assert baseline_module._pattern_matches(pattern, text) == (re.search(expected, text) is not None)


def test_expired_mute_is_ignored() -> None:
    over = Baseline(mutes=(Mute("race:Cart", "why", expires="2026-05-31"),))
    assert GateRun(REPORT.read_bytes(), over).standings == ["new"]


def test_suppression_file_is_read_with_its_reasons() -> None:
    text = (
        "# third party, see DEP-4\n# and its mail\nrace:^third_party\nmutex:lib\n\nthread:pool\n"
        "called_from_lib:libz.so\nrace:*\nnonsense\n"
    )
    read, faults = baseline_module.parse_suppressions(text)
    assert read == [
        Mute("race:^third_party", "third party, see DEP-4 and its mail"),
        Mute("mutex:lib", "third party, see DEP-4 and its mail"),
        Mute("thread:pool", ""),
    ]
    assert [fault.partition(":")[0] for fault in faults] == ["line 7", "line 8", "line 9"]


# -- the command ------------------------------------------------------------------------------------


def run_gate(folder: Path, *args: str | Path) -> int:
    return cli.main(["gate", "--baseline", str(folder / "races.jsonl"), *map(str, args)])


def test_gate_fails_for_new_races_and_passes_after_an_update(tmp_path: Path, capsys: Capture) -> None:
    assert run_gate(tmp_path, REPORT) == 1
    out, err = capsys.readouterr()
    assert f"1. {TITLE}\n   new  " in out
    assert "does not exist, so every race is new" in err
    assert run_gate(tmp_path, "--update", "--reason", "R-1", "--owner", "@cart", REPORT) == 0
    capsys.readouterr()
    assert run_gate(tmp_path, REPORT) == 0
    assert f"known  {TITLE}" in capsys.readouterr().out
    assert run_gate(tmp_path, REPORT, OTHER) == 1
    out, _ = capsys.readouterr()
    assert f"1. {TITLE}" not in out
    assert out.splitlines()[-1] == "2 races: 1 new, 1 known"
    assert run_gate(tmp_path, OTHER) == 1
    assert f"perhaps gone  {TITLE}" in capsys.readouterr().out
    assert run_gate(tmp_path, "--complete", OTHER) == 1
    assert f"gone   {TITLE}" in capsys.readouterr().out
    assert run_gate(tmp_path, "--update", "--prune", OTHER) == 0
    assert TITLE in (tmp_path / "races.jsonl").read_text()
    assert run_gate(tmp_path, "--update", "--prune", "--complete", OTHER) == 0
    assert TITLE not in (tmp_path / "races.jsonl").read_text()


def test_no_race_and_no_baseline_passes(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("all is well\n")
    assert run_gate(tmp_path, tmp_path / "log") == 0


def test_no_readable_path_is_status_3(tmp_path: Path) -> None:
    assert run_gate(tmp_path, tmp_path / "none") == 3


def test_mutes_and_suppressions_are_kept_by_an_update(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "tsan.supp").write_text("# known to upstream\nrace:Poller\n")
    options = ["--mute", "race:Cart", "--reason", "in review", "--suppressions"]
    assert run_gate(tmp_path, *options, tmp_path / "tsan.supp", "--update", REPORT, OTHER) == 0
    written = [json.loads(line) for line in (tmp_path / "races.jsonl").read_text().splitlines()]
    assert {line["mute"]: line["reason"] for line in written if "mute" in line} == {
        "race:Cart": "in review",
        "race:Poller": "known to upstream",
    }
    capsys.readouterr()
    assert run_gate(tmp_path, "--format", "jsonl", REPORT) == 0
    row: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (row["standing"], row["note"]) == (GateStanding.MUTED, "in review")


@pytest.mark.parametrize(
    "args",
    [
        ["--mute", "race:x"],
        ["--mute", "x", "--reason", "r"],
        ["--prune"],
        ["--expires", "tomorrow"],
        ["--write", "sarif"],
        ["--write", "pdf=x"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_status_2(tmp_path: Path, args: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run_gate(tmp_path, *args, REPORT)
    assert ended.value.code == 2


def test_baseline_that_cannot_be_written_is_status_3(tmp_path: Path, capsys: Capture) -> None:
    base = str(tmp_path / "no" / "races.jsonl")
    assert cli.main(["gate", "--baseline", base, "--update", str(REPORT)]) == 3
    errors = capsys.readouterr().err
    assert "cannot be written" in errors
    assert ", written" not in errors
    assert list(tmp_path.iterdir()) == []


def test_baseline_of_another_version_is_not_used(tmp_path: Path, capsys: Capture) -> None:
    run_gate(tmp_path, "--update", REPORT)
    file = tmp_path / "races.jsonl"
    old = file.read_text().replace(f'"v{FINGERPRINT_VERSION}/', '"v1/')
    file.write_text(old.replace(f'"race": "{RACE}"', '"race": "0123456789abcdef"'))
    capsys.readouterr()
    assert run_gate(tmp_path, REPORT) == 1
    assert "another version" in capsys.readouterr().err


# -- updates of known races -------------------------------------------------------------------------


def read_entries(folder: Path) -> dict[str, dict[str, Any]]:
    """The lines of the baseline by race id or pattern."""
    records = [json.loads(line) for line in (folder / "races.jsonl").read_text().splitlines() if line[:1] == "{"]
    return {record.get("race") or record["mute"]: record for record in records}


def test_update_sets_the_given_fields_of_the_known_races_that_were_found(tmp_path: Path, capsys: Capture) -> None:
    assert run_gate(tmp_path, "--update", "--reason", "R-1", "--owner", "@a", REPORT, OTHER) == 0
    capsys.readouterr()
    assert run_gate(tmp_path, "--update", "--owner", "@b", "--expires", "2999-01-01", REPORT) == 0
    assert "2 lines written; owner, expires of 1 known race set" in capsys.readouterr().err
    entries = read_entries(tmp_path)
    found, absent = entries.pop(RACE), *entries.values()
    assert [found[key] for key in ("reason", "owner", "expires")] == ["R-1", "@b", "2999-01-01"]
    assert [absent[key] for key in ("reason", "owner", "expires")] == ["R-1", "@a", None]
    assert run_gate(tmp_path, "--update", "--expires", "never", REPORT) == 0
    assert read_entries(tmp_path)[RACE]["expires"] is None


def test_fields_of_a_configuration_file_are_for_new_entries_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_gate(tmp_path, "--update", "--owner", "@a", REPORT) == 0
    (tmp_path / "deadheat.toml").write_text('owner = "@file"\nreason = "later"\n')
    assert run_gate(tmp_path, "--update", REPORT, OTHER) == 0
    owners = {race: entry["owner"] for race, entry in read_entries(tmp_path).items()}
    assert sorted(owners.values()) == ["@a", "@file"]
    assert owners[RACE] == "@a"


# -- gate note, mute, unmute, list ------------------------------------------------------------------

COMMENT, BROKEN_OFF = b"# accepted in the review of May\r\n", b'{"race": "0123456789abcdef", "later": [1]}'


def edit(folder: Path, action: str, *args: str) -> int:
    return cli.main(["gate", action, *args, "--baseline", str(folder / "races.jsonl")])


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    """A folder with a baseline of two races, a comment, and a line as another program writes it."""
    run_gate(tmp_path, "--update", "--reason", "R-1", "--quiet", REPORT, OTHER)
    file = tmp_path / "races.jsonl"
    file.write_bytes(COMMENT + file.read_bytes() + BROKEN_OFF)
    return tmp_path


def changed_lines(before: bytes, after: bytes) -> tuple[set[bytes], set[bytes]]:
    return {*before.split(b"\n")} - {*after.split(b"\n")}, {*after.split(b"\n")} - {*before.split(b"\n")}


def test_note_changes_only_the_fields_that_are_given(edited: Path) -> None:
    file = edited / "races.jsonl"
    before, entry = file.read_bytes(), read_entries(edited)[RACE]
    assert edit(edited, "note", RACE[:6], "--owner", "@cart") == 0
    gone, new = changed_lines(before, file.read_bytes())
    assert (len(gone), len(new)) == (1, 1)
    assert read_entries(edited)[RACE] == entry | {"owner": "@cart"}
    assert edit(edited, "note", "012345", "--reason", "") == 0
    # a field that a line does not have is added only if it is given
    assert file.read_bytes().endswith(b'{"race": "0123456789abcdef", "later": [1], "reason": ""}')
    assert file.read_bytes().startswith(COMMENT)


def test_note_finds_a_race_by_an_id_that_was_merged_into_it(tmp_path: Path) -> None:
    (tmp_path / "races.jsonl").write_text('{"race": "aaaaaaaaaaaaaaaa", "merged": ["bbbbbbbbbbbbbbbb"]}\n')
    assert edit(tmp_path, "note", "BBBBBB", "--reason", "x") == 0
    assert read_entries(tmp_path)["aaaaaaaaaaaaaaaa"]["reason"] == "x"


@pytest.mark.parametrize(
    ("action", "name", "expected"),
    [
        ("note", "aaaaaa", "is the beginning of several ids: aaaaaaaa11111111 (first), aaaaaaaa22222222 (second)"),
        ("note", "aaaaaaaa11111112", "has no race aaaaaaaa11111112; close to it: aaaaaaaa11111111 (first)"),
        ("note", "aaaab", "'aaaab' is not a race id of at least 6 hexadecimal digits"),
        ("note", "first", "; races with this title: aaaaaaaa11111111 (first); `deadheat gate list` shows the ids"),
        ("mute", "bbbbbb", "has no race bbbbbb; `deadheat gate list` shows the ids"),
        ("mute", "rce:Foo", "does not begin with one of"),
        ("unmute", "cccccc", "has no mute cccccc; its mutes: race:Old; `deadheat gate list` shows them"),
    ],
)
def test_id_that_names_no_entry_or_several_is_told_with_candidates(
    tmp_path: Path, capsys: Capture, action: str, name: str, expected: str
) -> None:
    lines = ['{"race": "aaaaaaaa11111111", "title": "first"}', '{"race": "aaaaaaaa22222222", "title": "second"}']
    text = "\n".join([*lines, '{"mute": "race:Old", "reason": "x"}', ""])
    (tmp_path / "races.jsonl").write_text(text)
    assert edit(tmp_path, action, name, *(["--reason", "x"] if action != "unmute" else [])) == 3
    err = capsys.readouterr().err
    assert (expected in err, err.count("\n")) == (True, 1)
    assert (tmp_path / "races.jsonl").read_text() == text


def test_muted_race_does_not_fail_until_it_is_unmuted(edited: Path, capsys: Capture) -> None:
    file = edited / "races.jsonl"
    run_gate(edited, "--update", "--prune", "--complete", "--quiet", OTHER)
    before = file.read_bytes()
    assert run_gate(edited, REPORT) == 1
    assert edit(edited, "mute", RACE, "--reason", "only in a test", "--expires", "2999-01-01") == 0
    assert f"id:{RACE}, which is not in the baseline yet: muted" in capsys.readouterr().err
    assert run_gate(edited, REPORT) == 0
    assert "(only in a test)" in capsys.readouterr().out
    assert edit(edited, "unmute", RACE[:8]) == 0
    assert file.read_bytes() == before
    assert run_gate(edited, REPORT) == 1


def test_mute_of_a_pattern_is_added_once(edited: Path) -> None:
    file = edited / "races.jsonl"
    for reason in ("first", "second"):
        assert edit(edited, "mute", "race:Poller", "--reason", reason) == 0
    assert read_entries(edited)["race:Poller"]["reason"] == "second"
    assert file.read_bytes().startswith(COMMENT + b'{"mute": "race:Poller"')
    assert file.read_bytes().endswith(BROKEN_OFF)


def test_mute_creates_a_baseline(tmp_path: Path) -> None:
    assert edit(tmp_path, "mute", "race:Poller", "--reason", "x") == 0
    assert (tmp_path / "races.jsonl").read_text() == (
        '{"mute": "race:Poller", "reason": "x", "owner": "", "expires": null}\n'
    )


@pytest.mark.parametrize("args", [["note", RACE], ["mute", RACE], ["note", RACE, "--expires", "soon"]])
def test_edit_without_what_it_needs_is_status_2(edited: Path, args: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        edit(edited, *args)
    assert ended.value.code == 2


def test_list_shows_every_entry_and_what_has_expired(edited: Path, capsys: Capture) -> None:
    edit(edited, "note", RACE, "--expires", "2020-01-01", "--owner", "@cart", "--quiet")
    edit(edited, "mute", "race:Poller", "--reason", "upstream", "--quiet")
    capsys.readouterr()
    assert edit(edited, "list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "muted    race:Poller  (upstream)"
    assert f"expired  {RACE}  {TITLE}  (R-1, @cart, until 2020-01-01)" in lines
    assert lines[-1] == "3 known races, 1 mute, 1 of them expired"
    assert edit(edited, "list", "--format", "jsonl") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["standing"] for row in rows].count("expired") == 1
    assert edit(edited, "list", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == rows


def test_file_that_is_called_like_an_action_is_read(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list").write_bytes(REPORT.read_bytes())
    assert cli.main(["gate", "./list", "--baseline", "b"]) == 1
    assert cli.main(["gate", "--baseline", "b", "list"]) == 1
    capsys.readouterr()


def test_baseline_behind_a_link_is_edited_and_keeps_its_permissions(edited: Path) -> None:
    file = edited / "races.jsonl"
    real = edited / "real.jsonl"
    file.rename(real)
    real.chmod(0o640)
    file.symlink_to(real)
    assert edit(edited, "note", RACE, "--reason", "x") == 0
    assert file.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in edited.iterdir()) == ["races.jsonl", "real.jsonl"]


EDITED_LINES = (b"", b"# a", b"// b \xff", b'{"race": "0123456789abcdef"}', b'{"race":"ffff0000ffff0000"}\r')


@given(before=st.lists(st.sampled_from(EDITED_LINES)), name=st.sampled_from(["0123456789abcdef", "ffff0000ffff0000"]))
def test_edited_text_differs_only_in_the_lines_that_are_meant(before: list[bytes], name: str) -> None:
    data = b"\n".join(before)
    text = BaselineText(data, "file")
    assert text.to_bytes() == data
    text.set_race_fields(name, EntryFields(reason="x"))
    after = text.to_bytes().split(b"\n")
    pairs = zip(data.split(b"\n"), after, strict=True)
    assert all(old == new for old, new in pairs if name.encode() not in old)
    assert all(b'"reason": "x"' in new for new in after if name.encode() in new)
    muted = BaselineText(data, "file")
    muted.set_mute("race:Foo", EntryFields(reason="x"))
    assert [line for line in muted.to_bytes().split(b"\n") if b"mute" not in line] == data.split(b"\n")
    muted = BaselineText(muted.to_bytes(), "file")
    muted.remove_mute(Mute("race:Foo"))
    assert muted.to_bytes() == data
