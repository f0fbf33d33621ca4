"""A known race is gone only if the logs prove that its test ran to its end."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from deadheat import cli
from deadheat.baseline import KnownRace
from deadheat.baseline.test_runs import TestRunWatcher, lacks_race_detector
from deadheat.cli import scan as cli_scan
from deadheat.sources import files
from deadheat.text.window import OpenedDocument
from tests.cases import ROOT

if TYPE_CHECKING:
    from pathlib import Path

Capture = pytest.CaptureFixture[str]
PACKAGE, TEST = "example.com/m/store", "TestTake/x_y#01"
# a race in TestTake, in text and in JSON
TEXT_REPORT = (ROOT / "go" / "subtests.txt").read_bytes()
JSON_REPORT = (ROOT / "go" / "go-test-json.txt").read_bytes()

OK = f"ok  \t{PACKAGE}\t0.012s\n"
FAIL = f"FAIL\t{PACKAGE}\t0.012s\n"
PASSED = f"=== RUN   TestTake\n=== RUN   {TEST}\n    --- PASS: {TEST} (0.00s)\n--- PASS: TestTake (0.00s)\nPASS\n"
OTHER = "=== RUN   TestOther\n--- PASS: TestOther (0.00s)\nPASS\n"
PANIC = "=== RUN   TestOther\n--- FAIL: TestOther (0.00s)\npanic: boom [recovered]\n\ngoroutine 4 [running]:\n"
TIMEOUT = "panic: test timed out after 2s\n\trunning tests:\n\t\tTestSlow (2s)\n\ngoroutine 2 [running]:\n"


def event(action: str, package: str = PACKAGE, **fields: str) -> str:
    record = {"Time": "2026-05-01T12:00:00.123456789Z", "Action": action, "Package": package} | fields
    return json.dumps(record, separators=(",", ":")) + "\n"


def output(text: str, package: str = PACKAGE, **fields: str) -> str:
    return event("output", package, **fields, Output=text)


J_PASSED = event("run", Test=TEST) + output(f"    --- PASS: {TEST} (0.00s)\n", Test=TEST) + event("pass", Test=TEST)
J_OTHER = output("--- PASS: TestOther (0.00s)\n", Test="TestOther") + event("pass", Test="TestOther")
J_FAIL = output(FAIL) + event("fail")


def ended(how: str) -> str:
    return output(f"    --- {how}: {TEST} (0.00s)\n", Test=TEST) + event(how.lower(), Test=TEST)


J_OK = output(OK) + event("pass")

GONE_TEST, GONE_PACKAGE = f"gone: {TEST} passed", f"gone: {PACKAGE} passed"
NO_RESULT = f"not known: no result of {PACKAGE}"
NO_TEST = f"not run: no result of {TEST} in {PACKAGE}"
NOT_BUILT, FAILED = f"not run: {PACKAGE} was not built", f"not run: {PACKAGE} failed"
CACHED, NO_TESTS = f"not run: {PACKAGE} is from the cache", f"not run: {PACKAGE} ran no tests"
SOME = f"not run: perhaps only some tests of {PACKAGE} were run"


def judge(log: str | bytes, known: KnownRace, complete: bool = False, block_size: int = 1 << 20) -> str:
    data = log.encode() if isinstance(log, str) else log
    watcher = TestRunWatcher([known])
    parts = iter([data[at : at + block_size] for at in range(0, len(data), block_size)])
    for document in watcher.watch([OpenedDocument("ci.log", next(parts, b""), lambda _: next(parts, b""))]):
        assert isinstance(document, OpenedDocument)
        while document.read(block_size):
            pass
    watcher.evidence.add_events(watcher.take_events())
    watcher.evidence.finish()
    absence = watcher.evidence.judge_absence(known, complete)
    return f"{absence.state}: {absence.why}"


KNOWN = KnownRace("0123456789", package=PACKAGE, test=TEST)
LOGS: dict[str, tuple[str | bytes, str]] = {
    "verbose": (PASSED + OK, GONE_TEST),
    "plain": (OK, GONE_PACKAGE),
    "plain among others": (f"ok  \t{PACKAGE}/sub\t1s\n{OK}?   \t{PACKAGE}2\t[no test files]\n", GONE_PACKAGE),
    "coverage": (OK.replace("\n", "\tcoverage: 81.2% of statements\n"), GONE_PACKAGE),
    "failed, but the test passed": (PASSED + "--- FAIL: TestOther (0.00s)\nFAIL\n" + FAIL, GONE_TEST),
    "panic after the test": (PASSED + PANIC + FAIL, GONE_TEST),
    "three times": (3 * PASSED + OK, GONE_TEST),
    "timestamps": ("".join(f"2026-05-01T12:00:00.1234567Z {line}\n" for line in (PASSED + OK).splitlines()), GONE_TEST),
    "jenkins": ("".join(f"[2026-05-01T12:00:00.123Z] {line}\n" for line in (PASSED + OK).splitlines()), GONE_TEST),
    "compose": ("".join(f"tests_1  | {line}\n" for line in (PASSED + OK).splitlines()), GONE_TEST),
    "colours": (f"\x1b[32mok  \t{PACKAGE}\t0.01s\x1b[0m\n", GONE_PACKAGE),
    "carriage returns": ((PASSED + OK).replace("\n", "\r\n"), GONE_TEST),
    "tabs as spaces": (OK.expandtabs(), GONE_PACKAGE),
    "no line end": ((PASSED + OK).rstrip("\n"), GONE_TEST),
    "json": (J_PASSED + J_OK, GONE_TEST),
    "json of another order": (
        f'{{"Test":"{TEST}","Action":"output","Output":"--- PASS: {TEST} (0.00s)\\n","Package":"{PACKAGE}"}}\n{J_OK}',
        GONE_TEST,
    ),
    "json of packages in parallel": (
        J_PASSED + event("fail", "example.com/q", Test=TEST) + event("fail", "example.com/q") + J_OK, GONE_TEST,
    ),
    "json, cut after the test": (J_PASSED + event("run", Test="TestOther"), GONE_TEST),
    "json with timestamps": ("".join(f"2026-05-01T12:00:00Z {line}\n" for line in (J_PASSED + J_OK).splitlines()), GONE_TEST),  # noqa: E501
    "byte order mark": (f"\ufeff{OK}", GONE_PACKAGE),
    "buildkite": (f"\x1b_bk;t=1714557600123\x07ok  \t{PACKAGE}\t0.1s\r\n", GONE_PACKAGE),
    "container log": ('{"log":"' + OK.replace("\t", "\\t").strip() + '\\n","stream":"stdout"}\n', GONE_PACKAGE),
    "rerun": (f"    --- FAIL: {TEST} (0.00s)\n{FAIL}{PASSED}{OK}", GONE_TEST),
    "skipped in one job": (f"    --- SKIP: {TEST} (0.00s)\n{OK}{PASSED}{OK}", GONE_TEST),
    "fuzz test": ("fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed\nPASS\n" + OK, GONE_PACKAGE),
    # -- not run
    "build failed": (f"# {PACKAGE}\nx.go:1:1: undefined: y\nFAIL\t{PACKAGE} [build failed]\nFAIL\n", NOT_BUILT),
    "setup failed": (f"FAIL\t{PACKAGE} [setup failed]\n", NOT_BUILT),
    "build failed in one job": (f"{PASSED}{OK}FAIL\t{PACKAGE} [build failed]\n", NOT_BUILT),
    "json, build failed": (event("fail", Elapsed="0", FailedBuild=f"{PACKAGE} [{PACKAGE}.test]"), NOT_BUILT),
    "json, build of go 1.23 failed": (output(f"FAIL\t{PACKAGE} [build failed]\n") + event("fail"), NOT_BUILT),
    "json, only the build": (f'{{"ImportPath":"{PACKAGE} [{PACKAGE}.test]","Action":"build-fail"}}\n', NOT_BUILT),
    "no tests to run": (f"ok  \t{PACKAGE}\t0.01s [no tests to run]\n", NO_TESTS),
    "no tests to run, coverage": (f"ok  \t{PACKAGE}\t0.01s\tcoverage: [no statements] [no tests to run]\n", NO_TESTS),
    "json, no tests to run": (J_OK.replace("0.012s", "0.01s [no tests to run]"), NO_TESTS),
    "no test files": (f"?   \t{PACKAGE}\t[no test files]\n", f"not run: {PACKAGE} has no test files"),
    "json, no test files": (
        output(f"?   \t{PACKAGE}\t[no test files]\n") + event("skip"), f"not run: {PACKAGE} has no test files",
    ),
    "cached": (f"ok  \t{PACKAGE}\t(cached)\n", CACHED),
    "cached, verbose": (f"{PASSED}ok  \t{PACKAGE}\t(cached)\n", CACHED),
    "json, cached": (J_PASSED + output(f"ok  \t{PACKAGE}\t(cached)\n") + event("pass"), CACHED),
    "test that did not run": (OTHER + OK, NO_TEST),
    "json, test that did not run": (J_OTHER + J_OK, NO_TEST),
    "parent that has no such subtest": ("--- PASS: TestTake (0.00s)\nPASS\n" + OK, NO_TEST),
    "subtest with a longer name": (PASSED.replace(TEST, f"{TEST}/deep") + OK, NO_TEST),
    "skipped": (f"    --- SKIP: {TEST} (0.00s)\n        x_test.go:7: no\nPASS\n{OK}", f"not run: {TEST} was skipped"),
    "json, skipped": (ended("SKIP") + J_OK, f"not run: {TEST} was skipped"),
    "failed": (f"    --- FAIL: {TEST} (0.00s)\nFAIL\n{FAIL}", f"not run: {TEST} failed"),
    "json, failed": (ended("FAIL") + J_FAIL, f"not run: {TEST} failed"),
    "panic before the test": (PANIC + FAIL, FAILED),
    "panic before the test, verbose": (OTHER.replace("PASS\n", "") + PANIC + FAIL, FAILED),
    "timeout": (TIMEOUT + FAIL, FAILED),
    "os.Exit": (f"exit status 1\n{FAIL}", FAILED),
    "exit status 66 of TestMain": (f"PASS\nexit status 66\n{FAIL}", FAILED),
    "plain, one job failed": (OK + FAIL, FAILED),
    "failed, plain": (f"--- FAIL: TestOther (0.00s)\nFAIL\n{FAIL}", FAILED),
    "json, cut before the test": (J_OTHER + event("pass", Test="TestThird"), NO_RESULT),
    "json, cut in the package of the test": (J_OTHER + event("run", Test=TEST), NO_RESULT),
    "-run in the log": (f"##[group]Run go test -race -run TestOther ./...\n{OK}", SOME),
    "-skip in the log": (f"+ go test -race -skip=TestTake ./...\n{OK}", SOME),
    "-run in GOFLAGS": (f"export GOFLAGS='-race -run=TestOther'; go test ./...\n{OK}", SOME),
    "-run for gotestsum": (f"+ gotestsum -- -race \\\n -run 'TestOther' ./...\n{OK}", SOME),
    "-list in the log": (f"+ go test -list . ./...\nTestTake\n{OK}", SOME),
    "-run in a long line": (f"+ go test {'./p/x ' * 2000}-run TestOther {'./p/y ' * 2000}\n{OK}", SOME),
    "pattern in a long line": (f"+ go test -run '^({'TestOther|' * 2000}TestX)$' ./...\n{OK}", SOME),
    "benchmarks only": (f"goos: linux\ngoarch: amd64\npkg: {PACKAGE}\nBenchmarkX-8 \t 9 \t 2 ns/op\nPASS\n{OK}", SOME),
    # -- not known
    "empty": ("", NO_RESULT),
    "cut": (PASSED, NO_RESULT),
    "other package": (f"{PASSED}ok  \texample.com/store\t0.1s\n", NO_RESULT),
    "version of the package": (f"{PASSED}ok  \t{PACKAGE}/v2\t0.1s\n", NO_RESULT),
    "test binary without a package": ("=== RUN   TestTake\n" + PASSED, NO_RESULT),
    "bazel": ("//store:store_test                PASSED in 0.4s\nExecuted 1 out of 1 test\n", NO_RESULT),
    "bazel, cached": ("//store:store_test       (cached) PASSED in 0.4s\n", NO_RESULT),
    "gtest": ("[ RUN      ] Store.Take\n[       OK ] Store.Take (0 ms)\n[  PASSED  ] 1 test.\n", NO_RESULT),
    "ctest": ("1/1 Test #1: store ....   Passed    0.00 sec\n100% tests passed, 0 tests failed out of 1\n", NO_RESULT),
    "ginkgo": ("Ran 3 of 3 Specs in 0.001 seconds\nSUCCESS! -- 3 Passed | 0 Failed\nPASS\n", NO_RESULT),
    "cargo": ("test store::take ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored\n", NO_RESULT),
    "helgrind": ("==7== ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 0 from 0)\n", NO_RESULT),
    "quoted by a test": (f'    x_test.go:1: got "ok  \\t{PACKAGE}\\t0.1s", want "ok  \t{PACKAGE}\t0.1s"\n', NO_RESULT),
    "part of another line": (f"book  \t{PACKAGE}\t0.1s\n-ok  \t{PACKAGE}\t0.1s\n", NO_RESULT),
    "utf-16": (OK.encode("utf-16"), NO_RESULT),
    "prose": (f"it should print ok {PACKAGE} 0.1s, or FAIL {PACKAGE}\n", NO_RESULT),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_absence_is_judged_by_the_log(name: str) -> None:
    log, expected = LOGS[name]
    assert judge(log, KNOWN) == expected
    # whatever the blocks in which it is read
    assert judge(log, KNOWN, block_size=7) == expected


UNPROVED = [name for name, (log, expected) in LOGS.items() if isinstance(log, str) and "gone" not in expected]


@pytest.mark.parametrize("name", UNPROVED)
def test_what_is_before_a_log_proves_nothing(name: str) -> None:
    log, expected = LOGS[name]
    assert isinstance(log, str)
    before = f"{OTHER}ok  \texample.com/before\t0.1s\n"
    assert judge(before + log, KNOWN) == expected


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (OK, GONE_PACKAGE),
        (OTHER + OK, GONE_PACKAGE),
        (J_OTHER + J_OK, GONE_PACKAGE),
        (OTHER + FAIL, FAILED),
        (J_OTHER, NO_RESULT),
        (f"go test -run=X ./...\n{OTHER}{OK}", SOME),
    ],
)
def test_race_of_no_known_test_is_judged_by_its_package(log: str, expected: str) -> None:
    assert judge(log, KnownRace("0123456789", package=PACKAGE)) == expected


def test_both_tests_of_a_race_must_have_passed() -> None:
    known = KnownRace("0123456789", package=PACKAGE, test="TestTake", other_test="TestOther")
    assert judge(PASSED + OK, known) == f"not run: no result of TestOther in {PACKAGE}"
    assert judge(PASSED + OTHER + OK, known) == "gone: TestTake and TestOther passed"


def test_package_of_an_old_baseline_is_that_of_its_test_files() -> None:
    old = KnownRace("0123456789", sites=("store.TestTake.func1 store/store_test.go", "store.Take store/store.go"))
    assert judge(OK, old) == "gone: store passed"
    assert judge(OK + f"FAIL\t{PACKAGE.replace('/m/', '/n/')}\t0.1s\n", old) == "not run: store failed"
    unknown = KnownRace("0123456789", sites=("store.(*Store).Take store/store.go", "store.(*Store).Put store/store.go"))
    assert judge(OK, unknown) == "not known: the baseline names no Go package"


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("[  PASSED  ] 1 test.\n", "gone: the run was complete"),
        (OTHER + OK, "gone: the run was complete"),
        (" \n", "not run: the logs are empty"),
        ("FAIL\texample.com/other [build failed]\n", "not run: a package was not built"),
        (f"    --- SKIP: {TEST} (0.00s)\n{OK}", f"not run: {TEST} was skipped"),
        (PANIC + FAIL, FAILED),
        (f"ok  \t{PACKAGE}\t(cached)\n", CACHED),
    ],
)
def test_complete_run_is_assumed_where_the_log_does_not_tell(log: str, expected: str) -> None:
    assert judge(log, KNOWN, complete=True) == expected


@pytest.mark.parametrize("block_size", [1, 7, 4096])
def test_options_are_found_wherever_a_long_line_is_cut(block_size: int) -> None:
    log = f"+ go test {'./p/x ' * 700}-test.run=TestOther {'./p/y ' * 700}\n{OK}"
    assert judge(log, KNOWN, block_size=block_size) == SOME


def test_long_lines_are_ignored_and_not_kept() -> None:
    assert judge(b"x" * 100_000 + f"ok  \t{PACKAGE}\t0.1s\n{OTHER}".encode(), KNOWN, block_size=512) == NO_RESULT
    assert judge(b"x" * 100_000 + f"\n{OK}".encode(), KNOWN, block_size=512) == GONE_PACKAGE


# -- the commands -----------------------------------------------------------------------------------


def gate(folder: Path, *args: str | Path) -> int:
    return cli.main(["gate", "--baseline", str(folder / "races.jsonl"), "--quiet", *map(str, args)])


def gate_json(folder: Path, capsys: Capture, *args: str | Path) -> dict[str, Any]:
    capsys.readouterr()
    assert gate(folder, "--format", "json", *args) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def write_log(folder: Path, text: str | bytes, name: str = "ci.log") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("report", [TEXT_REPORT, JSON_REPORT], ids=["text", "json"])
def test_gate_stores_where_a_race_was_seen_and_prunes_only_what_is_gone(
    tmp_path: Path, capsys: Capture, report: bytes
) -> None:
    assert gate(tmp_path, "--update", write_log(tmp_path, report, "first.log")) == 0
    rows = [json.loads(line) for line in (tmp_path / "races.jsonl").read_text().splitlines()]
    package, test = rows[0]["package"], rows[0]["test"]
    assert test.startswith("TestTake")
    before = (tmp_path / "races.jsonl").read_bytes()
    for text, state in (
        (f"FAIL\t{package} [build failed]\nFAIL\n", "not_run"),
        (f"--- SKIP: {test} (0.00s)\nok  \t{package}\t0.1s\n", "not_run"),
        ("", "not_known"),
        ("Build step failed\n", "not_known"),
        (f"ok  \t{package}\t0.1s\n", "gone"),
    ):
        log = write_log(tmp_path, text)
        result = gate_json(tmp_path, capsys, log)
        assert {name: number for name, number in result["counts"].items() if number} == {state: len(rows)}
        assert [row["race"] for row in result[state]] == [row["race"] for row in rows]
        assert (tmp_path / "races.jsonl").read_bytes() == before
        assert gate(tmp_path, "--update", "--prune", log) == 0
        assert (tmp_path / "races.jsonl").read_bytes() == (b"" if state == "gone" else before)


def test_commit_that_does_not_compile_never_empties_the_baseline(tmp_path: Path) -> None:
    assert gate(tmp_path, "--update", write_log(tmp_path, TEXT_REPORT)) == 0
    before = (tmp_path / "races.jsonl").read_bytes()
    log = write_log(tmp_path, f"# {PACKAGE}\nx.go:1:1: undefined: y\nFAIL\t{PACKAGE} [build failed]\nFAIL\n")
    assert gate(tmp_path, "--update", "--prune", "--complete", log) == 0
    assert (tmp_path / "races.jsonl").read_bytes() == before
    run = ["run", "--gate", "--baseline", str(tmp_path / "races.jsonl"), "--update", "--prune", "--complete", "--quiet"]
    assert (
        cli.main([*run, "--output", str(tmp_path / "out"), "--", "sh", "-c", "echo 'make: *** [all] Error 1'; exit 2"])
        == 2
    )
    assert (tmp_path / "races.jsonl").read_bytes() == before


def test_complete_means_nothing_if_a_log_is_cut(tmp_path: Path) -> None:
    assert gate(tmp_path, "--update", write_log(tmp_path, TEXT_REPORT)) == 0
    before = (tmp_path / "races.jsonl").read_bytes()
    logs = write_log(tmp_path, gzip.compress(b"all is well\n")[:-4], "cut.gz"), write_log(tmp_path, "all is well\n")
    assert gate(tmp_path, "--update", "--prune", "--complete", *logs) == 0
    assert (tmp_path / "races.jsonl").read_bytes() == before
    assert gate(tmp_path, "--update", "--prune", "--complete", logs[1]) == 0
    assert (tmp_path / "races.jsonl").read_bytes() == b""


def test_old_baseline_learns_where_its_races_are_seen(tmp_path: Path) -> None:
    assert gate(tmp_path, "--update", write_log(tmp_path, TEXT_REPORT)) == 0
    file = tmp_path / "races.jsonl"
    new = file.read_text()
    rows = [json.loads(line) for line in new.splitlines()]
    old = [{key: value for key, value in row.items() if key not in ("package", "test", "other_test")} for row in rows]
    file.write_text("".join(json.dumps(row) + "\n" for row in old))
    assert gate(tmp_path, write_log(tmp_path, TEXT_REPORT)) == 0
    assert gate(tmp_path, "--update", write_log(tmp_path, TEXT_REPORT)) == 0
    assert file.read_text() == new


def test_package_is_that_of_the_closing_line_if_no_test_is_in_the_stacks(tmp_path: Path) -> None:
    report = (ROOT / "go" / "two-goroutines.txt").read_bytes()
    before = b"ok  \texample.com/shop/before\t0.1s\n"
    after = b"--- FAIL: TestFlow (0.00s)\n    testing.go:1490: race detected during execution of test\nFAIL\n"
    log = before + report + after + b"FAIL\texample.com/shop/flow\t0.1s\nok  \texample.com/shop/after\t0.1s\n"
    assert gate(tmp_path, "--update", write_log(tmp_path, log)) == 0
    row = json.loads((tmp_path / "races.jsonl").read_text())
    assert (row["package"], row["test"]) == ("example.com/shop/flow", "TestFlow")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_evidence_is_found_in_every_part_of_a_large_file(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    monkeypatch.setattr(files, "LARGE_FILE", 1 << 12)
    monkeypatch.setattr(files, "MIN_RANGE", 1 << 12)
    monkeypatch.setattr(cli_scan, "_MIN_BYTES_TO_FORK", 0)
    tests = [f"Test{number}" for number in range(250)]
    known = [
        {"race": f"{number:02x}" * 8, "package": PACKAGE, "test": test}
        for number, test in enumerate([*tests, "TestNone"])
    ]
    (tmp_path / "races.jsonl").write_text("".join(json.dumps(row) + "\n" for row in known))
    log = write_log(
        tmp_path, "".join(f"=== RUN   {test}\n--- PASS: {test} (0.00s)\n" for test in tests) + "PASS\n" + OK
    )
    result = gate_json(tmp_path, capsys, "--jobs", jobs, log)
    assert (result["counts"]["gone"], result["counts"]["not_run"]) == (250, 1)
    packed = tmp_path / "ci.log.gz"
    packed.write_bytes(gzip.compress(log.read_bytes()))
    assert gate_json(tmp_path, capsys, packed)["counts"]["gone"] == 250


def test_run_that_selects_tests_proves_nothing_for_the_others(tmp_path: Path) -> None:
    (tmp_path / "races.jsonl").write_text(json.dumps({"race": 16 * "0", "package": PACKAGE, "test": TEST}) + "\n")
    out = tmp_path / "out"
    run = ["run", "--gate", "--baseline", str(tmp_path / "races.jsonl"), "--quiet", "--output", str(out), "--"]
    assert cli.main([*run, "printf", "%s", OK]) == 0
    assert "gone" in out.read_text()
    assert cli.main([*run, "printf", "%s", OK, "-run", "TestOther"]) == 0
    assert "not run" in out.read_text()


@pytest.mark.parametrize(
    ("command", "is_lacking"),
    [
        ("go test ./...", True),
        ("/usr/local/go/bin/go test -v ./...", True),
        ("go test -race ./...", False),
        ("go test ./... -race=true", False),
        ("go -C dir vet", False),
        ("make test", False),
    ],
)
def test_go_test_without_the_race_detector_is_known(command: str, is_lacking: bool) -> None:
    assert lacks_race_detector(command.split()) is is_lacking


def test_run_without_the_race_detector_proves_nothing(tmp_path: Path) -> None:
    (tmp_path / "races.jsonl").write_text(json.dumps({"race": 16 * "0", "package": PACKAGE, "test": TEST}) + "\n")
    out = tmp_path / "out"
    run = ["run", "--gate", "--baseline", str(tmp_path / "races.jsonl"), "--quiet", "--output", str(out), "--"]
    assert cli.main([*run, "printf", "%s", OK, "go", "test", "./..."]) == 0
    assert "perhaps gone" in out.read_text()
    assert "the command has no -race" in out.read_text()
