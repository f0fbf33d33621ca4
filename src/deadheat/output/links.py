"""Addresses of commits, files and pull requests on a code host.

They are made from templates: those of a known host, or those that a user gives. Everything that is filled in is
percent-encoded, and only `http` and `https` addresses come out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# placeholders of templates: "{file}"
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_NAMES = ("commit", "file", "line", "pull")
# "github=https://git.example.com/team/shop": a repository on a host whose name does not tell what runs there
_REPOSITORY_OPTION = re.compile(r"([a-z]+)=(https?://.+)")
# the beginning of an address; no placeholder may change the host
_WEB_ADDRESS = re.compile(r"https?://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?(?:/|$)")
# "git@github.com:owner/repo.git", but not "C:\repo"
_SCP_ADDRESS = re.compile(r"(?:[^@/\s]+@)?([A-Za-z0-9][A-Za-z0-9.-]+):(?!//)(.+)")
_HOST_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")
_COMMIT_ID = re.compile(r"[0-9a-f]{4,64}")
_PULL_NUMBER = re.compile(r"[0-9]{1,9}")
# characters of a template that stay as they are
_SAFE_IN_TEMPLATE = "/:?#@!$&()*+,;=%{}~"
_MAX_TEMPLATE_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class CodeHost:
    """How a code host names its pages, below the address of a repository."""

    names: tuple[str, ...]  # labels of host names: "gitlab" in gitlab.gnome.org
    file: str
    line: str
    commit: str
    pull: str
    issue: str
    pull_mark: str = "#"  # what a commit message puts before the number of a pull request
    default_commit: str = "HEAD"  # the newest commit, for files of an unknown version; empty if it has no name
    nested: bool = False  # whether groups may be in groups


_HOSTS = {
    "github": CodeHost(
        ("github",), "/blob/{commit}/{file}", "#L{line}", "/commit/{commit}", "/pull/{pull}", "/issues/{pull}"
    ),
    "gitlab": CodeHost(
        ("gitlab",), "/-/blob/{commit}/{file}", "#L{line}", "/-/commit/{commit}", "/-/merge_requests/{pull}",
        "/-/issues/{pull}", pull_mark="!", nested=True,
    ),
    "gitea": CodeHost(
        ("gitea", "forgejo", "codeberg"), "/src/commit/{commit}/{file}", "#L{line}", "/commit/{commit}",
        "/pulls/{pull}", "/issues/{pull}", default_commit="",
    ),
    "bitbucket": CodeHost(
        ("bitbucket",), "/src/{commit}/{file}", "#lines-{line}", "/commits/{commit}", "/pull-requests/{pull}",
        "/issues/{pull}",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CodeLinks:
    """The addresses of one repository. A method returns an empty text where it has no address."""

    file: str = ""  # template, as the next ones
    line: str = ""  # what follows the address of a file if the line is known
    commit: str = ""
    pull: str = ""
    issue: str = ""
    pull_mark: str = "#"
    default_commit: str = "HEAD"  # for files of an unknown version
    folder: str = ""  # the folder of the repository that files are relative to, with a slash at its end
    has_file: Callable[[str], bool] | None = None  # whether the repository has a file, if that can be known

    def commit_url(self, commit: str) -> str:
        return self._fill(self.commit, commit=commit) if _COMMIT_ID.fullmatch(commit) else ""

    def file_url(self, file: str, line: int | None = None, commit: str = "") -> str:
        """The address of a file or of one of its lines. `file` is relative to the repository, with slashes."""
        commit = commit or self.default_commit
        if not (commit and _is_relative_file(file)) or (self.has_file is not None and not self.has_file(file)):
            return ""
        template = self.file + (self.line if line is not None else "")
        return self._fill(template, file=self.folder + file, line=str(line or 1), commit=commit)

    def pull_url(self, number: int | str) -> str:
        """The address of a pull request; a merge request on GitLab."""
        return self._fill(self.pull, pull=str(number)) if _PULL_NUMBER.fullmatch(str(number)) else ""

    def reference_url(self, mark: str, number: int | str) -> str:
        """The address of `#12` or `!12` in a commit message: a pull request, or an issue where it has its own mark."""
        if mark == self.pull_mark:
            return self.pull_url(number)
        is_issue = mark == "#" and _PULL_NUMBER.fullmatch(str(number))
        return self._fill(self.issue, pull=str(number)) if is_issue else ""

    def _fill(self, template: str, **values: str) -> str:
        encoded = {name: quote(value, safe="/", errors="replace") for name, value in values.items()}
        return _PLACEHOLDER.sub(lambda match: encoded[match[1]], template)


def _is_relative_file(file: str) -> bool:
    """Whether the path stays inside the repository; browsers resolve `..` in an address."""
    return bool(file) and all(part not in ("", ".", "..") for part in file.replace("\\", "/").split("/"))


def links_from_remote(remote_url: str) -> CodeLinks | None:
    """The links for the address of a git remote; None for an unknown host. User names and passwords are dropped."""
    scheme, host, path = _split_remote(remote_url)
    host_kind = _host_kind(host)
    if host_kind is None:
        return None
    return _repository_links(host_kind, f"{scheme}://{host}", path)


def links_from_repository(kind: str, address: str) -> CodeLinks | None:
    """The links for a repository at a web address on a host of a known kind, such as `gitlab`."""
    if not address.startswith(("http://", "https://")) or kind not in _HOSTS:
        return None
    scheme, host, path = _split_remote(address)
    return _repository_links(_HOSTS[kind], f"{scheme}://{host}", path) if host else None


def links_from_templates(templates: Iterable[str], default: CodeLinks | None = None) -> CodeLinks | None:
    """The links that `--link-template` sets, on top of the default ones."""
    links = default
    for template in templates:
        links = _with_template(links or CodeLinks(), template)
    return links


def check_template(text: str) -> str:
    """A value of `--link-template`, if it is valid."""
    _with_template(CodeLinks(), text)
    return text


def _with_template(links: CodeLinks, text: str) -> CodeLinks:
    """The links with one template more: its placeholders tell what it is an address of."""
    if match := _REPOSITORY_OPTION.fullmatch(text):
        repository = links_from_repository(match[1], match[2])
        if repository is None:
            hosts = ", ".join(_HOSTS)
            raise DeadheatError("not the address of a repository", text, f"write HOST=URL with one of {hosts}")
        known_commit = links.default_commit if _COMMIT_ID.fullmatch(links.default_commit) else ""
        default_commit = known_commit or repository.default_commit
        return replace(repository, folder=links.folder, has_file=links.has_file, default_commit=default_commit)
    template = quote(text, safe=_SAFE_IN_TEMPLATE)
    names = set(_PLACEHOLDER.findall(template))
    _reject_bad_template(text, template, names)
    if "file" in names:
        file, mark, fragment = template.partition("#")
        if "{line}" in fragment:
            return replace(links, file=file, line=mark + fragment)
        return replace(links, file=template, line="")
    if "pull" in names:
        return replace(links, pull=template, issue=template)
    return replace(links, commit=template)


def _reject_bad_template(text: str, template: str, names: set[str]) -> None:
    known = ", ".join(f"{{{name}}}" for name in _NAMES)
    if not _WEB_ADDRESS.match(template) or len(template) > _MAX_TEMPLATE_LENGTH:
        raise DeadheatError("not a template of an address", text, "begin with https:// and the name of a host")
    if unknown := sorted(names - {*_NAMES}):
        raise DeadheatError(f"unknown placeholder {{{unknown[0]}}}", text, f"use {known}")
    if not names & {"file", "commit", "pull"}:
        raise DeadheatError("has no placeholder", text, f"use {known}")
    allowed = {"file", "line", "commit"} if "file" in names else {"pull"} if "pull" in names else {"commit"}
    if extra := sorted(names - allowed):
        raise DeadheatError(f"{{{extra[0]}}} needs {{file}}", text, "use one template for each kind of page")


def _split_remote(url: str) -> tuple[str, str, str]:
    """Scheme of the web pages, host with port, and path of a remote; empty if it is not on another machine."""
    if "://" not in url:
        match = _SCP_ADDRESS.fullmatch(url.strip())
        return ("https", match[1].lower(), match[2]) if match and "\\" not in url else ("https", "", "")
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "https", "", ""
    if parts.scheme not in ("http", "https", "ssh", "git", "git+ssh", "ssh+git") or not _HOST_NAME.fullmatch(host):
        return "https", "", ""
    if parts.scheme not in ("http", "https"):
        return "https", host, parts.path  # the port is that of ssh
    return parts.scheme, f"{host}:{port}" if port else host, parts.path


def _host_kind(host: str) -> CodeHost | None:
    """The kind of a host by the labels of its name: `gitlab` in gitlab.gnome.org."""
    labels = host.partition(":")[0].split(".")
    return next((kind for kind in _HOSTS.values() if any(name in labels for name in kind.names)), None)


def _repository_links(host: CodeHost, origin: str, path: str) -> CodeLinks | None:
    parts = path.strip("/").removesuffix(".git").split("/")
    if not _is_relative_file("/".join(parts)) or not 2 <= len(parts) <= (20 if host.nested else 2):
        return None
    base = f"{origin}/{quote('/'.join(parts), safe='/~', errors='replace')}"
    if not _WEB_ADDRESS.match(base):
        return None
    return CodeLinks(
        base + host.file, host.line, base + host.commit, base + host.pull, base + host.issue, host.pull_mark,
        host.default_commit,
    )  # fmt: skip
