#!/usr/bin/env python3
"""Posts a file as a comment on the pull request or merge request of a CI job, or updates the comment of an earlier run.

    post_comment.py FILE

The first line of FILE is a marker; the comment to update begins with the same line and is by the same user. A file
whose second line is NOTHING_NEW only updates an earlier comment. Only Python's standard library is used.

exit status: 0 if the comment was posted or there was nothing to post, and also if it could not be posted: that must not
fail a build, so it is a line on standard error, and the text goes to GITHUB_STEP_SUMMARY; 2 wrong usage
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NOTHING_NEW = "<!-- deadheat: nothing new -->"
_MARKER = re.compile(r"<!-- deadheat pr-comment(?: [^\n<>]{1,200})? -->")
_GITHUB_BOT = "github-actions[bot]"  # the user of the token of a GitHub job, which may not ask who it is
_PAGE_SIZE, _MAX_PAGES = 100, 100
_REQUEST_SECONDS = 30
_MAX_RESPONSE = 1 << 25
_GATEWAY_ERRORS = (500, 502, 503, 504)
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class PostError(Exception):
    """The comment cannot be posted: what happened, and what to do."""


class _RetryError(Exception):
    """A failure that may be over after some seconds."""

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(what)
        self.seconds = seconds


class Comment(NamedTuple):
    """A comment of the pull request."""

    id: int
    author: str
    body: str


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The token must not be sent to another host."""

    def redirect_request(self, *_args: Any, **_options: Any) -> None:
        return None


class ApiClient:
    """Requests to the API of a code host."""

    def __init__(self, base: str, headers: Mapping[str, str], no_access: str) -> None:
        parts = urlsplit(base)
        if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
            raise PostError(f"{base}: the address of the API is not https, so the token is not sent")
        self._base, self._headers, self._no_access = base.rstrip("/"), dict(headers), no_access
        self._opener = urllib.request.build_opener(_NoRedirects)

    def request(self, method: str, path: str, fields: Mapping[str, Any] | None = None) -> Any:
        """The response as a JSON value."""
        data = None if fields is None else json.dumps(fields).encode()
        headers = self._headers | {"User-Agent": "deadheat", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._base}{path}", data, headers, method=method)
        try:
            with self._opener.open(request, timeout=_REQUEST_SECONDS) as response:
                return json.loads(response.read(_MAX_RESPONSE))
        except urllib.error.HTTPError as error:
            self._raise_failure(f"{method} {path}", error)
        except (OSError, HTTPException) as error:  # URLError is one
            raise _RetryError(f"{method} {path}: {getattr(error, 'reason', None) or error}", 0) from error
        except ValueError as error:
            raise PostError(f"{method} {path}: the response is not JSON; check the address of the API") from error

    def _raise_failure(self, what: str, error: urllib.error.HTTPError) -> NoReturn:
        text = error.read(1 << 16).decode("utf-8", "replace")
        what = f"{what}: status {error.code}"
        if error.code in _GATEWAY_ERRORS:
            raise _RetryError(what, 0) from error
        wait = _rate_limit_seconds(error, text)
        if wait is not None:
            raise _RetryError(f"{what}, too many requests", wait) from error
        if error.code in (401, 403, 404):
            raise PostError(f"{what}; {self._no_access}") from error
        raise PostError(f"{what}: {_visible(text[:200])}") from error

    def pages(self, path: str) -> Iterator[Any]:
        """The items of a list, over all its pages."""
        for page in range(1, _MAX_PAGES + 1):
            items = self.request("GET", f"{path}?per_page={_PAGE_SIZE}&page={page}")
            yield from items
            if len(items) < _PAGE_SIZE:
                return


def _rate_limit_seconds(error: urllib.error.HTTPError, text: str) -> float | None:
    """How long to wait before the next request; None if it is not about a rate limit."""
    if error.code not in (403, 429):
        return None
    after, reset = error.headers.get("retry-after", ""), error.headers.get("x-ratelimit-reset", "")
    if after.isdecimal():
        return float(after)
    if error.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset) - time.time())
    # GitHub asks for a minute if it does not say how long
    return 60.0 if error.code == 429 or "secondary rate limit" in text.lower() else None


class GitHub:
    """The comments of a pull request on GitHub."""

    def __init__(self, environment: Mapping[str, str], number: int | None, author: str) -> None:
        repository, token = environment.get("GITHUB_REPOSITORY", ""), environment.get("GITHUB_TOKEN", "")
        if not _REPOSITORY.fullmatch(repository) or not token:
            raise PostError("GITHUB_REPOSITORY or GITHUB_TOKEN is not set; pass the token to this step")
        self._number = number or _pull_request_of_event(environment.get("GITHUB_EVENT_PATH", ""))
        self._api = ApiClient(
            environment.get("GITHUB_API_URL") or "https://api.github.com",
            {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json",
             "X-GitHub-Api-Version": "2022-11-28"},
            "the job needs the permission `pull-requests: write`, which pull requests from forks do not get",
        )  # fmt: skip
        self._comments, self._author = f"/repos/{repository}", author

    def author(self) -> str:
        """The login of the user whose token this is."""
        if self._author:
            return self._author
        try:
            return str(self._api.request("GET", "/user")["login"])
        except PostError:  # the token of an app
            return _GITHUB_BOT

    def comments(self) -> Iterator[Comment]:
        for row in self._api.pages(f"{self._comments}/issues/{self._number}/comments"):
            yield Comment(int(row["id"]), str((row.get("user") or {}).get("login")), str(row.get("body")))

    def create(self, body: str) -> None:
        self._api.request("POST", f"{self._comments}/issues/{self._number}/comments", {"body": body})

    def update(self, comment: int, body: str) -> None:
        self._api.request("PATCH", f"{self._comments}/issues/comments/{comment}", {"body": body})


def _pull_request_of_event(file: str) -> int:
    try:
        event = json.loads(Path(file).read_bytes())
        issue = event.get("issue") or {}
        candidates = [event.get("pull_request"), *(event.get("workflow_run") or {}).get("pull_requests", ())]
        candidates += [issue] if issue.get("pull_request") else []
        return next(int(candidate["number"]) for candidate in candidates if candidate)
    except (OSError, ValueError, AttributeError, KeyError, TypeError, StopIteration):
        raise PostError("this job is not for a pull request") from None


class GitLab:
    """The notes of a merge request on GitLab."""

    def __init__(self, environment: Mapping[str, str], number: int | None, author: str) -> None:
        token, project = environment.get("DEADHEAT_GITLAB_TOKEN", ""), environment.get("CI_PROJECT_ID", "")
        request = str(number or environment.get("CI_MERGE_REQUEST_IID", ""))
        if not request.isdecimal():
            raise PostError("this job is not for a merge request")
        if not token or not project:
            raise PostError("DEADHEAT_GITLAB_TOKEN is not set; pipelines of forks do not have it")
        self._api = ApiClient(
            environment.get("CI_API_V4_URL") or "https://gitlab.com/api/v4",
            {"PRIVATE-TOKEN": token},
            "DEADHEAT_GITLAB_TOKEN needs the scope `api` and the role Reporter or higher",
        )
        self._notes, self._author = f"/projects/{quote(project, safe='')}/merge_requests/{request}/notes", author

    def author(self) -> str:
        return self._author or str(self._api.request("GET", "/user")["username"])

    def comments(self) -> Iterator[Comment]:
        for row in self._api.pages(self._notes):
            if not row.get("system"):
                yield Comment(int(row["id"]), str((row.get("author") or {}).get("username")), str(row.get("body")))

    def create(self, body: str) -> None:
        self._api.request("POST", self._notes, {"body": body})

    def update(self, comment: int, body: str) -> None:
        self._api.request("PUT", f"{self._notes}/{comment}", {"body": body})


def post_comment(host: GitHub | GitLab, body: str, seconds: float) -> str:
    """Updates or posts the comment, again if that fails for a moment; returns what was done."""
    deadline, pause = time.monotonic() + seconds, 1.0
    while True:
        try:
            # asked again at each attempt: a request that failed may have been carried out
            return _update_or_create(host, body)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            what = f"the response is of an unexpected form ({type(error).__name__})"
            raise PostError(f"{what}; check the address of the API") from error
        except _RetryError as error:
            wait = max(pause, error.seconds)
            if time.monotonic() + wait > deadline:
                raise PostError(f"{error}; gave up after {seconds:g} seconds") from error
            _print(f"{error}; again in {wait:g} seconds")
            time.sleep(wait)
            pause *= 2


def _update_or_create(host: GitHub | GitLab, body: str) -> str:
    marker, *lines = body.splitlines()
    author = host.author()
    for comment in host.comments():
        if comment.author == author and comment.body.splitlines()[:1] == [marker]:
            if comment.body.strip().splitlines() == body.strip().splitlines():
                return f"comment {comment.id} is up to date"
            host.update(comment.id, body)
            return f"comment {comment.id} updated"
    if NOTHING_NEW in lines[:1]:
        return "no new race and no earlier comment: nothing to post"
    host.create(body)
    return "comment posted"


def _write_summary(body: str, environment: Mapping[str, str]) -> None:
    """Shows the text in the job instead."""
    file = environment.get("GITHUB_STEP_SUMMARY")
    if file and NOTHING_NEW not in body.splitlines()[1:2]:
        with open(file, "a", encoding="utf-8") as summary:
            summary.write(f"{body}\n")


def _visible(text: str) -> str:
    """Text of the network for a log, in which GitHub runs lines that begin with "::"."""
    return "".join(character if character.isprintable() else "?" for character in text).replace("::", ": :")


def _print(text: str) -> None:
    print(f"deadheat: {_visible(text)}", file=sys.stderr, flush=True)


def main() -> int:
    environment = os.environ
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", metavar="FILE", help="written by deadheat --write pr-comment=FILE")
    parser.add_argument("--number", type=int, help="of the pull request (default: that of the job)")
    parser.add_argument("--author", default="", metavar="LOGIN", help="whose comment is updated (default: the token's)")
    parser.add_argument("--seconds", type=float, default=120, help="for how long to try (default: 120)")
    args = parser.parse_args()
    try:
        body = Path(args.file).read_text(encoding="utf-8")
    except OSError as error:
        parser.error(f"{args.file}: {(error.strerror or str(error)).lower()}")
    if not _MARKER.fullmatch(body.partition("\n")[0]):
        parser.error(f"{args.file}: does not begin with a marker; write it with --write pr-comment=FILE")
    try:
        host_class = GitLab if "GITLAB_CI" in environment else GitHub
        _print(post_comment(host_class(environment, args.number, args.author), body, args.seconds))
    except PostError as error:
        _print(f"no comment: {error}")
        _write_summary(body, environment)
    return 0


if __name__ == "__main__":
    sys.exit(main())
