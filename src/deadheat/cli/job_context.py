"""What the formats for code hosts say about the job that writes them: from options and from the CI system."""

from __future__ import annotations

import argparse
import os
import re
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.output import JobContext

if TYPE_CHECKING:
    from collections.abc import Mapping

# characters that can be in an HTML comment, which two hyphens would end
_KEY = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._/:,()]|-(?!-)){0,99}")
_REPOSITORY_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d{1,5})?/[A-Za-z0-9._/~-]+")


def add_key_option(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--key", default="", type=_parse_key, metavar="NAME",
        help="pr-comment, sarif: distinguishes the jobs that report to one pull request",
    )  # fmt: skip


def _parse_key(text: str) -> str:
    if text and not _KEY.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a key: use up to 100 letters, digits, blanks and ._/:,()-, without two hyphens in a row"
        )
    return text


def job_from_options(args: argparse.Namespace) -> JobContext:
    key, baseline = getattr(args, "key", ""), getattr(args, "baseline", None) or ""
    job = (
        JobContext(key, baseline)
        if getattr(args, "quiet", False)
        else JobContext(key, baseline, warn=cli.print_to_stderr)
    )
    return _with_ci_run(job, os.environ)


def _with_ci_run(job: JobContext, environment: Mapping[str, str]) -> JobContext:
    """The job with what the variables of the CI system tell."""
    if "CI" not in environment and "JENKINS_URL" not in environment:
        return job
    from deadheat.sources.ci_metadata import run_from_environment  # not needed elsewhere

    run = run_from_environment(environment)
    # GitHub names an upload by workflow, job and matrix, if the file does not name it
    name = "" if "GITHUB_ACTIONS" in environment else run.job or ""
    return JobContext(
        job.key, job.baseline, _repository_address(environment), run.commit or "", run.branch or "", name,
        run.run or "", job.warn,
    )  # fmt: skip


def _repository_address(environment: Mapping[str, str]) -> str:
    """The address of the repository, if the CI system gives one without a password."""
    server, repository = environment.get("GITHUB_SERVER_URL"), environment.get("GITHUB_REPOSITORY")
    address = f"{server}/{repository}" if server and repository else environment.get("CI_PROJECT_URL", "")
    return address if _REPOSITORY_ADDRESS.fullmatch(address) else ""
