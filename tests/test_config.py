"""`deadheat.toml`: where it is found, what it sets, what it must not set, and how its faults are told."""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from deadheat import cli
from deadheat.cli import configuration, options
from deadheat.repo.clone import Clone
from tests.cases import ROOT
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

REPORT = (ROOT / "go" / "two-goroutines.txt").read_bytes()
TITLE = "read/write race in cart.(*Cart): Total / Add"
RACE = "0356cb9b67f5c07d"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with a home folder beside it, and no variable that is the default of an option."""
    for name in ("DEADHEAT_CONFIG", "GITHUB_WORKSPACE", "CI_PROJECT_DIR", "SPARK_MASTER", "NO_COLOR", "CI"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    work = home / "work"
    work.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(work)
    return work


def write_config(folder: Path, text: str, name: str = "deadheat.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def write_log(folder: Path) -> Path:
    log = folder / "a.log"
    log.write_bytes(REPORT)
    return log


def parse(*arguments: str) -> argparse.Namespace:
    return cli.parse_command_line(list(arguments))


def exit_status(*arguments: str) -> int:
    try:
        return cli.main(list(arguments))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else -1


# -- every option -----------------------------------------------------------------------------------

PARSERS = {name: options.command_parser(cli.build_parser(name), name) for name in cli.command_names()}
OPTIONS = [
    (command, key, action)
    for command, parser in PARSERS.items()
    for key, action in options.settable_options(parser).items()
]
# one of them is accepted by every type
SAMPLES = (
    "3",
    "2026-12-31",
    "90d",
    "16",
    "0.9",
    "bytes=2G",
    "race:Cart",
    "sarif=out.sarif",
    "a=b",
    "{repo}/{run}.log",
    "gitlab=https://x.example/a/b",
    "https://x.example",
    "ops=admin",
    "127.0.0.1:8400",
    "text",
)


def sample_text(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    if action.choices:
        return str(next(iter(action.choices)))
    for sample in SAMPLES:
        try:
            parser._get_value(action, sample)
        except argparse.ArgumentError:
            continue
        return sample
    raise AssertionError(f"no sample for {action.option_strings}")


def other_arguments(parser: argparse.ArgumentParser, without: argparse.Action) -> list[str]:
    """What the parser needs besides an option."""
    words: list[str] = []
    for action in parser._actions:
        if action.required and action is not without:
            value = str(next(iter(action.choices))) if action.choices else "x"
            words += [action.option_strings[0], value] if action.option_strings else [value]
    return words


def plain(value: Any) -> Any:
    """A value that can be compared: objects without equality by what they contain."""
    return getattr(value, "__dict__", None) or value


@pytest.mark.parametrize(("command", "key", "action"), OPTIONS, ids=[f"{c} --{k}" for c, k, _ in OPTIONS])
def test_every_option_of_every_command_can_be_set(
    folder: Path, command: str, key: str, action: argparse.Action
) -> None:
    """The value is the same as from the command line."""
    parser = PARSERS[command]
    is_flag = action.nargs == 0
    text = "true" if is_flag else json.dumps(sample_text(parser, action))
    rest = other_arguments(parser, action)
    given = parse("--no-config", command, f"--{key}", *([] if is_flag else [json.loads(text)]), *rest)
    write_config(folder, f"[{command}]\n{key} = {text}\n", "named.toml")
    read = parse("--config", "named.toml", command, *rest)
    assert plain(getattr(read, action.dest)) == plain(getattr(given, action.dest))
    source = read.option_sources[action.dest]
    assert (source.kind, source.description) == (options.FILE, "named.toml:2")
    assert given.option_sources[action.dest].kind == options.COMMAND_LINE


# their defaults differ, or they name a commit
PER_RACE = {"confidence", "tests-from", "tests-path"}
# what a server may do, or who may use it, is not said for all at once
PER_SERVER = {"allow-host", "allow-run"}


def test_shared_keys_are_the_options_that_commands_have_in_common() -> None:
    """Of the same name, placeholder and kind; `repo` is a clone, `mute` is a table, no limit is right for all."""
    kinds: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for _, key, action in OPTIONS:
        choices = tuple(action.choices) if action.choices else None
        kinds[key].append((type(action), action.metavar, choices))
    common = {key for key, found in kinds.items() if len(found) > 1 and len({*found}) == 1}
    # the folders that `mcp` may read are its own `root`
    shared = (common | {"repo", "root"}) - {"mute", "limit", "build", "race", "yes"} - PER_RACE - PER_SERVER
    assert {*configuration.SHARED_KEYS} == shared


def test_repo_of_the_file_is_a_clone_and_no_filter(folder: Path) -> None:
    write_config(folder, 'repo = ["."]\nlake = "races"\n')
    assert parse("explain", "x").repo == ["."]
    assert parse("races").repo is None
    assert parse("ingest", "x").of_repo is None


@pytest.mark.parametrize("command", ["races", "gate x", "gate list"])
def test_required_option_may_come_from_the_file(folder: Path, command: str) -> None:
    with pytest.raises(SystemExit):
        parse(*command.split())
    write_config(folder, 'lake = "races-lake"\nbaseline = "known.jsonl"\n')
    args = parse(*command.split())
    assert getattr(args, "lake", None) or args.baseline in ("races-lake", "known.jsonl")


def test_table_of_the_command_lake_may_name_the_lake(folder: Path) -> None:
    write_config(folder, '[lake]\nlake = "races-lake"\nkeep-hours = 24\n')
    assert parse("races").lake == "races-lake"
    args = parse("lake", "compact")
    assert (args.lake, args.keep_hours) == ("races-lake", 24)


def test_dates_and_numbers_need_no_quotes(folder: Path) -> None:
    write_config(folder, "[gate]\nexpires = 2026-12-31\nframes = 3\n")
    args = parse("gate", "--baseline", "x", "a.log")
    assert (args.expires, args.frames) == ("2026-12-31", 3)


# -- what counts ------------------------------------------------------------------------------------


def test_command_line_counts_before_environment_before_file_before_default(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert parse("scan", "x").option_sources["root"].kind == options.DEFAULT
    write_config(folder, 'root = "checkout"\n')
    assert parse("scan", "x").root == "checkout"
    monkeypatch.setenv("CI_PROJECT_DIR", "/builds/shop")
    args = parse("scan", "x")
    assert (args.root, args.option_sources["root"].description) == ("/builds/shop", "environment CI_PROJECT_DIR")
    assert parse("scan", "--root", "here", "x").root == "here"


def test_list_on_the_command_line_replaces_that_of_the_file(folder: Path) -> None:
    write_config(folder, '[gate]\nbaseline = "b"\nwrite = ["sarif=a.sarif", "html=a.html"]\n')
    assert parse("gate", "x").write == [("sarif", "a.sarif"), ("html", "a.html")]
    assert parse("gate", "--write", "junit=b.xml", "x").write == [("junit", "b.xml")]


def test_own_table_counts_before_shared_key(folder: Path) -> None:
    write_config(folder, "frames = 2\n[scan]\nframes = 9\n")
    assert (parse("scan", "x").frames, parse("explain", "x").frames) == (9, 2)


def test_flag_that_is_on_in_the_file_can_be_turned_off(folder: Path) -> None:
    write_config(folder, "quiet = true\nno-color = true\n")
    assert parse("scan", "x").quiet is parse("scan", "x").no_color is True
    args = parse("scan", "--no-quiet", "--color", "x")
    assert args.quiet is args.no_color is False
    with pytest.raises(SystemExit):  # there is no such flag without the setting
        parse("--no-config", "scan", "--no-quiet", "x")


def test_option_that_excludes_one_of_the_file_counts_alone(folder: Path) -> None:
    write_config(folder, 'lake = { lake = "races", before = 2026-01-01 }\n')
    args = parse("lake", "forget", "--older-than", "90d")
    assert (args.before, bool(args.older_than)) == (None, True)


def test_settings_for_forget_do_not_disturb_check_and_are_no_condition(folder: Path, capsys: Capture) -> None:
    """Nothing is forgotten because a file says so."""
    write_config(folder, '[lake]\nlake = "races"\nbefore = 2026-01-01\n')
    assert exit_status("lake", "check") == 3
    assert "there is no lake" in capsys.readouterr().err
    assert exit_status("lake", "forget") == 2
    assert "needs at least one of" in capsys.readouterr().err


# -- where it is found ------------------------------------------------------------------------------


def test_nearest_file_above_the_working_folder_counts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    write_config(folder, "frames = 1\n")
    monkeypatch.chdir(inner)
    assert parse("scan", "x").frames == 1
    write_config(folder / "a", "[tool.other]\n[tool.deadheat]\nframes = 2\n", "pyproject.toml")
    assert parse("scan", "x").frames == 2
    write_config(folder / "a", "frames = 3\n")
    assert parse("scan", "x").frames == 3
    write_config(inner, "[tool.other]\nx = 1 # deadheat\n", "pyproject.toml")
    assert parse("scan", "x").frames == 3


def test_file_above_the_home_folder_is_not_read(folder: Path) -> None:
    write_config(folder.parent.parent, "frames = 1\n")
    assert parse("scan", "x").frames == 6
    write_config(folder.parent, "frames = 2\n")
    assert parse("scan", "x").frames == 2


def test_named_file_counts_before_that_of_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, name in enumerate(("one.toml", "two.toml", "deadheat.toml"), 1):
        write_config(folder, f"frames = {number}\n", name)
    assert parse("scan", "x").frames == 3
    monkeypatch.setenv("DEADHEAT_CONFIG", "one.toml")
    assert parse("scan", "x").frames == 1
    assert parse("--config=two.toml", "scan", "x").frames == 2
    assert parse("--no-config", "scan", "x").frames == 6


def test_named_file_that_does_not_exist_is_status_3(folder: Path, capsys: Capture) -> None:
    assert exit_status("--config", "none.toml", "scan", "x") == 3
    err = capsys.readouterr().err
    assert err == "deadheat: none.toml: there is no such configuration file; name a file, or use --no-config\n"


def test_pipe_named_like_a_configuration_is_not_opened(folder: Path) -> None:
    os.mkfifo(folder / "deadheat.toml")
    assert parse("scan", "x").frames == 6


def test_commands_that_find_faults_run_with_a_faulty_file(folder: Path) -> None:
    write_config(folder, "frames = \n")
    assert exit_status("completion", "bash") == 0
    assert exit_status("--version") == 0
    assert exit_status("scan", "--help") in (0, 2)


def test_paths_are_relative_to_the_folder_of_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = folder / "inner"
    inner.mkdir()
    write_config(folder, 'baseline = "known.jsonl"\nrepo = [".", "../other"]\n[gate]\nwrite = ["sarif=out/a.sarif"]\n')
    monkeypatch.chdir(inner)
    args = parse("gate", "x")
    assert (args.baseline, args.write) == (f"{folder}/known.jsonl", [("sarif", f"{folder}/out/a.sarif")])
    assert parse("explain", "x").repo == [str(folder), str(folder.parent / "other")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\n[scan]\nframes = 3", 3),
        ("[scan]\n'frames' = 3", 2),
        ("\nscan.frames = 3", 2),
        ("\n\nscan = { frames = 3 }", 3),
        ("# frames = 1\nframes = 3", 2),
        ("[gate]\nframes = 1\n[scan] # frames = 2\nframes = 3", 4),
    ],
)
def test_place_is_the_line_of_the_key(folder: Path, text: str, line: int) -> None:
    for name, header in (("deadheat.toml", ""), ("pyproject.toml", "[tool.deadheat]\n")):
        text = (
            text
            if not header
            else text.replace("[scan]", "[tool.deadheat.scan]").replace("[gate]", "[tool.deadheat.gate]")
        )
        write_config(folder, header + text, name)
        source = parse("--config", name, "scan", "x").option_sources["frames"]
        assert source.place == f"{name}:{line + bool(header)}"


# -- faults -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jobz = 3", "1: 'jobz' is not a key and is ignored; did you mean 'jobs'?"),
        ("error_stacks = true", "1: 'error_stacks' is not a key and is ignored; did you mean 'error-stacks'?"),
        ("\n[scann]\nx = 1", "2: [scann] is not the name of a command and is ignored; did you mean 'scan'?"),
        ("scan = 1", "1: [scan] must be a table of options and is ignored; did you mean 'scan'?"),
        ("[scan]\n# frames\nframe = 3", "3: 'frame' is not an option of `scan` and is ignored; did you mean 'frames'?"),
        ("[paths]\n'/a' = 3", "2: '/a' is not a path in quotes and is ignored"),
        ("paths = 3", "1: 'paths' must be a table, [paths], and is ignored"),
        ("[owners]\n'*.go' = 3", "2: '*.go' is not a list of owners and is ignored"),
        (
            "[[mute]]\nreason='x'\npattern='race:a'\n[[mute]]\npattern='race:b'",
            "4: [[mute]] has no reason; it is ignored",
        ),
        (
            "[[mute]]\npatern='race:a'",
            "1: [[mute]] has 'patern', which is none of pattern, reason, owner, expires; it is ignored",
        ),
        ("[[mute]]\npattern='race:*'\nreason='x'", "1: [[mute]] 'race:*' would mute everything; it is ignored"),
        (
            "[[mute]]\npattern='race:a'\nreason='x'\nexpires='soon'",
            "1: [[mute]] has the expiry date 'soon', which is not a date such as 2026-12-31; it is ignored",
        ),
    ],
)
def test_what_is_not_known_is_ignored_and_told(folder: Path, capsys: Capture, text: str, expected: str) -> None:
    write_config(folder, text + "\n")
    (folder / "empty.log").touch()
    assert exit_status("scan", "empty.log") == 0
    assert capsys.readouterr().err == f"deadheat: deadheat.toml:{expected}\n"
    assert exit_status("scan", "--quiet", "empty.log") == 0
    assert capsys.readouterr().err == ""
    assert exit_status("config") == 2
    assert capsys.readouterr().err == f"deadheat: deadheat.toml:{expected}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("frames = 0", "deadheat.toml:1: frames: must be 1 or more; correct the line"),
        ("frames = true", "deadheat.toml:1: frames: True is not a text or a number; correct the line"),
        ("quiet = 'yes'", "deadheat.toml:1: quiet: 'yes' is not true or false; correct the line"),
        ("[scan]\nformat = 'pdf'", "deadheat.toml:2: format: invalid choice: 'pdf' (choose from "),
        ("a = [1", "deadheat.toml:2: unclosed array; correct the line, or use --no-config"),
        ("frames = \n", "deadheat.toml:1:10: invalid value; correct the line, or use --no-config"),
        (
            "frames = 1\nframes = 2",
            "deadheat.toml:2:11: cannot overwrite a value; correct the line, or use --no-config",
        ),
        ("a = " + "[" * 5000, "deadheat.toml: is nested too deeply; correct the line, or use --no-config"),
        ("#" * 300_000, "deadheat.toml: is larger than 256 KiB; remove what is not needed"),
    ],
)
def test_wrong_value_ends_the_command_with_status_2(folder: Path, capsys: Capture, text: str, expected: str) -> None:
    write_config(folder, text + "\n")
    for command in (("scan", "a.log"), ("config",)):
        assert exit_status(*command) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"deadheat: {expected}")
        assert err.count("\n") == 1


def test_fault_of_another_tool_in_pyproject_is_not_ours(folder: Path) -> None:
    write_config(folder, "name = \n# deadheat", "pyproject.toml")
    assert parse("scan", "x").frames == 6


@pytest.mark.parametrize("text", ["[lake]\nbefore = 2026-01-01\nolder-than = '90d'"])
def test_options_that_exclude_each_other_are_told(folder: Path, capsys: Capture, text: str) -> None:
    write_config(folder, text + "\n")
    assert exit_status("lake", "check", "--lake", "x") == 2
    assert "'before' and 'older-than' cannot be used together" in capsys.readouterr().err


# -- files of strangers -----------------------------------------------------------------------------

REFUSED = [
    ("gate", "write = ['sarif=/etc/x.sarif']"),
    ("gate", "write = ['sarif=../x.sarif']"),
    ("gate", "write = ['sarif=link/x.sarif']"),
    ("gate", "write = ['text=.git/hooks/post-checkout']"),
    ("gate", "baseline = '~/.bashrc'"),
    ("gate", "update = true"),
    ("gate", "suppressions = ['/etc/passwd']"),
    ("gate", "archive-limits = 'bytes=900T'"),
    ("run", "output = '/tmp/x'"),
    ("ingest", "lake = 's3://bucket/of/somebody'"),
    ("ingest", "lake = '/var/lake'"),
    ("ingest", "master = 'spark://host:7077'"),
    ("ingest", "conf = ['spark.driver.extraJavaOptions=-javaagent:x.jar']"),
    ("ingest", "environment = 'env.tar.gz'"),
    ("ingest", "driver-memory = '4g'"),
]


@pytest.mark.parametrize(("command", "setting"), REFUSED, ids=[setting for _, setting in REFUSED])
def test_found_file_starts_nothing_and_names_no_file_outside_of_its_folder(
    folder: Path, capsys: Capture, command: str, setting: str
) -> None:
    (folder / "link").symlink_to(folder.parent)
    write_config(folder, f"{'' if 'lake' in setting else f'[{command}]'}\n{setting}\n")
    rest = [] if command == "run" else ["a.log"]
    assert exit_status(command, *rest) == 2
    err = capsys.readouterr().err
    assert err.startswith("deadheat: deadheat.toml:2: ")
    assert err.count("\n") == 1
    assert "on the command line, or name the file: --config deadheat.toml" in err
    # the same file is trusted if the user names it
    words = [*rest, *(["--baseline", "b"] if command == "gate" and "baseline" not in setting else [])]
    words += ["--lake", "x"] if command == "ingest" and "lake" not in setting else []
    parse("--config", "deadheat.toml", command, *words)


def test_found_file_may_name_what_is_only_read(folder: Path) -> None:
    write_config(folder, "lake = 's3://bucket/lake'\nrepo = ['/src/grpc-go']\nroot = '/builds/shop'\n")
    assert parse("races").lake == "s3://bucket/lake"
    assert parse("explain", "x").repo == ["/src/grpc-go"]
    assert parse("scan", "x").root == "/builds/shop"
    write_config(folder, "[ingest]\nlake = 'races'\nmaster = 'local[4]'\n")
    assert parse("ingest", "x").master == "local[4]"


# -- paths, owners, mutes ---------------------------------------------------------------------------


def scan_json(capsys: Capture, *arguments: str) -> list[dict[str, Any]]:
    cli.main(["scan", "--format", "jsonl", *arguments])
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_path_map_changes_paths_and_no_identity(folder: Path, capsys: Capture) -> None:
    log = str(write_log(folder))
    [printed] = scan_json(capsys, log)
    write_config(folder, "[paths]\n'/home/ci/src' = 'code/'\n'/home/ci/src/shop' = 'shop'\n")
    [mapped] = scan_json(capsys, log)
    files = [frame["file"] for access in mapped["accesses"] for frame in access["stack"]]
    assert files[0] == "shop/cart/cart.go"
    assert all(file.startswith("shop/") for file in files)
    for field in ("race", "fingerprint", "title", "document", "test"):
        assert mapped[field] == printed[field]
    [other] = scan_json(capsys, "--map", "/home/ci=", log)
    assert other["accesses"][0]["site"]["file"] == "src/shop/cart/cart.go"


@pytest.mark.parametrize("name", ["github", "sarif", "json", "text"])
def test_path_map_counts_for_every_format_of_the_gate_and_not_for_the_baseline(
    folder: Path, capsys: Capture, name: str
) -> None:
    log, map_option = str(write_log(folder)), ("--map", "/home/ci/src/shop=mapped")
    assert exit_status("gate", "--baseline", "b", "--format", name, *map_option, log) == 1
    assert "mapped/cart/cart.go" in capsys.readouterr().out
    assert exit_status("gate", "--baseline", "with", "--update", *map_option, log) == 0
    assert exit_status("gate", "--baseline", "without", "--update", log) == 0
    assert (folder / "with").read_text() == (folder / "without").read_text()


def test_owner_of_the_files_is_that_of_new_entries(folder: Path) -> None:
    log = str(write_log(folder))
    write_config(folder, "[paths]\n'/home/ci/src/shop' = ''\n[owners]\n'*' = ['@all']\n'/cart/' = ['@cart', 'ann']\n")
    assert exit_status("gate", "--baseline", "b", "--update", "--quiet", log) == 0
    assert json.loads((folder / "b").read_text())["owner"] == "@cart ann"
    assert exit_status("gate", "--baseline", "c", "--update", "--owner", "me", "--quiet", log) == 0
    assert json.loads((folder / "c").read_text())["owner"] == "me"


def test_owners_of_the_file_come_first_in_a_dossier(folder: Path, capsys: Capture) -> None:
    log = str(write_log(folder))
    write_config(folder, "[paths]\n'/home/ci/src/shop' = ''\n[owners]\n'/cart/' = ['@cart']\n")
    assert exit_status("explain", "--format", "json", log) == 0
    [dossier] = json.loads(capsys.readouterr().out)
    assert dossier["owners"][0] == {"who": "@cart", "why": "owner of /cart/ in the configuration"}


HUB = "package hub\n\ntype Hub struct {\n\tcount int\n}\n\nfunc (h *Hub) Enter() {\n\th.count++\n}\n"
HUB_LOG = """==================
WARNING: DATA RACE
Write at 0x00c00012e018 by goroutine 7:
  example.com/relay/hub.(*Hub).Enter()
      /sandbox/7/lib.go:8 +0x45

Previous write at 0x00c00012e018 by goroutine 8:
  example.com/relay/hub.(*Hub).Enter()
      /sandbox/7/lib.go:8 +0x45
==================
"""


def test_frames_are_found_in_the_clone_below_the_mapped_folder(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEADHEAT_CACHE", str(folder / "cache"))
    repo = Repository(folder / "relay")
    repo.put("hub: begin", {"go.mod": "module example.com/relay\n", "hub/lib.go": HUB, "pool/lib.go": "package pool\n"})
    (folder / "a.log").write_text(HUB_LOG)
    pins = []
    for settings in ("", "[paths]\n'/sandbox/7' = 'hub'\n"):
        write_config(folder, settings)
        assert exit_status("explain", "--format", "json", "--repo", str(repo.path), "a.log") == 0
        [dossier] = json.loads(capsys.readouterr().out)
        pins.append(dossier["pin"] and dossier["pin"]["frames_fit"])
    assert pins == [None, 1]  # both sides are at one frame


def test_slow_phases_of_a_clone_are_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEADHEAT_CACHE", str(folder / "cache"))
    repo = Repository(folder / "relay")
    for number in range(40):
        repo.put(f"hub: change {number}", {"hub/lib.go": f"{HUB}// {number}\n"})
    for is_cold in (True, False):
        calls: list[tuple[str, int, int | None, str]] = []

        def record(*call: Any, calls: list[tuple[str, int, int | None, str]] = calls) -> None:
            calls.append(call)

        with Clone(str(repo.path), record) as clone:
            clone.messages.position_of_change("7")
        phases = [call[0] for call in calls]
        assert ("reading the history" in phases) is ("reading commit messages" in phases) is is_cold
        if is_cold:
            history = [call for call in calls if call[0] == "reading the history"]
            assert history[-1] == ("reading the history", 40, 40, "commit")
            assert [call[1] for call in history] == sorted(call[1] for call in history)


def test_mute_of_the_file_mutes_and_is_not_written_into_the_baseline(folder: Path, capsys: Capture) -> None:
    log = str(write_log(folder))
    write_config(folder, "[[mute]]\npattern = 'race:cart.(*Cart)'\nreason = 'SHOP-9'\nexpires = 2999-01-01\n")
    assert exit_status("gate", "--baseline", "b", "--format", "jsonl", log) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["standing"], row["note"]) == ("muted", "SHOP-9")
    assert exit_status("gate", "--baseline", "b", "--update", log) == 0
    assert (folder / "b").read_text() == ""
    write_config(folder, "[[mute]]\npattern = 'race:cart.(*Cart)'\nreason = 'SHOP-9'\nexpires = 2020-01-01\n")
    assert exit_status("gate", "--baseline", "b", log) == 1


# -- the command ------------------------------------------------------------------------------------


def settings_json(capsys: Capture, *arguments: str) -> dict[str, tuple[Any, str]]:
    assert exit_status("config", "--format", "json", *arguments) == 0
    rows = json.loads(capsys.readouterr().out)["settings"]
    return {f"{row['command']}.{row['key']}": (row["value"], row["place"] or row["source"]) for row in rows}


def test_config_shows_what_is_set_and_where(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "baseline = 'b.jsonl'\n[paths]\n'/x' = 'y'\n[run]\ngate = true\nwrite = ['html=a.html']\n"
    write_config(folder, f"{text}[owners]\n'*' = ['@a']\n[[mute]]\npattern = 'race:x'\nreason = 'r'\n")
    monkeypatch.setenv("CI_PROJECT_DIR", "/builds")
    settings = settings_json(capsys)
    assert settings["gate.baseline"] == ("b.jsonl", "deadheat.toml:1")
    assert settings["scan.map"] == (["/x=y"], "deadheat.toml:2")
    assert settings["run.gate"] == (True, "deadheat.toml:5")
    assert settings["run.write"] == (["html=a.html"], "deadheat.toml:6")
    assert settings["owners.*"] == (["@a"], "deadheat.toml:8")
    assert settings["mute.race:x"] == ({"reason": "r"}, "deadheat.toml:9")
    assert settings["scan.root"][1] == "CI_PROJECT_DIR"
    assert "scan.frames" not in settings
    given = settings_json(capsys, "gate", "--baseline", "old.jsonl", "--frames", "2")
    assert given["gate.baseline"] == ("old.jsonl", "command line")
    assert not any(key.startswith(("scan.", "run.")) for key in given)


def test_config_all_shows_every_option(folder: Path, capsys: Capture) -> None:
    assert exit_status("config", "--all", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["settings"]
    assert {(row["command"], row["key"]) for row in rows} == {(command, key) for command, key, _ in OPTIONS}
    assert {row["source"] for row in rows} == {"default"}


def test_lines_of_config_can_be_copied_into_the_file(folder: Path, capsys: Capture) -> None:
    import tomllib

    write_config(folder, "baseline = 'b.jsonl'\n[paths]\n'/x' = 'y'\n[owners]\n'*.go' = ['@a']\n[gate]\nprune = true\n")
    assert exit_status("config") == 0
    printed = tomllib.loads(capsys.readouterr().out)
    assert printed["gate"] == {"baseline": "b.jsonl", "map": ["/x=y"], "prune": True}
    assert printed["owners"] == {"*.go": ["@a"]}


def test_config_path(folder: Path, capsys: Capture) -> None:
    assert exit_status("config", "--path") == 3
    assert "there is no configuration file; create deadheat.toml" in capsys.readouterr().err
    path = write_config(folder, "")
    assert exit_status("config", "--path") == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert exit_status("config", "scann") == 2
    assert "did you mean 'scan'?" in capsys.readouterr().err


def test_value_with_control_characters_is_escaped(folder: Path, capsys: Capture) -> None:
    write_config(folder, '[gate]\nowner = "\\u001b[31mred"\n"\\u001b[31mx" = 1\n')
    assert exit_status("config") == 2
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert date.today().isoformat() not in out
