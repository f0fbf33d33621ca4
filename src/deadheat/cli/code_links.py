"""Where the links of an output come from: the option `--link-template`, the remote of a checkout, or the CI job."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from deadheat import cli, plugins

if TYPE_CHECKING:
    import argparse

    from deadheat.output import OutputStyle
    from deadheat.output.links import CodeLinks


def add_link_template_option(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--link-template", action="append", default=[], type=cli.validated_type(_check_template), metavar="URL",
        help="html, markdown, pr-comment: address of a file, commit or pull request, such as https://HOST/view/{commit}/{file}#L{line},"
        " or of the repository, such as gitlab=https://HOST/team/shop; may repeat (default: from the git remote)",
    )  # fmt: skip


def _check_template(text: str) -> str:
    from deadheat.output.links import check_template  # not needed by most runs

    return check_template(text)


def links_of_checkout(args: argparse.Namespace, root: str) -> CodeLinks | None:
    """The links of `scan`, `gate` and `run`; None if no format of this run shows links."""
    names = [getattr(args, "format", ""), *(name for name, _ in getattr(args, "write", ()))]
    formats = plugins.output_formats()
    if not any(getattr(formats.get(name), "shows_links", False) for name in names):
        return None
    from deadheat.output.links import links_from_templates

    return links_from_templates(getattr(args, "link_template", ()), _links_of_root(root))


def style_for_clones(args: argparse.Namespace) -> OutputStyle:
    """The style of `explain`, with the links of each clone."""
    from deadheat.output import OutputStyle
    from deadheat.output.links import links_from_remote, links_from_templates
    from deadheat.repo.remote import read_checkout

    checkouts = {path: read_checkout(path) for path in args.repo}
    clone_links = {
        path: links_from_templates(args.link_template, links_from_remote(checkout.remote_url) if checkout else None)
        for path, checkout in checkouts.items()
    }
    return OutputStyle(links=links_from_templates(args.link_template), clone_links=clone_links)


def _links_of_root(root: str) -> CodeLinks | None:
    """The links of the checkout that contains a folder, or of the CI job."""
    from deadheat.output.links import CodeLinks, links_from_remote
    from deadheat.repo.remote import find_checkout

    checkout = find_checkout(root) if root else None
    if checkout is None:
        return _links_of_ci_job()
    links = links_from_remote(checkout.remote_url) or CodeLinks()
    folder = os.path.relpath(root, checkout.folder).replace(os.sep, "/")
    return replace(
        links,
        default_commit=checkout.commit or links.default_commit,
        folder="" if folder == "." else f"{folder}/",
        has_file=cache(lambda file: Path(root, file).is_file()),  # the log may be of another repository
    )


def _links_of_ci_job() -> CodeLinks | None:
    """The links of the repository that a CI job is of, without a checkout."""
    from deadheat.output.links import links_from_remote, links_from_repository

    environment = os.environ
    server, repository = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_REPOSITORY", "")
    commit = environment.get("GITHUB_SHA") or environment.get("CI_COMMIT_SHA") or ""
    if server and repository:
        # Gitea and Forgejo set the variables of GitHub, too
        kind = "gitea" if environment.get("GITEA_ACTIONS") or environment.get("FORGEJO_ACTIONS") else "github"
        address = f"{server}/{repository}"
    else:
        kind, address = "gitlab", environment.get("CI_PROJECT_URL", "")
    links = links_from_remote(address) or links_from_repository(kind, address)
    return replace(links, default_commit=commit or links.default_commit) if links else None
