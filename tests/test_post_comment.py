"""The comment on a pull request is posted once and then updated; whatever the code host answers, no build fails."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

import deadheat
from deadheat.output.pr_comment import NOTHING_NEW_MARK, comment_marker
from tests.cases import ROOT as CASES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

SCRIPT = Path(__file__).resolve().parent.parent / "integrations" / "post_comment.py"
BOT = "github-actions[bot]"
TEXT = f"{comment_marker('')}\n### 🔴 deadheat: 1 new race\n"
QUIET = f"{comment_marker('')}\n{NOTHING_NEW_MARK}\n### ✅ deadheat: no new race\n"
Capture = pytest.CaptureFixture[str]
GITHUB_PATH = re.compile(r"/api/v3/repos/acme/shop/issues/(?:(?P<number>7)/comments|comments/(?P<comment>\d+))")
GITLAB_PATH = re.compile(r"/api/v4/projects/acme%2Fshop/merge_requests/(?P<number>7)/notes(?:/(?P<comment>\d+))?")


class FakeHost:
    """The API of a code host with the comments of one pull request."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.failures: list[tuple[str, int, dict[str, str], bytes]] = []  # of the next requests with this method
        self.user: str | None = None  # None: the token may not ask
        self.tokens: set[str] = set()
        self.fails_after_writing = False
        self.address = ""

    def add(self, body: str, author: str = BOT, **fields: Any) -> dict[str, Any]:
        user = {"login": author, "username": author}
        comment = {"id": len(self.comments) + 1, "user": user, "author": user, "body": body, **fields}
        self.comments.append(comment)
        return comment

    @property
    def bodies(self) -> list[str]:
        return [comment["body"] for comment in self.comments]

    def answer(self, method: str, url: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(url)
        self.requests.append(f"{method} {parts.path}")
        at = next((i for i, failure in enumerate(self.failures) if failure[0] == method), None)
        failure = self.failures.pop(at) if at is not None else None
        if failure is not None and not self.fails_after_writing:
            return failure[1:]
        response = self._carry_out(method, parts.path, parse_qs(parts.query), body)
        return failure[1:] if failure is not None else response

    def _carry_out(
        self, method: str, path: str, query: dict[str, list[str]], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        if path.endswith("/user"):
            return (
                _json(403, {"message": "Resource not accessible by integration"})
                if self.user is None
                else _json(200, {"login": self.user, "username": self.user})
            )
        match = GITHUB_PATH.fullmatch(path) or GITLAB_PATH.fullmatch(path)
        if match is None:
            return _json(404, {"message": "Not Found"})
        if method == "GET":
            page, size = int(query["page"][0]), int(query["per_page"][0])
            return _json(200, self.comments[(page - 1) * size : page * size])
        text = json.loads(body)["body"]
        if len(text) > 65_536:
            return _json(422, {"message": "Body is too long (maximum is 65536 characters)"})
        if method == "POST" and match["number"]:
            return _json(201, self.add(text, self.user or BOT))
        if method in ("PATCH", "PUT") and match["comment"]:
            comment = self.comments[int(match["comment"]) - 1]
            comment["body"] = text
            return _json(200, comment)
        return _json(405, {})


def _json(status: int, value: Any) -> tuple[int, dict[str, str], bytes]:
    return status, {"content-type": "application/json"}, json.dumps(value).encode()


@contextmanager
def serving(host: FakeHost) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        def _respond(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            host.tokens.add(self.headers.get("authorization") or self.headers.get("private-token") or "")
            status, headers, content = host.answer(self.command, self.path, body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = _respond  # noqa: N815, names of http.server

        def log_message(self, *_: Any) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    host.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def host() -> Iterator[FakeHost]:
    host = FakeHost()
    with serving(host):
        yield host


class Poster:
    """Runs the script in this process, on one of the code hosts."""

    def __init__(self, kind: str, host: FakeHost, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kind, self.folder, self.monkeypatch = kind, folder, monkeypatch
        self.waits: list[float] = []
        self.module = self._load()
        for name in ("GITLAB_CI", "GITHUB_STEP_SUMMARY", *(n for n in os.environ if n.startswith(("CI_", "GITHUB_")))):
            monkeypatch.delenv(name, raising=False)
        self.summary, event = folder / "summary.md", folder / "event.json"
        event.write_text(json.dumps({"pull_request": {"number": 7}}))
        variables = {
            "github": {"GITHUB_API_URL": f"{host.address}/api/v3", "GITHUB_REPOSITORY": "acme/shop",
                       "GITHUB_EVENT_PATH": str(event), "GITHUB_TOKEN": "secret",
                       "GITHUB_STEP_SUMMARY": str(self.summary)},
            "gitlab": {"GITLAB_CI": "true", "CI_API_V4_URL": f"{host.address}/api/v4", "CI_PROJECT_ID": "acme/shop",
                       "CI_MERGE_REQUEST_IID": "7", "DEADHEAT_GITLAB_TOKEN": "secret"},
        }[kind]  # fmt: skip
        if kind == "gitlab":
            host.user = "project_bot"
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    def _load(self) -> ModuleType:
        spec = importlib.util.spec_from_file_location("post_comment", SCRIPT)
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        clock = [0.0]
        start = time.monotonic

        def sleep(seconds: float) -> None:
            self.waits.append(seconds)
            clock[0] += seconds

        # of this module only: other threads of the process sleep, too
        fake_time = SimpleNamespace(sleep=sleep, monotonic=lambda: start() + clock[0], time=time.time)
        self.monkeypatch.setattr(module, "time", fake_time)
        return module

    def post(self, text: str, *options: str) -> int:
        file = self.folder / "comment.md"
        file.write_text(text, encoding="utf-8")
        self.monkeypatch.setattr(sys, "argv", ["post_comment.py", *options, str(file)])
        return int(self.module.main())

    @property
    def author(self) -> str:
        return BOT if self.kind == "github" else "project_bot"


@pytest.fixture(params=["github", "gitlab"])
def poster(request: pytest.FixtureRequest, host: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Poster:
    return Poster(request.param, host, tmp_path, monkeypatch)


@pytest.fixture
def on_github(host: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Poster:
    return Poster("github", host, tmp_path, monkeypatch)


def test_script_and_format_have_the_same_marks(on_github: Poster) -> None:
    assert on_github.module.NOTHING_NEW == NOTHING_NEW_MARK
    for key in ("", "unit tests", "go 1.25 (race), ubuntu:24.04/amd64"):
        assert on_github.module._MARKER.fullmatch(comment_marker(key))


def test_comment_is_posted_once_and_then_updated(poster: Poster, host: FakeHost) -> None:
    assert poster.post(TEXT) == 0
    assert host.bodies == [TEXT]
    newer = TEXT.replace("1 new race", "2 new races")
    assert poster.post(newer) == 0
    assert host.bodies == [newer]
    writes = [request for request in host.requests if not request.startswith("GET")]
    assert poster.post(newer) == 0
    assert [request for request in host.requests if not request.startswith("GET")] == writes, "it was up to date"
    assert all(token in ("Bearer secret", "secret") for token in host.tokens)


def test_earlier_comment_is_found_on_any_page(poster: Poster, host: FakeHost) -> None:
    for number in range(250):
        host.add(f"comment {number}", "somebody")
    host.add(TEXT.replace("1 new race", "9 new races"), poster.author)
    assert poster.post(TEXT) == 0
    assert len(host.comments) == 251
    assert host.bodies[-1] == TEXT
    assert sum(request.startswith("GET") and "user" not in request for request in host.requests) == 3


def test_comments_of_others_are_left_alone(poster: Poster, host: FakeHost) -> None:
    hostile = [f"{comment_marker('')}\nnot yours", f" {comment_marker('')}", f"text\n{comment_marker('')}", "", "\0"]
    for body in hostile:
        host.add(body, "mallory")
    host.add(f"{comment_marker('')} no", poster.author)
    host.add(f"> {comment_marker('')}", poster.author)
    host.add(f"{comment_marker('other job')}\n", poster.author)
    host.comments.append({"id": len(host.comments) + 1, "user": None, "author": None, "body": None})
    before = host.bodies
    assert poster.post(TEXT) == 0
    assert host.bodies == [*before, TEXT]


def test_jobs_with_keys_have_comments_of_their_own(poster: Poster, host: FakeHost) -> None:
    texts = [f"{comment_marker(key)}\ntext {key}\n" for key in ("", "a", "a b")]
    for _ in range(2):
        for text in texts:
            assert poster.post(text) == 0
    assert host.bodies == texts


def test_nothing_is_posted_if_nothing_was_ever_found(poster: Poster, host: FakeHost, capsys: Capture) -> None:
    assert poster.post(QUIET) == 0
    assert host.comments == []
    assert "nothing to post" in capsys.readouterr().err
    poster.post(TEXT)
    assert poster.post(QUIET) == 0
    assert host.bodies == [QUIET], "an earlier comment is updated"


def test_system_notes_of_gitlab_are_skipped(host: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    poster = Poster("gitlab", host, tmp_path, monkeypatch)
    host.add(TEXT, "project_bot", system=True)
    assert poster.post(TEXT.replace("1", "2")) == 0
    assert len(host.comments) == 2


def test_comment_of_the_user_of_a_token_is_updated(on_github: Poster, host: FakeHost) -> None:
    host.user = "octocat"
    host.add(TEXT, BOT)
    own = host.add(TEXT, "octocat")
    newer = TEXT.replace("1", "2")
    assert on_github.post(newer) == 0
    assert [host.bodies[0], own["body"]] == [TEXT, newer]
    assert on_github.post(TEXT, "--author", BOT) == 0
    assert host.bodies == [TEXT, newer]


# -- failures ---------------------------------------------------------------------------------------


def test_without_permission_the_job_summary_has_the_text(on_github: Poster, host: FakeHost, capsys: Capture) -> None:
    host.failures = [("POST", *_json(403, {"message": "Resource not accessible by integration"}))]
    assert on_github.post(TEXT) == 0
    assert on_github.summary.read_text() == f"{TEXT}\n"
    err = capsys.readouterr().err
    assert "no comment: POST" in err
    assert "`pull-requests: write`, which pull requests from forks do not get" in err
    assert (host.comments, on_github.waits) == ([], [])


def test_summary_has_nothing_if_there_is_nothing_new(on_github: Poster, host: FakeHost) -> None:
    host.failures = [("GET", *_json(404, {})) for _ in range(2)]
    assert on_github.post(QUIET) == 0
    assert not on_github.summary.exists()


@pytest.mark.parametrize("status", [500, 502, 503, 504])
@pytest.mark.parametrize("is_written", [False, True], ids=["lost", "carried out"])
def test_gateway_errors_are_tried_again(status: int, is_written: bool, poster: Poster, host: FakeHost) -> None:
    host.failures = [("POST", status, {}, b"<html>"), ("GET", status, {}, b"")]
    host.fails_after_writing = is_written
    assert poster.post(TEXT) == 0
    assert host.bodies == [TEXT], "posted once, even if the failed request was carried out"
    assert poster.waits == [1.0, 2.0]


@pytest.mark.parametrize(
    ("status", "headers", "message", "wait"),
    [
        (429, {"retry-after": "7"}, "", 7.0),
        (403, {"retry-after": "5"}, "You have exceeded a secondary rate limit.", 5.0),
        (403, {}, "You have exceeded a secondary rate limit. Please wait", 60.0),
        (429, {}, "", 60.0),
    ],
)
def test_rate_limits_are_waited_for(
    status: int, headers: dict[str, str], message: str, wait: float, on_github: Poster, host: FakeHost
) -> None:
    host.failures = [("POST", status, headers, json.dumps({"message": message}).encode())]
    assert on_github.post(TEXT) == 0
    assert (host.bodies, on_github.waits) == ([TEXT], [wait])


def test_waiting_is_bounded(on_github: Poster, host: FakeHost, capsys: Capture) -> None:
    host.failures = [("POST", 502, {}, b"")] * 50
    assert on_github.post(TEXT, "--seconds", "30") == 0
    assert sum(on_github.waits) <= 30
    assert "gave up after 30 seconds" in capsys.readouterr().err
    assert on_github.summary.read_text() == f"{TEXT}\n"
    reset = str(int(time.time()) + 3_000)
    host.failures = [("POST", 403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}, b"")]
    before = len(on_github.waits)
    assert on_github.post(TEXT) == 0
    assert len(on_github.waits) == before


def test_body_that_is_too_long_is_reported(on_github: Poster, host: FakeHost, capsys: Capture) -> None:
    assert on_github.post(TEXT + 70_000 * "x") == 0
    assert "Body is too long (maximum is 65536 characters)" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", [b"", b"not json", b"[1, 2]", b'{"message": "x"}', b"[{}]", b"null", b'[{"id": "x"}]', b"\xff\xfe"]
)
def test_answers_of_an_unexpected_form_are_reported(
    content: bytes, poster: Poster, host: FakeHost, capsys: Capture
) -> None:
    poster.post(TEXT, "--author", "me")
    host.failures = [("GET", 200, {}, content)]
    assert poster.post(TEXT.replace("1", "2"), "--author", "me") == 0
    assert "no comment: " in capsys.readouterr().err


def test_text_of_the_network_is_no_workflow_command(on_github: Poster, host: FakeHost, capsys: Capture) -> None:
    host.failures = [("POST", 422, {}, b"\n::error::\x1b[31m pwned\n::add-mask::x")]
    assert on_github.post(TEXT) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert "::" not in line
    assert line.isprintable()


def test_token_is_not_sent_elsewhere(on_github: Poster, host: FakeHost, capsys: Capture) -> None:
    other = FakeHost()
    with serving(other):
        host.failures = [("GET", 302, {"location": f"{other.address}/api/v3/user"}, b"")] * 3
        assert on_github.post(TEXT) == 0
        assert other.requests == []
    on_github.monkeypatch.setenv("GITHUB_API_URL", "http://api.example.com")
    assert on_github.post(TEXT) == 0
    assert "not https, so the token is not sent" in capsys.readouterr().err


def test_host_that_is_not_there_is_reported(on_github: Poster, capsys: Capture) -> None:
    on_github.monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    assert on_github.post(TEXT, "--seconds", "5") == 0
    assert "gave up after 5 seconds" in capsys.readouterr().err


@pytest.mark.parametrize("event", ["{}", "not json", '{"pull_request": null}', '{"issue": {"number": 7}}', "[]"])
def test_job_without_a_pull_request_posts_nothing(
    event: str, on_github: Poster, host: FakeHost, capsys: Capture
) -> None:
    (on_github.folder / "event.json").write_text(event)
    assert on_github.post(TEXT) == 0
    assert "not for a pull request" in capsys.readouterr().err
    assert host.requests == []


@pytest.mark.parametrize(
    "event",
    [{"issue": {"number": 7, "pull_request": {"url": "x"}}}, {"workflow_run": {"pull_requests": [{"number": 7}]}}],
)
def test_pull_request_of_other_events_is_found(event: dict[str, Any], on_github: Poster, host: FakeHost) -> None:
    (on_github.folder / "event.json").write_text(json.dumps(event))
    assert on_github.post(TEXT) == 0
    assert host.bodies == [TEXT]


def test_merge_request_without_a_token_posts_nothing(
    host: FakeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    poster = Poster("gitlab", host, tmp_path, monkeypatch)
    monkeypatch.delenv("DEADHEAT_GITLAB_TOKEN")
    assert poster.post(TEXT) == 0
    assert "DEADHEAT_GITLAB_TOKEN is not set; pipelines of forks do not have it" in capsys.readouterr().err
    monkeypatch.delenv("CI_MERGE_REQUEST_IID")
    assert poster.post(TEXT) == 0
    assert "not for a merge request" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "no marker", "<!-- deadheat pr-comment", "<!-- deadheat pr-comment a\n-->"])
def test_file_that_is_no_comment_is_wrong_usage(text: str, on_github: Poster, host: FakeHost) -> None:
    with pytest.raises(SystemExit) as exit_status:
        on_github.post(text)
    assert exit_status.value.code == 2
    assert host.requests == []


def test_script_runs_on_its_own(on_github: Poster, host: FakeHost, tmp_path: Path) -> None:
    (tmp_path / "c.md").write_text(TEXT)
    done = subprocess.run(
        [sys.executable, "-S", "-E", str(SCRIPT), str(tmp_path / "c.md")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "deadheat: comment posted\n")
    assert host.bodies == [TEXT]


# -- the action -------------------------------------------------------------------------------------


def run_steps(folder: Path, **inputs: str) -> list[int]:
    """The exit status of each step of the action after the installation."""
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((SCRIPT.parents[1] / "action.yml").read_text())
    tools = folder / "deadheat" / "bin"
    tools.mkdir(parents=True, exist_ok=True)
    (tools / "python").unlink(missing_ok=True)
    (tools / "python").symlink_to(sys.executable)
    verify = 'if [ "$1" = verify ]; then echo "### deadheat verify: still races"; exit 1; fi\n'
    (tools / "deadheat").write_text(f'#!/bin/sh\n{verify}exec "{sys.executable}" -m deadheat "$@"\n')
    (tools / "deadheat").chmod(0o755)
    outputs = folder / "outputs"
    outputs.write_text("")
    statuses = []
    for step in action["runs"]["steps"][1:]:
        found = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
        is_run = {
            "races": not inputs.get("verify") or inputs.get("paths"),
            "verify": inputs.get("verify"),
            None: "comment" in found,
        }[step.get("id")]
        assert "if" in step
        if not is_run:
            continue
        values = {f"INPUT_{name.upper()}": value for name, value in inputs.items()}
        environment = {
            **os.environ, **values, "DEADHEAT": str(tools / "deadheat"), "RUNNER_TEMP": str(folder),
            "GITHUB_ACTION_PATH": str(SCRIPT.parents[1]), "GITHUB_OUTPUT": str(outputs),
            "GITHUB_EVENT_NAME": "pull_request", "COMMENT_FILE": found.get("comment", ""),
            "RACES_COMMENT": found.get("comment", ""),
            "PYTHONPATH": str(Path(deadheat.__file__).parents[1]),
        }  # fmt: skip
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder, env=environment, capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        statuses.append(done.returncode)
    return statuses


def test_action_posts_the_comment_and_updates_it(on_github: Poster, host: FakeHost) -> None:
    folder = on_github.folder
    quiet_log = folder / "quiet.log"
    quiet_log.write_text("ok  \texample.com/shop\t0.1s\n")
    inputs = {"baseline": "known.jsonl", "comment": "true"}
    assert run_steps(folder, paths=str(quiet_log), **inputs) == [0, 0]
    assert host.comments == []
    report = CASES / "go" / "two-goroutines.txt"
    assert run_steps(folder, command=f"cat {report}", **inputs) == [1, 0]
    [body] = host.bodies
    assert "### 🔴 deadheat: 1 new race\n" in body
    assert run_steps(folder, command=f"cat {quiet_log}", **inputs) == [0, 0]
    [body] = host.bodies
    assert "### ✅ deadheat: no new race\n" in body
    # a verification alone, and after the races
    assert run_steps(folder, verify="race.log", comment="true") == [1, 0]
    assert host.bodies == ["<!-- deadheat pr-comment -->\n\n### deadheat verify: still races\n"]
    assert run_steps(folder, verify="race.log", paths=str(quiet_log), **inputs) == [0, 1, 0]
    [body] = host.bodies
    assert body.index("no new race") < body.index("still races")
    host.failures = [("GET", *_json(403, {}))] * 5
    assert run_steps(folder, command=f"cat {report}", **inputs) == [1, 0], "a fork"
    assert "1 new race" in on_github.summary.read_text().partition("<!-- deadheat pr-comment -->")[2]
    assert run_steps(folder, command="no-such-command", baseline="", comment="false") == [127]
