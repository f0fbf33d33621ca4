"""A clone of a repository: its main line, the files that frames mean, and cached answers about any version."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from deadheat._version import RULES_VERSION
from deadheat.repo.disk_cache import AnswerCache
from deadheat.repo.file_versions import DeclaredNameIndex, FunctionOutlineIndex, common_suffix_length
from deadheat.repo.git import GitReader
from deadheat.repo.git.history import MainLine, SideBranches, version_at
from deadheat.repo.git.messages import MessageStore
from deadheat.repo.pinning import line_claims
from deadheat.repo.pinning.line_claims import declaration_name
from deadheat.repo.syntax.declarations import CommitTree
from deadheat.repo.syntax.parser import is_source_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.model import Frame
    from deadheat.repo.git import ProgressCallback
    from deadheat.repo.pinning import Pin
    from deadheat.repo.pinning.line_claims import FrameKey, LineClaim

# "/pkg/mod/google.golang.org/grpc@v1.39.0/internal/x.go", "/nfs/mod/github.com/x/errors@v0.11.5/…"; with -trimpath
# "google.golang.org/grpc@v1.39.0/internal/x.go". A module that go.mod replaces by a folder, usually of the repository
# itself, has version v0.0.0-00010101000000-000000000000.
_MODULE_CACHE_PATH = re.compile(
    r"(?:(?:^|/)mod/|^(?=[\w-]{1,80}\.[\w.-]{1,80}/))([^@]{1,300})@(?!v0\.0\.0-00010101000000-0)(v[^/]{1,100})/"
)
# "external/com_github_pingcap_errors/stack.go": Bazel's name for another repository
_BAZEL_EXTERNAL = re.compile(r"(?:^|/)external/([^/]{1,200})/")
# "v0.0.0-20210903195433-0a6d2a3c1f2b": a pseudo-version ends in the commit
_PSEUDO_VERSION = re.compile(r"\d{14}-([0-9a-f]{12})(?:\+incompatible)?$")
_VENDOR_FOLDER = re.compile(r"(?:^|/)vendor/(?:src/)?")
_MAJOR_VERSION = re.compile(r"/v\d{1,3}(?=/|$)")
_ESCAPED_CAPITAL = re.compile(r"!([a-z])")


class DependencyModule(NamedTuple):
    """A dependency, its version if the path contains it, and whether it is vendored."""

    path: str
    version: str | None
    vendored: bool


def dependency_of(frame: Frame) -> DependencyModule | None:
    """The dependency that a frame belongs to, according to its path."""
    path = frame.path or frame.file
    if match := _MODULE_CACHE_PATH.search(path):
        # the module cache writes "!azure" for "Azure"
        return DependencyModule(_ESCAPED_CAPITAL.sub(lambda m: m[1].upper(), match[1]), match[2], False)
    if match := _BAZEL_EXTERNAL.search(path):
        return DependencyModule(_bazel_module(frame.package, match[1]), None, False)
    if "/vendor/" in frame.package:
        home, _, package = frame.package.rpartition("/vendor/")
        root = _module_root(package)
        # etcd once vendored itself: "github.com/coreos/etcd/cmd/vendor/github.com/coreos/etcd/raft"
        return None if f"{home}/".startswith(f"{root}/") else DependencyModule(root, None, True)
    if match := _last_match(_VENDOR_FOLDER, path):
        return DependencyModule(_module_root(path[match.end() :].rpartition("/")[0]), None, True)
    return None


def dependency_revision(dependency: DependencyModule) -> str | None:
    """The tag or commit of a module version."""
    if dependency.version is None:
        return None
    pseudo = _PSEUDO_VERSION.search(dependency.version)
    return pseudo[1] if pseudo else dependency.version.removesuffix("+incompatible")


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return found[-1] if found else None


def _bazel_module(package: str, external: str) -> str:
    """`com_github_pingcap_errors` is the mangled name of a prefix of the package path."""
    parts = package.split("/")
    for count in range(len(parts), 0, -1):
        host = ".".join(reversed(parts[0].split(".")))
        mangled = re.sub(r"[^a-z0-9]", "_", "/".join([host, *parts[1:count]]).lower())
        if mangled == external:
            return "/".join(parts[:count])
    return package


def _module_root(package: str) -> str:
    """The module of a package, on hosts where modules have two elements below the host."""
    parts = package.split("/")
    return "/".join(parts[: 3 if parts[0] in ("github.com", "gitlab.com", "bitbucket.org") else 2])


def self_vendored_paths(frame: Frame, known: Iterable[str]) -> list[str]:
    """The paths of a module that the repository vendors from itself."""
    path = frame.path or frame.file
    match = _last_match(_VENDOR_FOLDER, path)
    tail = f"/{path[match.end() :]}" if match else ""
    return [known_path for known_path in known if tail.count("/") > 1 and known_path.endswith(tail)]


def is_own_module(dependency: DependencyModule, own_modules: Iterable[str]) -> bool:
    name = without_major_version(dependency.path)
    return any(f"{name}/".startswith(f"{own}/") for own in map(without_major_version, own_modules))


def matching_paths(printed: str, known: Iterable[str], allow_root: bool = True) -> list[str]:
    """The paths that match a printed path best; more than one if they match equally well.

    `allow_root`: whether a file at the root of the tree may match by its name alone.
    """
    # with "-I." a compiler prints "src/./chain.h"
    normalized = printed.replace("\\", "/").replace("/./", "/").removeprefix("./").strip("/")
    # a major version in an import path may not be a folder in the tree
    spellings = [normalized.split("/"), without_major_version(normalized).split("/")]
    best_rank = (False, 0, False)
    found: list[str] = []
    for path in known:
        elements = path.split("/")
        parts = max(spellings, key=lambda spelling: common_suffix_length(spelling, elements))
        shared = common_suffix_length(parts, elements)
        is_whole = shared == len(elements)
        if not (is_whole or shared > 1 or shared == len(parts)) or (shared == 1 < len(parts) and not allow_root):
            continue
        # prefer a match of the whole path; a match of the file name alone is weak
        rank = (is_whole and shared > 1, shared, is_whole)
        if rank > best_rank:
            best_rank, found = rank, [path]
        elif rank == best_rank:
            found.append(path)
    return found


def without_major_version(package: str) -> str:
    """An import path without its major version."""
    return _MAJOR_VERSION.sub("", package)


class CommitSnapshot:
    """Reads files of one commit of a clone."""

    def __init__(self, clone: Clone, tree: CommitTree) -> None:
        self._clone, self.tree = clone, tree

    def path_of(self, frame: Frame) -> str | None:
        """The path of a frame's file."""
        blobs = self._clone.blobs_at([self.tree.commit], self._clone.paths_of(frame))
        return next((path for _, path in blobs), None)

    def source_of(self, frame: Frame) -> bytes | None:
        """The content of a frame's file."""
        path = self.path_of(frame)
        return self.read_file(path) if path else None

    def file_of(self, frame: Frame) -> tuple[str, bytes] | None:
        """The path and content, if the file exists."""
        path, source = self.path_of(frame), self.source_of(frame)
        return (path, source) if path is not None and source is not None else None

    def read_file(self, path: str) -> bytes | None:
        return self._clone.read_source(self.tree.commit, path)


def _owner_and_name(address: str) -> str:
    """The last two parts of an address: `git@github.com:pingcap/tidb.git` is `pingcap/tidb`."""
    return "/".join(re.split(r"[/:]", address.rstrip("/").removesuffix(".git"))[-2:]).lower()


# "module github.com/pingcap/tidb", in go.mod
_MODULE_LINE = re.compile(rb"^module\s+\"?([^\s\"]{1,300})", re.MULTILINE)
# "committer A Tester <tester@example.com> 1600086400 +0000"
_COMMITTER_LINE = re.compile(rb"^committer [^\n]{0,500}> (\d{1,10}) [+-]\d{4}$", re.MULTILINE)
_ABBREVIATED_ID = re.compile(r"[0-9a-f]{7,64}$")
# "refs/heads/release-5.2", "refs/remotes/origin/v1.12.x", "refs/heads/5.0-stable"
_RELEASE_BRANCH = re.compile(
    r"refs/(?:heads|remotes/[^/]+)/((?:.*[/_-])?(?:releases?|stable|branch)\b.*|[vV]?\d+\.\d+\S*)$"
)
_SPAN_BASE = 1 << 24
_MAX_TREES = 3
_REPORTS_PER_SAVE = 64
_NO_FUNCTION = -1


class Clone:
    """A repository that is used to explain races."""

    def __init__(self, clone_path: str | GitReader, on_progress: ProgressCallback | None = None) -> None:
        """`on_progress` is called in slow phases, such as the first reading of the history."""
        self.git = clone_path if isinstance(clone_path, GitReader) else GitReader(clone_path)
        self.git.on_progress = on_progress or self.git.on_progress
        try:
            self.main = MainLine(self.git)
            self.messages = MessageStore(self.git, self.main)
            self.side_branches = SideBranches(self.git, self.main)
            self.answer_cache = AnswerCache()
            self._declared_names = DeclaredNameIndex(self.git)
            self.outlines = FunctionOutlineIndex(self.git)
        except BaseException:
            self.git.close()
            raise
        self._paths_by_frame: dict[tuple[str, str], list[str]] = {}
        self._trees: dict[str, CommitTree] = {}
        self._report_count = 0
        self.log_pins: dict[tuple[FrameKey, ...], Pin | None] = {}  # by the frames of a log
        # function texts by language and name, then by blob id
        self.function_texts: dict[tuple[str | None, str], dict[str | None, bytes | None]] = {}

    def close(self) -> None:
        self.outlines.close()
        self._declared_names.close()
        self.answer_cache.close()
        self.main.close()
        self.git.close()

    def finish_report(self) -> None:
        """Called between two reports: saves cached answers and frees memory from time to time."""
        self._report_count += 1
        if self._report_count % _REPORTS_PER_SAVE == 0:
            self.answer_cache.save()
            self.function_texts.clear()
            self.log_pins.clear()

    def __enter__(self) -> Clone:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def go_modules(self) -> list[str]:
        """The Go modules that the go.mod of the main line declares."""
        content = self.git.read_object(f"{self.main.tip}:go.mod") if self.main.tip else None
        return [m.decode("utf-8", "replace") for m in _MODULE_LINE.findall(content or b"")]

    @cached_property
    def _names(self) -> set[str]:
        """What the repository is called: `owner/name` of its remotes and of its Go module."""
        modules = [without_major_version(module) for module in self.go_modules]
        return {_owner_and_name(address) for address in (*self.git.remote_urls, *modules)}

    def has_tracker(self, address: str) -> bool:
        """Whether an issue tracker is that of this repository: `owner/name`, an address, or nothing for the own one."""
        return "/" not in address or _owner_and_name(address) in self._names

    @cached_property
    def tags(self) -> dict[str, str]:
        tags = {n.removeprefix("refs/tags/"): i for n, i in self.git.refs.items() if n.startswith("refs/tags/")}
        commits = self.git.object_ids(f"{tag}^{{commit}}" for tag in tags.values())
        return {name: c for name, c in zip(tags, commits, strict=True) if c}

    @cached_property
    def release_branches(self) -> dict[str, str]:
        """Every release branch with its newest commit, by its name without the remote."""
        matches = ((_RELEASE_BRANCH.match(ref), commit) for ref, commit in self.git.refs.items())
        return {match[1]: commit for match, commit in matches if match}

    def tree_at(self, commit: str) -> CommitTree:
        """The sources of a commit; the last trees are cached."""
        if commit not in self._trees:
            while len(self._trees) >= _MAX_TREES:
                del self._trees[next(iter(self._trees))]
            self._trees[commit] = CommitTree(self.git, self._declared_names, commit)
        return self._trees[commit]

    def paths_of(self, frame: Frame) -> list[str]:
        """The paths that a frame's file has had in this repository."""
        printed = frame.path or frame.file
        key = (printed, frame.package)
        if key not in self._paths_by_frame:
            self._paths_by_frame[key] = self._find_paths(printed, frame)
        return self._paths_by_frame[key]

    def _find_paths(self, printed: str, frame: Frame) -> list[str]:
        name = printed.replace("\\", "/").rpartition("/")[2]
        known = self.main.paths_named(name) or self._checked_out_paths.get(name, [])
        dependency = dependency_of(frame)
        if dependency and dependency.vendored and (vendored_paths := self_vendored_paths(frame, known)):
            return vendored_paths
        if dependency and not dependency.vendored and not is_own_module(dependency, self.go_modules):
            # a file of another repository, unless it is a former name of this one
            return self._former_paths(dependency, frame)
        found = matching_paths(printed, known, self._may_be_at_root(frame))
        if not found and frame.file != printed:
            found = matching_paths(frame.file, known, self._may_be_at_root(frame))
        return found

    @cached_property
    def _checked_out_paths(self) -> dict[str, list[str]]:
        """The files of the commit that is checked out, by name, if it is off the main line."""
        commit = self.git.head_commit
        paths: dict[str, list[str]] = {}
        if commit and self.main.position_of(commit) is None:
            for path in self.git.output_records((), "ls-tree", "-r", "-z", "--name-only", commit):
                text = path.decode("utf-8", "replace")
                paths.setdefault(text.rpartition("/")[2], []).append(text)
        return paths

    def _former_paths(self, dependency: DependencyModule, frame: Frame) -> list[str]:
        """The path in a module that is a former name of this repository: same version, same function."""
        printed, revision = frame.path or frame.file, dependency_revision(dependency)
        match = _MODULE_CACHE_PATH.search(printed)
        path = printed[match.end() :] if match else ""
        commit = self.resolve_revision(revision) if revision and path else None
        blob = self.blobs_at([commit], [path]).get((commit, path)) if commit else None
        function = declaration_name(frame.function, "go")
        if blob is None or not function or not path.endswith(".go"):
            return []
        return [path] if self.outlines.find_function(function, [blob]).get(blob) else []

    def _may_be_at_root(self, frame: Frame) -> bool:
        """Whether a frame may mean a file at the root: not if its package is clearly another one."""
        if "." not in frame.package.partition("/")[0] or not self.go_modules:
            return True
        last = {without_major_version(m).rpartition("/")[2] for m in self.go_modules}
        return without_major_version(frame.package).rpartition("/")[2].removesuffix("_test") in last

    def blobs_at(self, commits: Iterable[str], paths: Iterable[str]) -> dict[tuple[str, str], str]:
        """The blob ids of files at commits, which may be off the main line."""
        found: dict[tuple[str, str], str] = {}
        off_main: list[tuple[str, str]] = []
        paths = list(paths)
        for commit in commits:
            pos = self.main.position_of(commit)
            if pos is None:
                off_main += [(commit, path) for path in paths]
                continue
            versions = ((p, version_at(self.main.file_versions(p), pos)) for p in paths)
            found |= {(commit, path): blob for path, blob in versions if blob}
        return found | (self.main.blobs_of(off_main) if off_main else {})

    def resolve_revision(self, name: str) -> str | None:
        """The commit of a revision: an id, a tag, a branch or HEAD."""
        if name == "HEAD" and self.git.head_commit:
            return self._commit_id(self.git.head_commit)
        for prefix in ("refs/tags/", "refs/tags/v", "refs/heads/", "refs/remotes/origin/"):
            if found := self.git.refs.get(prefix + name):
                return self._commit_id(found)
        return self._commit_id(name) if _ABBREVIATED_ID.match(name) else None

    def _commit_id(self, name: str) -> str | None:
        return self.git.object_ids([f"{name}^{{commit}}"])[0]

    def commit_day(self, commit: str) -> str | None:
        """The committer date (UTC) of a commit: `2021-12-14`."""
        match = _COMMITTER_LINE.search(self.git.read_object(commit) or b"")
        return datetime.fromtimestamp(int(match[1]), UTC).date().isoformat() if match else None

    def read_source(self, commit: str, path: str) -> bytes | None:
        # a blob id may be in the cache already
        known = self.blobs_at([commit], [path]).get((commit, path)) if is_source_file(path) else None
        return self.git.read_object(known or f"{commit}:{path}")

    def claim_grades(self, claim: LineClaim, blobs: Iterable[str]) -> dict[str, int]:
        """How well a claim holds in each version; versions that cannot be read are left out."""
        question = "\n".join([str(RULES_VERSION), "grade", *map(str, claim)])
        known = self.answer_cache.answers_to(question)
        wanted = [blob for blob in dict.fromkeys(blobs) if blob not in known]
        spans = self._function_spans(claim, wanted)
        for blob in wanted:
            first, last = spans.get(blob, (0, 0))
            is_near = first <= claim.line <= last or claim.action.startswith("value")
            if not first or not is_near:
                self.answer_cache.add_answer(question, blob, line_claims.GRADE_NONE)
        wanted = [blob for blob in wanted if blob not in known]
        for blob, source in self.git.read_objects(wanted):
            if source is not None:
                self.answer_cache.add_answer(question, blob, line_claims.grade_claim(claim, source, spans[blob]))
        return known

    def _function_spans(self, claim: LineClaim, blobs: list[str]) -> dict[str, tuple[int, int]]:
        """The extent of the claim's function in each version; cached for every line of it."""
        if claim.language == "go" and claim.function:
            known = self.outlines.find_function(claim.function, blobs)
            return {blob: (f.first, f.last) for blob, f in known.items() if f}
        question = f"{RULES_VERSION} extent {claim.language}\n{claim.function}\n{claim.line}"
        packed = self.answer_cache.answers_to(question)
        for blob, source in self.git.read_objects([blob for blob in blobs if blob not in packed]):
            span = line_claims.function_extent(claim, source) if source is not None else None
            packed_span = _NO_FUNCTION if span is None else span[0] * _SPAN_BASE + min(span[1], _SPAN_BASE - 1)
            self.answer_cache.add_answer(question, blob, packed_span)
        return {b: divmod(packed[b], _SPAN_BASE) for b in blobs if packed.get(b, _NO_FUNCTION) != _NO_FUNCTION}
