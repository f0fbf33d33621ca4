"""A clone of a repository: its main line, its files, and cached answers about any version."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING

from deadheat.code import lines, places
from deadheat.code.asking import declared
from deadheat.code.beside import Beside
from deadheat.code.git import Git
from deadheat.code.history import MainLine, version_at
from deadheat.code.languages import is_source
from deadheat.code.messages import Messages
from deadheat.code.named import Named
from deadheat.code.outlines import Outlines
from deadheat.code.store import Answers
from deadheat.code.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.code.asking import Claim
    from deadheat.code.places import Module
    from deadheat.model import Frame

# "module github.com/pingcap/tidb", in go.mod
_MODULE = re.compile(rb"^module\s+\"?([^\s\"]{1,300})", re.MULTILINE)
# "committer A Tester <tester@example.com> 1600086400 +0000"
_COMMITTED = re.compile(rb"^committer [^\n]{0,500}> (\d{1,10}) [+-]\d{4}$", re.MULTILINE)
_ABBREVIATED = re.compile(r"[0-9a-f]{7,64}$")
_RULED = ("lines", "extents", "syntax")
# cached answers are invalid when these rules change
_RULES = blake2b(
    b"".join(files("deadheat.code").joinpath(f"{n}.py").read_bytes() for n in _RULED),
    digest_size=6,
).hexdigest()
# "refs/heads/release-5.2", "refs/remotes/origin/v1.12.x", "refs/heads/5.0-stable"
_RELEASE = re.compile(
    r"refs/(?:heads|remotes/[^/]+)/(?:(?:.*[/_-])?(?:releases?|stable|branch)\b.*|[vV]?\d+\.\d+\S*)$"
)
_FAR = 1 << 24
_TREES = 3
_PATIENCE = 64  # reports
_ABSENT = -1


class Clone:
    """A repository that is used to explain races."""

    def __init__(self, where: str | Git) -> None:
        self.git = where if isinstance(where, Git) else Git(where)
        try:
            self.main = MainLine(self.git)
            self.messages = Messages(self.git, self.main)
            self.beside = Beside(self.git, self.main)
            self.answers = Answers()
            self._named = Named(self.git)
            self.outlines = Outlines(self.git)
        except BaseException:
            self.git.close()
            raise
        self._found: dict[tuple[str, str], list[str]] = {}
        self._trees: dict[str, Tree] = {}
        self._asked = 0
        # function texts by language and name, then by blob id
        self.texts: dict[tuple[str | None, str], dict[str | None, bytes | None]] = {}

    def close(self) -> None:
        self.outlines.close()
        self._named.close()
        self.answers.close()
        self.main.close()
        self.git.close()

    def rest(self) -> None:
        """Called between two reports: saves cached answers and frees memory from time to time."""
        self._asked += 1
        if self._asked % _PATIENCE == 0:
            self.answers.save()
            self.texts.clear()

    def __enter__(self) -> Clone:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def modules(self) -> list[str]:
        """The Go modules that the go.mod of the main line declares."""
        content = self.git.object(f"{self.main.tip}:go.mod") if self.main.tip else None
        return [m.decode("utf-8", "replace") for m in _MODULE.findall(content or b"")]

    @cached_property
    def tags(self) -> dict[str, str]:
        """Every tag with its commit."""
        return self._peeled("refs/tags/")

    @cached_property
    def branches(self) -> dict[str, str]:
        """Every release branch with its newest commit, by its name without the remote."""
        named = {_short(n): n for n in self.git.refs if _RELEASE.match(n)}
        return {short: self.git.refs[full] for short, full in named.items()}

    def _peeled(self, prefix: str) -> dict[str, str]:
        names = {
            n.removeprefix(prefix): i for n, i in self.git.refs.items() if n.startswith(prefix)
        }
        commits = self.git.ids(f"{name}^{{commit}}" for name in names.values())
        return {name: c for name, c in zip(names, commits, strict=True) if c}

    def tree(self, commit: str) -> Tree:
        """The sources of a commit; the last trees are cached."""
        if commit not in self._trees:
            while len(self._trees) >= _TREES:
                del self._trees[next(iter(self._trees))]
            self._trees[commit] = Tree(self.git, self._named, commit)
        return self._trees[commit]

    def paths(self, frame: Frame) -> list[str]:
        """The paths that a frame's file has had in this repository."""
        printed = frame.path or frame.file
        key = (printed, frame.package)
        if key not in self._found:
            self._found[key] = self._paths(printed, frame)
        return self._found[key]

    def _paths(self, printed: str, frame: Frame) -> list[str]:
        known = self.main.named(printed.replace("\\", "/").rpartition("/")[2])
        told = places.module(frame)
        if told and told.vendored and (staged := places.staged(frame, known)):
            return staged
        if told and not told.vendored and not places.is_home(told, self.modules):
            # a file of another repository, unless it is a former name of this one
            return self._formerly(told, frame)
        found = places.matches(printed, known, self._may_be_bare(frame))
        if not found and frame.file != printed:
            found = places.matches(frame.file, known, self._may_be_bare(frame))
        return found

    def _formerly(self, told: Module, frame: Frame) -> list[str]:
        """The path in a module that is a former name of this repository: same version, same function."""
        revision, path = places.revision(told), places.inside(frame)
        commit = self.resolve(revision) if revision and path else None
        blob = self.blobs([commit], [path]).get((commit, path)) if commit else None
        function = declared(frame.function, "go")
        if blob is None or not function or not path.endswith(".go"):
            return []
        return [path] if self.outlines.find(function, [blob]).get(blob) else []

    def _may_be_bare(self, frame: Frame) -> bool:
        """Whether a frame may mean a file at the root: not if its package is clearly another one."""
        if "." not in frame.package.partition("/")[0] or not self.modules:
            return True
        last = {places.plain(m).rpartition("/")[2] for m in self.modules}
        return places.plain(frame.package).rpartition("/")[2].removesuffix("_test") in last

    def blobs(self, commits: Iterable[str], paths: Iterable[str]) -> dict[tuple[str, str], str]:
        """The blob ids of files at commits, which may be off the main line."""
        found: dict[tuple[str, str], str] = {}
        beside: list[tuple[str, str]] = []
        paths = list(paths)
        for commit in commits:
            pos = self.main.position(commit)
            if pos is None:
                beside += [(commit, path) for path in paths]
                continue
            here = ((p, version_at(self.main.versions(p), pos)) for p in paths)
            found |= {(commit, path): blob for path, blob in here if blob}
        return found | (self.main.located(beside) if beside else {})

    def resolve(self, name: str) -> str | None:
        """The commit of a revision: an id, a tag or a branch."""
        for prefix in ("refs/tags/", "refs/tags/v", "refs/heads/", "refs/remotes/origin/"):
            if found := self.git.refs.get(prefix + name):
                return self._commit(found)
        return self._commit(name) if _ABBREVIATED.match(name) else None

    def _commit(self, name: str) -> str | None:
        return self.git.ids([f"{name}^{{commit}}"])[0]

    def day(self, commit: str) -> str | None:
        """The committer date (UTC) of a commit: `2021-12-14`."""
        told = _COMMITTED.search(self.git.object(commit) or b"")
        if told is None:
            return None
        return datetime.fromtimestamp(int(told[1]), UTC).date().isoformat()

    def source(self, commit: str, path: str) -> bytes | None:
        # a blob id may be in the cache already
        known = self.blobs([commit], [path]).get((commit, path)) if is_source(path) else None
        return self.git.object(known or f"{commit}:{path}")

    def grades(self, claim: Claim, blobs: Iterable[str]) -> dict[str, int]:
        """How well a claim holds in each version; versions that cannot be read are left out."""
        question = "\n".join([_RULES, "grade", *map(str, claim)])
        known = self.answers.known(question)
        wanted = [blob for blob in dict.fromkeys(blobs) if blob not in known]
        spans = self._spans(claim, wanted)
        for blob in wanted:
            first, last = spans.get(blob, (0, 0))
            near = first <= claim.line <= last or claim.does.startswith("value")
            if not first or not near:
                self.answers.learn(question, blob, lines.NOT)
        wanted = [blob for blob in wanted if blob not in known]
        for blob, source in self.git.objects(wanted):
            if source is not None:
                self.answers.learn(question, blob, lines.grade(claim, source, spans[blob]))
        return known

    def _spans(self, claim: Claim, blobs: list[str]) -> dict[str, tuple[int, int]]:
        """The extent of the claim's function in each version; cached for every line of it."""
        if claim.language == "go" and claim.function:
            known = self.outlines.find(claim.function, blobs)
            return {blob: (f.first, f.last) for blob, f in known.items() if f}
        question = f"{_RULES} extent {claim.language}\n{claim.function}\n{claim.line}"
        packed = self.answers.known(question)
        for blob, source in self.git.objects([blob for blob in blobs if blob not in packed]):
            span = lines.extent(claim, source) if source is not None else None
            place = _ABSENT if span is None else span[0] * _FAR + min(span[1], _FAR - 1)
            self.answers.learn(question, blob, place)
        return {b: divmod(packed[b], _FAR) for b in blobs if packed.get(b, _ABSENT) != _ABSENT}


def _short(ref: str) -> str:
    """`release-5.2` for `refs/heads/release-5.2` and `refs/remotes/origin/release-5.2`."""
    kind, _, rest = ref.removeprefix("refs/").partition("/")
    return rest if kind == "heads" else rest.partition("/")[2]
