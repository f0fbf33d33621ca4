"""Finds the repository file that a printed path means: the longest suffix that is unique."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Frame

# "/pkg/mod/google.golang.org/grpc@v1.39.0/internal/x.go", "/nfs/mod/github.com/x/errors@v0.11.5/…";
# with -trimpath "google.golang.org/grpc@v1.39.0/internal/x.go". A module that go.mod replaces by a
# folder, usually of the repository itself, has version v0.0.0-00010101000000-000000000000.
_MODULE_CACHE = re.compile(
    r"(?:(?:^|/)mod/|^(?=[\w-]{1,80}\.[\w.-]{1,80}/))([^@]{1,300})@(?!v0\.0\.0-00010101000000-0)"
    r"(v[^/]{1,100})/"
)
# "external/com_github_pingcap_errors/stack.go": Bazel's name for another repository
_EXTERNAL = re.compile(r"(?:^|/)external/([^/]{1,200})/")
# "v0.0.0-20210903195433-0a6d2a3c1f2b": a pseudo-version ends in the commit
_PSEUDO = re.compile(r"\d{14}-([0-9a-f]{12})(?:\+incompatible)?$")
_VENDOR = re.compile(r"(?:^|/)vendor/(?:src/)?")
_MAJOR = re.compile(r"/v\d{1,3}(?=/|$)")
_ESCAPED = re.compile(r"!([a-z])")


class Module(NamedTuple):
    """A dependency, its version if the path contains it, and whether it is vendored."""

    path: str
    version: str | None
    vendored: bool


def module(frame: Frame) -> Module | None:
    """The dependency that a frame belongs to, according to its path."""
    path = frame.path or frame.file
    if told := _MODULE_CACHE.search(path):
        # the module cache writes "!azure" for "Azure"
        return Module(_ESCAPED.sub(lambda m: m[1].upper(), told[1]), told[2], False)
    if told := _EXTERNAL.search(path):
        return Module(_bazel(frame.package, told[1]), None, False)
    if "/vendor/" in frame.package:
        home, _, package = frame.package.rpartition("/vendor/")
        root = _root(package)
        # etcd once vendored itself: "github.com/coreos/etcd/cmd/vendor/github.com/coreos/etcd/raft"
        return None if f"{home}/".startswith(f"{root}/") else Module(root, None, True)
    if told := _last(_VENDOR, path):
        return Module(_root(path[told.end() :].rpartition("/")[0]), None, True)
    return None


def revision(told: Module) -> str | None:
    """The tag or commit of a module version."""
    if told.version is None:
        return None
    pseudo = _PSEUDO.search(told.version)
    return pseudo[1] if pseudo else told.version.removesuffix("+incompatible")


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return found[-1] if found else None


def _bazel(package: str, external: str) -> str:
    """`com_github_pingcap_errors` is the mangled name of a prefix of the package path."""
    parts = package.split("/")
    for count in range(len(parts), 0, -1):
        host = ".".join(reversed(parts[0].split(".")))
        mangled = re.sub(r"[^a-z0-9]", "_", "/".join([host, *parts[1:count]]).lower())
        if mangled == external:
            return "/".join(parts[:count])
    return package


def _root(package: str) -> str:
    """The module of a package, on hosts where modules have two elements below the host."""
    parts = package.split("/")
    if parts[0] in ("github.com", "gitlab.com", "bitbucket.org"):
        return "/".join(parts[:3])
    return "/".join(parts[:2])


def inside(frame: Frame) -> str:
    """The path of a frame's file in its module, if it is in the module cache; else empty."""
    told = _MODULE_CACHE.search(frame.path or frame.file)
    return (frame.path or frame.file)[told.end() :] if told else ""


def staged(frame: Frame, known: Iterable[str]) -> list[str]:
    """The paths of a module that the repository vendors from itself."""
    path = frame.path or frame.file
    told = _last(_VENDOR, path)
    tail = f"/{path[told.end() :]}" if told else ""
    return [own for own in known if tail.count("/") > 1 and own.endswith(tail)]


def is_home(told: Module, homes: Iterable[str]) -> bool:
    """Whether the dependency is a module of this repository."""
    name = plain(told.path)
    return any(name == h or name.startswith(f"{h}/") for h in map(plain, homes))


def matches(printed: str, known: Iterable[str], bare: bool = True) -> list[str]:
    """The paths that match a printed path best; more than one if they match equally well.

    `bare` tells whether a file at the root of the tree may match by its name alone.
    """
    # with "-I." a compiler prints "src/./chain.h"
    whole_path = printed.replace("\\", "/").replace("/./", "/").removeprefix("./").strip("/")
    # a major version in an import path may not be a folder in the tree
    spellings = [whole_path.split("/"), plain(whole_path).split("/")]
    best = (False, 0, False)
    found: list[str] = []
    for path in known:
        own = path.split("/")
        parts = max(spellings, key=lambda spelling: _shared(spelling, own))
        shared = _shared(parts, own)
        whole = shared == len(own)
        if not (whole or shared > 1 or shared == len(parts)) or (
            shared == 1 < len(parts) and not bare
        ):
            continue
        # prefer a match of the whole path; a match of the file name alone is weak
        rank = (whole and shared > 1, shared, whole)
        if rank > best:
            best, found = rank, [path]
        elif rank == best:
            found.append(path)
    return found


def _shared(a: list[str], b: list[str]) -> int:
    most = min(len(a), len(b))
    return next((n for n in range(most) if a[-1 - n] != b[-1 - n]), most)


def plain(package: str) -> str:
    """An import path without its major version."""
    return _MAJOR.sub("", package)
