"""A clone as the rest of this room sees it: its main line, its files, and answers from any version."""

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
# answers that other rules gave are no answers
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
    """One repository that races are explained with."""

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
        # of functions, by language and name, then by the version of the file
        self.texts: dict[tuple[str | None, str], dict[str | None, bytes | None]] = {}

    def close(self) -> None:
        self.outlines.close()
        self._named.close()
        self.answers.close()
        self.main.close()
        self.git.close()

    def rest(self) -> None:
        """Between two reports: lets go of what was learnt for one and would pile up over many."""
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
        """The Go modules that the repository is, or was when it began to have a go.mod."""
        content = self.git.object(f"{self.main.tip}:go.mod") if self.main.tip else None
        return [m.decode("utf-8", "replace") for m in _MODULE.findall(content or b"")]

    @cached_property
    def tags(self) -> dict[str, str]:
        """Every tag with the commit that it stands for."""
        return self._peeled("refs/tags/")

    @cached_property
    def branches(self) -> dict[str, str]:
        """Every release branch with its newest commit, by its name without a remote's."""
        named = {_short(n): n for n in self.git.refs if _RELEASE.match(n)}
        return {short: self.git.refs[full] for short, full in named.items()}

    def _peeled(self, prefix: str) -> dict[str, str]:
        names = {
            n.removeprefix(prefix): i for n, i in self.git.refs.items() if n.startswith(prefix)
        }
        commits = self.git.ids(f"{name}^{{commit}}" for name in names.values())
        return {name: c for name, c in zip(names, commits, strict=True) if c}

    def tree(self, commit: str) -> Tree:
        """The sources of a commit; the last few are kept."""
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
            # some other repository's file of the same name, unless this one was called so once
            return self._formerly(told, frame)
        found = places.matches(printed, known, self._may_be_bare(frame))
        if not found and frame.file != printed:
            found = places.matches(frame.file, known, self._may_be_bare(frame))
        return found

    def _formerly(self, told: Module, frame: Frame) -> list[str]:
        """The path of a file that the module's version has here as well, with the frame's function."""
        revision, path = places.revision(told), places.inside(frame)
        commit = self.resolve(revision) if revision and path else None
        blob = self.blobs([commit], [path]).get((commit, path)) if commit else None
        function = declared(frame.function, "go")
        if blob is None or not function or not path.endswith(".go"):
            return []
        return [path] if self.outlines.find(function, [blob]).get(blob) else []

    def _may_be_bare(self, frame: Frame) -> bool:
        """May a file at the root be meant? Not if the frame's package is plainly another's."""
        if "." not in frame.package.partition("/")[0] or not self.modules:
            return True
        last = {places.plain(m).rpartition("/")[2] for m in self.modules}
        return places.plain(frame.package).rpartition("/")[2].removesuffix("_test") in last

    def blobs(self, commits: Iterable[str], paths: Iterable[str]) -> dict[tuple[str, str], str]:
        """The versions that commits have of files, wherever the commits lie."""
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
        """The commit that a revision's name stands for: an id, a tag, a branch."""
        for prefix in ("refs/tags/", "refs/tags/v", "refs/heads/", "refs/remotes/origin/"):
            if found := self.git.refs.get(prefix + name):
                return self._commit(found)
        return self._commit(name) if _ABBREVIATED.match(name) else None

    def _commit(self, name: str) -> str | None:
        return self.git.ids([f"{name}^{{commit}}"])[0]

    def day(self, commit: str) -> str | None:
        """The day (UTC) on which a commit came to be what it is: `2021-12-14`."""
        told = _COMMITTED.search(self.git.object(commit) or b"")
        if told is None:
            return None
        return datetime.fromtimestamp(int(told[1]), UTC).date().isoformat()

    def source(self, commit: str, path: str) -> bytes | None:
        # by the id of its version it may be at hand already
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
        """Where the claim's function lies in each version; the answer serves every line of it."""
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
