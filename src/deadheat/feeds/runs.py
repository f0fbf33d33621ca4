"""Metadata of the CI run that wrote a document: from options, paths and environment variables."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS = ("repo", "commit", "branch", "job", "run", "time")
# environment variables of each CI system; the first one that is set is used
_CI = {
    "repo": ("GITHUB_REPOSITORY", "CI_PROJECT_PATH", "BUILDKITE_REPO", "CIRCLE_PROJECT_REPONAME",
             "BITBUCKET_REPO_FULL_NAME", "BUILD_REPOSITORY_NAME", "GIT_URL"),
    "commit": ("GITHUB_SHA", "CI_COMMIT_SHA", "BUILDKITE_COMMIT", "CIRCLE_SHA1",
               "BITBUCKET_COMMIT", "BUILD_SOURCEVERSION", "GIT_COMMIT"),
    "branch": ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME", "BUILDKITE_BRANCH",
               "CIRCLE_BRANCH", "BITBUCKET_BRANCH", "BUILD_SOURCEBRANCHNAME", "BRANCH_NAME",
               "GIT_BRANCH"),
    "job": ("GITHUB_JOB", "CI_JOB_NAME", "BUILDKITE_LABEL", "CIRCLE_JOB", "AGENT_JOBNAME",
            "JOB_NAME"),
    "run": ("GITHUB_RUN_ID", "CI_PIPELINE_ID", "BUILDKITE_BUILD_ID", "CIRCLE_WORKFLOW_ID",
            "BITBUCKET_BUILD_NUMBER", "BUILD_BUILDID", "BUILD_TAG"),
}  # fmt: skip
# "{repo}", "**", "*" in a pattern
_PIECE = re.compile(r"\{([a-z_]{1,20})\}|(\*\*)|(\*)")
_KNOWN = f"known fields: {', '.join(f'{{{name}}}' for name in FIELDS)}; also * and **"


class Run(NamedTuple):
    """Where and when a document was written, as far as known."""

    repo: str | None = None
    commit: str | None = None
    branch: str | None = None
    job: str | None = None
    run: str | None = None
    time: datetime | None = None

    def over(self, other: Run) -> Run:
        """Returns this with missing fields filled from the other."""
        return self._replace(
            **{k: v for k, v in other._asdict().items() if getattr(self, k) is None}
        )


def from_environment(environment: Mapping[str, str]) -> Run:
    """Metadata from the environment variables of a CI job; empty elsewhere."""
    if not environment.get("CI") and "JENKINS_URL" not in environment:
        return Run()
    told = {
        field: next((environment[name] for name in names if environment.get(name)), None)
        for field, names in _CI.items()
    }
    return Run(**told)  # type: ignore[arg-type]


class PathPattern:
    """A pattern such as `{repo}/{branch}/{run}/{job}.log`, matched at the end of a path."""

    def __init__(self, pattern: str) -> None:
        pieces, at = [r"(?:^|/)"], 0
        for match in _PIECE.finditer(pattern):
            pieces.append(_plain(pattern, at, match.start()))
            pieces.append(_piece(pattern, *match.groups()))
            at = match.end()
        pieces.append(_plain(pattern, at, len(pattern)))
        try:
            self._pattern = re.compile("".join(pieces) + r"\Z")
        except re.error:
            raise DeadheatError("has a field twice", pattern, "remove one, or use *") from None

    def fits(self, path: str) -> bool:
        return self._match(path) is not None

    def _match(self, path: str) -> re.Match[str] | None:
        return self._pattern.search(path[-4096:])

    def __call__(self, path: str) -> Run:
        match = self._match(path)
        if match is None:
            return Run()
        told: dict[str, str | datetime | None] = {**match.groupdict()}
        if (when := match.groupdict().get("time")) is not None:
            told["time"] = _time(when)
        return Run(**told)  # type: ignore[arg-type]


def _plain(pattern: str, start: int, end: int) -> str:
    if not {"{", "}"}.isdisjoint(pattern[start:end]):
        raise DeadheatError("has a brace that does not enclose a field name", pattern, _KNOWN)
    return re.escape(pattern[start:end])


def _piece(pattern: str, field: str | None, deep: str | None, star: str | None) -> str:
    if deep or star:
        return r".{0,1000}" if deep else r"[^/]{0,255}"
    if field not in FIELDS:
        raise DeadheatError(f"{{{field}}} is unknown", pattern, _KNOWN)
    return rf"(?P<{field}>[^/]{{1,255}})"


def moment(text: str) -> datetime:
    """Parses `2026-05-01T12:00:00Z`, `2026-05-01` or seconds since 1970."""
    when = _time(text)
    if when is None:
        raise DeadheatError("is not a valid time", text, "use the format 2026-05-01T12:00:00Z")
    return when


def _time(text: str) -> datetime | None:
    try:
        if text.isdecimal() and len(text) > 8:
            return datetime.fromtimestamp(int(text), UTC)
        when = datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)
