"""Integrations for CI systems and shells work, and the commands they show exist."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import deadheat
from deadheat import cli
from tests.cases import ROOT as CASES
from tests.racing_module import LOCKED_CART, RacingModule, cart_test

ROOT = Path(__file__).resolve().parent.parent
SOURCES = Path(deadheat.__file__).parents[1]
REPORT = CASES / "go" / "two-goroutines.txt"
FILES = [
    ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml",
    *sorted(filter(Path.is_file, (ROOT / "integrations").iterdir())), *sorted((ROOT / "docs").rglob("*.md")),
]  # fmt: skip
# "deadheat run --gate …" at the end of a line, continued or not, of YAML, Markdown or shell
COMMAND = re.compile(r"(?:^|[\s/])deadheat ((?:scan|gate|run|explain|completion|verify) (?:[^\n`|>#]|\\\n|\n +--)+)")
Capture = pytest.CaptureFixture[str]


def shown_commands() -> list[tuple[str, str]]:
    return [
        (path.name, re.sub(r"\\?\n +", " ", match[1]).partition("   ")[0].strip())
        for path in FILES
        for match in COMMAND.finditer(re.sub(r"<!--.*?-->", "", path.read_text()))
        if not re.search(r"…|\.\.\. |\.\.\.$|\[-|\{|FILE|PATH|(?<!_)OPTION|(?<!_)COMMAND\b", match[1])
    ]


def test_files_contain_commands() -> None:
    assert {name for name, _ in shown_commands()} >= {"gitlab-ci.yml", ".pre-commit-hooks.yaml", "run.md"}


@pytest.mark.parametrize(("name", "command"), shown_commands())
def test_every_shown_command_parses(name: str, command: str) -> None:
    arguments = shlex.split(command.replace("$(", ""))
    try:
        cli.build_parser(arguments[0]).parse_args(arguments)
    except SystemExit:
        pytest.fail(f"{name} shows: deadheat {command}")


# -- the action -------------------------------------------------------------------------------------


def run_action(folder: Path, **inputs: str) -> tuple[int, str, str, str]:
    """Status, standard output, outputs of the action, and the job summary."""
    program = folder / "deadheat"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m deadheat "$@"\n')
    program.chmod(0o755)
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.touch()
    environment = {
        **os.environ, **{name: str(file) for name, file in files.items()},
        "PYTHONPATH": str(SOURCES), "DEADHEAT": str(program), "RUNNER_TEMP": str(folder),
        **{f"INPUT_{name.upper()}": value for name, value in inputs.items()},
    }  # fmt: skip
    done = subprocess.run(
        [ROOT / "integrations" / "github-action"], cwd=folder, env=environment,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    outputs, summary = (file.read_text() for file in files.values())
    return done.returncode, done.stdout, outputs, summary


def test_action_runs_a_command_and_gates_it(tmp_path: Path) -> None:
    inputs = {"command": f"cat {REPORT}; exit 1", "baseline": "known.jsonl", "sarif": "r.sarif"}
    status, out, outputs, summary = run_action(tmp_path, **inputs)
    assert (status, outputs) == (1, "sarif=r.sarif\n")
    assert out.startswith(REPORT.read_text())
    assert "\n::error file=cart/cart.go,line=31," in out
    assert "1 race, 1 of them new" in summary
    assert json.loads((tmp_path / "r.sarif").read_text())["runs"][0]["results"]
    cli.main(["gate", "--baseline", str(tmp_path / "known.jsonl"), "--update", str(REPORT)])
    status, out, _, _ = run_action(tmp_path, **inputs)
    assert status == 0
    assert "\n::notice file=cart/cart.go,line=31," in out


def test_action_reads_logs(tmp_path: Path) -> None:
    assert run_action(tmp_path, paths=f"{REPORT} {REPORT}", html="r.html")[0] == 1
    assert (tmp_path / "r.html").exists()
    (tmp_path / "calm.log").touch()
    assert run_action(tmp_path, paths="calm.log")[0] == 0


def test_action_writes_a_comment_on_a_pull_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comment = tmp_path / "deadheat-comment.md"
    comment.write_text("of an earlier step")
    inputs = {
        "paths": str(REPORT),
        "sarif": "r.sarif",
        "key": "go 1.25",
        "repo": str(ROOT / "samples"),
        "comment": "true",
    }
    monkeypatch.setenv("GITHUB_EVENT_NAME", "push")
    assert "comment=" not in run_action(tmp_path, **inputs)[2]
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    assert "comment=" not in run_action(tmp_path, **{**inputs, "comment": "false"})[2]
    status, _, outputs, _ = run_action(tmp_path, **inputs)
    assert (status, outputs.splitlines()[-1]) == (1, f"comment={comment}")
    assert comment.read_text().startswith("<!-- deadheat pr-comment go 1.25 -->\n### 🔴 deadheat: 1 new race\n")
    assert json.loads((tmp_path / "r.sarif").read_text())["runs"][0]["automationDetails"]["id"].startswith(
        "deadheat/go 1.25/"
    )
    assert run_action(tmp_path, paths="missing.log", comment="true")[0] == 3
    assert not comment.exists(), "no comment of an earlier step is posted again"


STATEMENT = "### deadheat verify: fixed: at most 9 % of the old rate is left\n\n- The new code showed it in 0 runs.\n"
FAKE_VERIFY = """#!/bin/sh
env > "$RUNNER_TEMP/environment"
printf '%s\\n' "$@" > "$RUNNER_TEMP/arguments"
printf '%s' "$FAKE_STATEMENT"
exit $FAKE_STATUS
"""


def run_verify_step(folder: Path, program: str, **variables: str) -> tuple[int, str, str, str]:
    """Status, standard output, outputs and job summary of the step that verifies a fix."""
    fake = folder / "deadheat"
    fake.write_text(program)
    fake.chmod(0o755)
    files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.write_text("")
    environment = {
        **os.environ, **{name: str(file) for name, file in files.items()}, "PYTHONPATH": str(SOURCES),
        "DEADHEAT": str(fake), "RUNNER_TEMP": str(folder), "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_TOKEN": "secret-token", "GH_TOKEN": "secret-token", "INPUT_COMMENT": "true", **variables,
    }  # fmt: skip
    done = subprocess.run(
        [ROOT / "integrations" / "github-verify"], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=200, check=False,
    )  # fmt: skip
    outputs, summary = (file.read_text() for file in files.values())
    return done.returncode, done.stdout + done.stderr, outputs, summary


@pytest.mark.parametrize(
    ("status", "fails", "expected"),
    [
        (0, "", 0), (1, "", 1), (4, "", 0), (3, "", 3), (2, "never", 2),
        (1, "never", 0), (4, "not-proven", 4), (1, "not-proven", 1), (0, "sometimes", 2),
    ],
)  # fmt: skip
def test_verification_decides_the_status_of_the_step(tmp_path: Path, status: int, fails: str, expected: int) -> None:
    variables = {"INPUT_VERIFY": "race.log", "FAKE_STATUS": str(status), "FAKE_STATEMENT": STATEMENT}
    variables |= {"INPUT_VERIFY_FAILS": fails} if fails else {}
    done, out, outputs, summary = run_verify_step(tmp_path, FAKE_VERIFY, **variables)
    assert done == expected
    if fails == "sometimes" or status in (2, 3):
        assert out.count("::error::") == 1
        assert (outputs, summary) == ("", "")
    else:
        verdict = {0: "fixed", 1: "not-fixed", 4: "not-proven"}[status]
        assert f"verdict={verdict}\n" in outputs
        assert summary == STATEMENT


def test_statement_is_added_to_the_comment_of_the_first_step(tmp_path: Path) -> None:
    comment = tmp_path / "deadheat-comment.md"
    variables = {"INPUT_VERIFY": "race.log", "FAKE_STATUS": "0", "FAKE_STATEMENT": STATEMENT}
    first_step = variables | {"RACES_COMMENT": str(comment)}
    comment.write_text("<!-- deadheat pr-comment go -->\n<!-- deadheat: nothing new -->\nno new race\n")
    assert f"comment={comment}\n" in run_verify_step(tmp_path, FAKE_VERIFY, **first_step)[2]
    assert comment.read_text() == f"<!-- deadheat pr-comment go -->\nno new race\n\n{STATEMENT}"
    comment.write_text(f"<!-- deadheat pr-comment -->\n{'x' * 64_990}\n")
    assert "::notice::" in run_verify_step(tmp_path, FAKE_VERIFY, **first_step)[1]
    assert STATEMENT not in comment.read_text()
    # the file of an earlier use of the action is not posted again
    run_verify_step(tmp_path, FAKE_VERIFY, **variables, INPUT_KEY="go 1.25 <x>")
    assert comment.read_text() == f"<!-- deadheat pr-comment go 1.25  x  -->\n\n{STATEMENT}"
    comment.unlink()
    assert "comment=" not in run_verify_step(tmp_path, FAKE_VERIFY, **variables, GITHUB_EVENT_NAME="push")[2]
    assert not comment.exists()


def test_verification_gets_its_options_and_no_token(tmp_path: Path) -> None:
    variables = {
        "INPUT_VERIFY": "logs/race 1.log", "INPUT_VERIFY_BASE": "abc", "INPUT_VERIFY_LAKE": "s3://lake",
        "INPUT_VERIFY_OPTIONS": "--time 20m --jobs 2", "FAKE_STATUS": "0", "FAKE_STATEMENT": STATEMENT,
    }  # fmt: skip
    run_verify_step(tmp_path, FAKE_VERIFY, **variables)
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert arguments == [
        "verify", "--repo", ".", "--fix", "HEAD", "--format", "markdown", "--at", "abc", "--lake", "s3://lake",
        "--time", "20m", "--jobs", "2", "logs/race 1.log",
    ]  # fmt: skip
    cli.build_parser("verify").parse_args(arguments)
    assert "secret-token" not in (tmp_path / "environment").read_text()


@pytest.mark.soak
def test_fix_of_a_pull_request_is_verified_without_the_token(tmp_path: Path) -> None:
    """The test is skipped if it sees a token, so a leak makes the verdict vacuous."""
    skip = 'for _, each := range os.Environ() { if strings.Contains(each, "secret-token") { t.Skip("leaked") } }'
    test = cart_test(0.9, skip).replace('"math/rand"', '"math/rand"\n\t"os"\n\t"strings"')
    module = RacingModule(tmp_path, 0.9, {"cart/cart_test.go": test})
    module.write_report()
    repository = module.repository
    repository.put("cart: lock", {"cart/cart.go": LOCKED_CART})
    program = f'#!/bin/sh\nexec "{sys.executable}" -m deadheat "$@"\n'
    variables = {**module.environment, "INPUT_VERIFY": "ci.log", "INPUT_REPO": str(repository.path)}
    status, out, outputs, summary = run_verify_step(
        tmp_path, program, **variables, INPUT_VERIFY_OPTIONS="--time 60s", INPUT_VERIFY_FAILS="not-proven"
    )
    assert (status, "verdict=fixed\n" in outputs) == (0, True), out
    assert summary.startswith("### deadheat verify: fixed: at most")
    assert (tmp_path / "deadheat-comment.md").read_text() == f"<!-- deadheat pr-comment -->\n\n{summary}"


def test_inputs_of_the_action_are_documented_and_passed_on() -> None:
    action, page = (ROOT / "action.yml").read_text(), (ROOT / "docs" / "how-to" / "github.md").read_text()
    inputs = re.findall(r"^  ([a-z-]+):\n    description:", action.partition("outputs:")[0], re.MULTILINE)
    assert {"comment", "github-token", "key", "repo"} <= {*inputs}
    assert [name for name in inputs if f"`{name}`" not in page] == []
    assert [name for name in inputs if action.count(f"${{{{ inputs.{name} }}}}") == 0] == []
    assert "github-token" not in action.partition("runs:")[2].partition("- name: comment on the pull request")[0]
    # an input in a script could inject commands
    assert not re.search(r"run: [^\n]*\$\{\{|run: \|\n(?: {8}[^\n]*\n)* {8}[^\n]*\$\{\{", action)


def test_action_without_inputs_fails(tmp_path: Path) -> None:
    status, out, _, _ = run_action(tmp_path)
    assert (status, out.startswith("::error::")) == (2, True)


# -- completion -------------------------------------------------------------------------------------


def bash_completions(line: str, script: str) -> set[str]:
    """The completions of bash at the end of a line."""
    arguments = [*line.split(" ")]
    script_text = (
        f"{script}\nCOMP_WORDS=({' '.join(map(shlex.quote, arguments))})\nCOMP_CWORD={len(arguments) - 1}\n"
        'compopt() { :; }\n_deadheat; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script_text], capture_output=True, text=True, cwd=ROOT, timeout=30, check=True)
    return set(done.stdout.split())


def completion_script(shell: str, capsys: Capture) -> str:
    assert cli.main(["completion", shell]) == 0
    return capsys.readouterr().out


def test_bash_completes_commands_options_formats_and_files(capsys: Capture) -> None:
    script = completion_script("bash", capsys)
    assert {"scan", "gate", "run"} <= bash_completions("deadheat ", script)
    assert bash_completions("deadheat ga", script) == {"gate"}
    assert bash_completions("deadheat gate --pr", script) == {"--prune"}
    assert {"sarif", "html", "junit"} <= bash_completions("deadheat scan --format ", script)
    assert bash_completions("deadheat scan REA", script) == {"README.md"}
    assert "bash" in bash_completions("deadheat run -- bas", script)
    assert bash_completions("deadheat completion z", script) == {"zsh"}
    assert bash_completions("deadheat gate unm", script) == {"unmute"}
    assert bash_completions("deadheat gate REA", script) == {"README.md"}
    assert bash_completions("deadheat config ret", script) == {"retriage"}


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_completion_has_every_option(shell: str, capsys: Capture) -> None:
    script = completion_script(shell, capsys)
    for action in cli.build_parser()._actions:
        for parser in action.choices.values() if isinstance(action.choices, dict) else ():
            for option in parser._actions:
                for flag in option.option_strings:
                    assert not flag.startswith("--") or flag[2:] in script
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=script, text=True, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


# -- help -------------------------------------------------------------------------------------------


def command_parsers() -> dict[str, argparse.ArgumentParser]:
    return {
        name: parser
        for action in cli.build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
        for name, parser in action.choices.items()
    }


@pytest.mark.parametrize("name", sorted(command_parsers()))
def test_every_command_has_examples_and_its_exit_status(name: str) -> None:
    text = command_parsers()[name].format_help()
    assert "examples:" in text
    assert "exit status:" in text


@pytest.mark.parametrize("colourless", [["--no-color"], []], ids=["option", "variable"])
def test_colour_can_be_disabled(
    colourless: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate = ["gate", "--baseline", str(tmp_path / "b"), "--quiet", str(REPORT)]
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli.main(gate) == 1
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    if not colourless:
        monkeypatch.setenv("NO_COLOR", "1")
    assert cli.main([*gate, *colourless]) == 1
    assert "\x1b[" not in capsys.readouterr().out
