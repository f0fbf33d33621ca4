"""Metadata of the CI run that wrote a document: from options, paths and environment variables."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

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


# the longest name of a file on usual file systems
_MAX_FOLDER_LENGTH = 255


def run_folders(run: CiRun) -> list[str]:
    """Names of nested folders that tell the run of the documents in them: `repo=acme%2Fshop`, `run=7`."""
    values = {**run._asdict(), "time": run.time.isoformat() if run.time else None}
    folders = [f"{name}={quote(values[name], safe='', errors='surrogatepass')}" for name in RUN_FIELDS if values[name]]
    for folder in folders:
        if len(folder) > _MAX_FOLDER_LENGTH:
            name = folder.partition("=")[0]
            raise DeadheatError("is too long", name, f"give at most {_MAX_FOLDER_LENGTH} characters, escapes included")
    return folders


def run_from_folders(path: str) -> CiRun:
    """Metadata from the names of folders, as `run_folders` makes them; of two with one name the inner one counts."""
    pairs = (folder.partition("=") for folder in path[-_MAX_PATH_LENGTH:].split("/")[:-1] if "=" in folder)
    fields = {name: unquote(value, errors="replace") for name, _, value in pairs if name in RUN_FIELDS and value}
    time = _parse_optional_time(fields.pop("time", ""))
    return CiRun(**fields, time=time)


class _Piece(NamedTuple):
    """A part of a pattern: a text, or a wildcard with the least and the greatest number of its characters."""

    text: str = ""
    field: str = ""
    least: int = 0
    most: int = 0
    crosses_folders: bool = False


# the end of a longer path is matched
_MAX_PATH_LENGTH = 4096
_NOWHERE = 1 << 30


class PathPattern:
    """A pattern such as `{repo}/{branch}/{run}/{job}.log`, matched at the end of a path.

    The time is linear in the length of the path and of the pattern: paths may come from an archive.
    """

    def __init__(self, pattern: str) -> None:
        self._pieces: list[_Piece] = []
        position = 0
        for match in _PATTERN_FIELD.finditer(pattern):
            self._pieces.append(_literal_piece(pattern, position, match.start()))
            self._pieces.append(_wildcard_piece(pattern, *match.groups()))
            position = match.end()
        self._pieces.append(_literal_piece(pattern, position, len(pattern)))
        # without `**`, the last folders of a path suffice
        self._depth = None if "**" in pattern else pattern.count("/") + 2
        fields = [piece.field for piece in self._pieces if piece.field]
        if len({*fields}) < len(fields):
            raise DeadheatError("has a field twice", pattern, "remove one, or use *")

    def matches_path(self, path: str) -> bool:
        return self._match_path(path) is not None

    def _match_path(self, path: str) -> dict[str, str] | None:
        """The fields of a path; the match that begins first, with wildcards as long as possible from left to right."""
        path = path[-_MAX_PATH_LENGTH:]
        if self._depth is not None:
            path = "/".join(path.split("/")[-self._depth :])
        ends = [[position == len(path) for position in range(len(path) + 1)]]  # of each piece, the last one first
        for piece in reversed(self._pieces):
            ends.append(_starts_of(piece, path, ends[-1]))
        starts = (at for at, is_start in enumerate(ends.pop()) if is_start and (at == 0 or path[at - 1] == "/"))
        if (start := next(starts, None)) is None:
            return None
        fields = {}
        for piece in self._pieces:
            is_end, end = ends.pop(), _furthest_end(piece, path, start)
            while not is_end[end]:
                end -= 1
            if piece.field:
                fields[piece.field] = path[start:end]
            start = end
        return fields

    def __call__(self, path: str) -> CiRun:
        fields = self._match_path(path)
        if fields is None:
            return CiRun()
        values: dict[str, str | datetime | None] = {**fields}
        if "time" in fields:
            values["time"] = _parse_optional_time(fields["time"])
        return CiRun(**values)  # type: ignore[arg-type]


def _starts_of(piece: _Piece, path: str, is_end: list[bool]) -> list[bool]:
    """Where a piece may start so that it ends at one of the ends."""
    is_start = [False] * len(is_end)
    if piece.most == 0:
        at = path.find(piece.text)
        while at >= 0:
            is_start[at] = is_end[at + len(piece.text)]
            at = path.find(piece.text, at + 1)
        return is_start
    # the nearest end from each position on, and the nearest slash
    nearest, nearest_end, slash = [_NOWHERE] * piece.least, _NOWHERE, len(path)
    for at in range(len(path), -1, -1):
        if is_end[at]:
            nearest_end = at
        nearest.append(nearest_end)
        if at < len(path) and path[at] == "/":
            slash = at
        end = nearest[-1 - piece.least]  # the first one at least so many characters further
        is_start[at] = end <= at + piece.most and (piece.crosses_folders or end <= slash)
    return is_start


def _furthest_end(piece: _Piece, path: str, start: int) -> int:
    if piece.most == 0:
        return start + len(piece.text)
    slash = -1 if piece.crosses_folders else path.find("/", start)
    return min(start + piece.most, slash if slash >= 0 else len(path))


def _literal_piece(pattern: str, start: int, end: int) -> _Piece:
    if not {"{", "}"}.isdisjoint(pattern[start:end]):
        raise DeadheatError("has a brace that does not enclose a field name", pattern, _FIELD_HELP)
    return _Piece(pattern[start:end])


def _wildcard_piece(pattern: str, field: str | None, double_star: str | None, star: str | None) -> _Piece:
    if double_star or star:
        return _Piece(most=1000, crosses_folders=True) if double_star else _Piece(most=255)
    if field not in RUN_FIELDS:
        raise DeadheatError(f"{{{field}}} is unknown", pattern, _FIELD_HELP)
    return _Piece(field=field or "", least=1, most=255)


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
