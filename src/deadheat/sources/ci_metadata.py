"""Metadata of the CI run that wrote a document: from options, paths and environment variables."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from deadheat.errors import DeadheatError
from deadheat.model import CiRun

if TYPE_CHECKING:
    from collections.abc import Mapping

RUN_FIELDS = ("repo", "commit", "branch", "job", "run", "time")
# environment variables of each CI system; the first one that is set is used
_CI_VARIABLES = {
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
_PATTERN_FIELD = re.compile(r"\{([a-z_]{1,20})\}|(\*\*)|(\*)")
_FIELD_HELP = f"known fields: {', '.join(f'{{{name}}}' for name in RUN_FIELDS)}; also * and **"


def run_from_environment(environment: Mapping[str, str]) -> CiRun:
    """Metadata from the environment variables of a CI job; empty elsewhere."""
    if not environment.get("CI") and "JENKINS_URL" not in environment:
        return CiRun()
    values = {
        field: next((environment[name] for name in names if environment.get(name)), None)
        for field, names in _CI_VARIABLES.items()
    }
    return CiRun(**values)  # type: ignore[arg-type]


class PathPattern:
    """A pattern such as `{repo}/{branch}/{run}/{job}.log`, matched at the end of a path."""

    def __init__(self, pattern: str) -> None:
        pieces, position = [r"(?:^|/)"], 0
        for match in _PATTERN_FIELD.finditer(pattern):
            pieces.append(_literal_pattern(pattern, position, match.start()))
            pieces.append(_field_pattern(pattern, *match.groups()))
            position = match.end()
        pieces.append(_literal_pattern(pattern, position, len(pattern)))
        try:
            self._pattern = re.compile("".join(pieces) + r"\Z")
        except re.error:
            raise DeadheatError("has a field twice", pattern, "remove one, or use *") from None

    def matches_path(self, path: str) -> bool:
        return self._search_path(path) is not None

    def _search_path(self, path: str) -> re.Match[str] | None:
        return self._pattern.search(path[-4096:])

    def __call__(self, path: str) -> CiRun:
        match = self._search_path(path)
        if match is None:
            return CiRun()
        values: dict[str, str | datetime | None] = {**match.groupdict()}
        if (timestamp := match.groupdict().get("time")) is not None:
            values["time"] = _parse_optional_time(timestamp)
        return CiRun(**values)  # type: ignore[arg-type]


def _literal_pattern(pattern: str, start: int, end: int) -> str:
    if not {"{", "}"}.isdisjoint(pattern[start:end]):
        raise DeadheatError("has a brace that does not enclose a field name", pattern, _FIELD_HELP)
    return re.escape(pattern[start:end])


def _field_pattern(pattern: str, field: str | None, double_star: str | None, star: str | None) -> str:
    if double_star or star:
        return r".{0,1000}" if double_star else r"[^/]{0,255}"
    if field not in RUN_FIELDS:
        raise DeadheatError(f"{{{field}}} is unknown", pattern, _FIELD_HELP)
    return rf"(?P<{field}>[^/]{{1,255}})"


def parse_time(text: str) -> datetime:
    """Parses `2026-05-01T12:00:00Z`, `2026-05-01` or seconds since 1970."""
    timestamp = _parse_optional_time(text)
    if timestamp is None:
        raise DeadheatError("is not a valid time", text, "use the format 2026-05-01T12:00:00Z")
    return timestamp


def _parse_optional_time(text: str) -> datetime | None:
    try:
        if text.isdecimal() and len(text) > 8:
            return datetime.fromtimestamp(int(text), UTC)
        timestamp = datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        return None
    return timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)
