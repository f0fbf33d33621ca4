"""Work trees of our own: commits of a clone, checked out into temporary folders; the user's work tree is never changed.

Git runs with the git directory of the sandbox (`deadheat.repo.git`), so that no hook, filter or configuration of the
clone applies, and with an index of its own. Submodules are not fetched and stay empty.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.printable import visible_text
from deadheat.repo.git import git_environment
from deadheat.verification.go_output import describe_names
from deadheat.verification.processes import remove_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deadheat.repo.git import GitReader

_SECONDS = 600
_SUBMODULE_MODE = "160000"
_MAX_MESSAGE = 300
_ROLES, _KEYS = ("AUTHOR", "COMMITTER"), ("NAME", "EMAIL")


class _IndexedFile(NamedTuple):
    """An entry of git's index."""

    mode: str
    object_id: str
    path: str


def _indexed_files(listed: str) -> list[_IndexedFile]:
    """The entries of `git ls-files --stage -z`: `100644 5c1211… 0<TAB>vendor/modules.txt`."""
    entries = (entry.partition("\t") for entry in listed.split("\0") if entry)
    return [_IndexedFile(facts[:6], facts.split(" ")[1], path) for facts, _, path in entries]


class WorkTrees:
    """A temporary folder with work trees; `close` removes it."""

    def __init__(self, git: GitReader) -> None:
        self._git, self._clone_path = git, git.clone_path
        self.folder = Path(tempfile.mkdtemp(prefix="deadheat-runs-"))
        self.notes: list[str] = []

    def close(self) -> None:
        remove_folder(self.folder)

    def __enter__(self) -> WorkTrees:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_out(self, commit: str, name: str) -> Path:
        """A new folder with the files of a commit."""
        tree = self.folder / name
        tree.mkdir()
        self._run_git(name, tree, "read-tree", commit)
        self._write_files(name, tree)
        return tree

    def switch(self, commit: str, name: str) -> Path:
        """Change a work tree to the files of another commit, without what builds and trials left in it.

        Cheaper than a new folder: few files are written, and Go's build cache, which knows folders by name, stays
        valid.
        """
        tree = self.folder / name
        if tree.is_dir() and not tree.is_symlink():
            try:
                self._run_git(name, tree, "read-tree", "--reset", "-u", commit)
                self._run_git(name, tree, "clean", "-d", "-x", "--force", "--force", "--quiet")
                self._write_files(name, tree)
            except DeadheatError:  # a trial made a folder unwritable
                remove_folder(tree)
            else:
                return tree
        return self.check_out(commit, name)

    def _write_files(self, name: str, tree: Path) -> None:
        """Write the files of the index, and note which ones the clone does not have."""
        files = _indexed_files(self._run_git(name, tree, "ls-files", "--stage", "-z"))
        try:
            self._run_git(name, tree, "checkout-index", "--all", "--force", "--quiet", "--index")
        except DeadheatError:
            # a partial clone lacks files, often large ones that no test reads; git wrote all others
            if not (missing := self._missing_files(files)):
                raise
            self.notes.append(f"the clone is partial; not checked out: {describe_names(map(visible_text, missing))}")
        if any(file.mode == _SUBMODULE_MODE for file in files):
            self.notes.append("the repository has submodules, which are not checked out")

    def _missing_files(self, files: Sequence[_IndexedFile]) -> list[str]:
        """The files whose content is not in the clone."""
        files = [file for file in files if file.mode != _SUBMODULE_MODE]
        found = self._git.object_ids(file.object_id for file in files)
        return [file.path for file, object_id in zip(files, found, strict=True) if object_id is None]

    def apply_patch(self, name: str, patch: Path) -> None:
        """Apply a patch to a work tree. Git rejects paths that lead out of it."""
        tree = self.folder / name
        try:
            self._run_git(name, tree, "apply", "--whitespace=nowarn", str(patch.resolve()))
        except DeadheatError as error:
            raise DeadheatError(
                f"the patch does not apply ({error.what})", str(patch), "was it made for it?"
            ) from error

    def replace_files(self, name: str, commit: str, patterns: Sequence[str]) -> int:
        """Replace the files that match a pattern of git by those of another commit. Returns how many these are."""
        tree, index = self.folder / name, f"{name}-{commit}"
        paths = [f":(glob){pattern}" for pattern in patterns]
        present = self._run_git(name, tree, "ls-files", "-z", "--cached", "--others", "--", *paths)
        for path in filter(None, present.split("\0")):
            if not _has_link_above(tree, path):
                (tree / path).unlink(missing_ok=True)
        self._run_git(index, tree, "read-tree", commit)
        chosen = self._run_git(index, tree, "ls-files", "-z", "--", *paths)
        self._run_git(index, tree, "checkout-index", "-z", "--stdin", "--force", "--quiet", stdin=chosen)
        return chosen.count("\0")

    def copy_uncommitted(self, name: str) -> None:
        """Change a work tree, which was made from HEAD, to what the user's work tree contains now."""
        user_tree = Path(self._clone_path).resolve()
        index = f"{name}-user"
        self._run_git(index, user_tree, "read-tree", "HEAD")
        options = ("--modified", "--deleted", "--others", "--exclude-standard")
        listed = self._run_git(index, user_tree, "ls-files", "-z", *options)
        for path in dict.fromkeys(listed.split("\0")):
            if path and not path.endswith("/"):
                _copy_path(user_tree, self.folder / name, path)

    def as_repository(self, name: str) -> Path:
        """A bare repository with one commit of a work tree, so that its code can be looked up as that of a clone."""
        repository = self.folder / f"{name}.git"
        environment = git_environment() | {f"GIT_{role}_{key}": "deadheat" for role in _ROLES for key in _KEYS}
        options = ("-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false", "-c", "gc.auto=0")

        def run(*words: str) -> str:
            command = ["git", f"--git-dir={repository}", f"--work-tree={self.folder / name}", *options, *words]
            done = subprocess.run(
                command, cwd=self.folder / name, env=environment, capture_output=True, timeout=_SECONDS, check=False
            )
            if done.returncode:
                raise DeadheatError(f"git {words[0]} failed", str(repository), "is there space for temporary files?")
            return done.stdout.decode().strip()

        subprocess.run(
            ["git", "init", "--quiet", "--bare", "--template=", str(repository)], env=environment, check=True,
            capture_output=True,
        )  # fmt: skip
        run("add", "--all", "--force", ".")
        commit = run("commit-tree", "-m", "code under test", run("write-tree"))
        run("update-ref", "refs/heads/main", commit)
        run("symbolic-ref", "HEAD", "refs/heads/main")
        return repository

    def _run_git(self, index: str, tree: Path, *words: str, stdin: str = "") -> str:
        environment = git_environment() | {
            "GIT_INDEX_FILE": str(self.folder / f"{index}.index"),
            "GIT_WORK_TREE": str(tree),
        }
        command = self._git.command_line("-c", "core.hooksPath=/dev/null", "--no-literal-pathspecs", *words)
        try:
            done = subprocess.run(
                command, cwd=tree, env=environment, input=stdin.encode("utf-8", "surrogateescape"), capture_output=True,
                timeout=_SECONDS, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DeadheatError(f"git {words[0]} failed ({error})", self._clone_path, "is git installed?") from error
        if done.returncode:
            message = " ".join(done.stderr[:_MAX_MESSAGE].decode("utf-8", "replace").split())
            missing = "; ".join(self._git.missing)
            raise DeadheatError(
                visible_text(message) or f"git {words[0]} failed", self._clone_path, missing or "is the clone complete?"
            )
        return done.stdout.decode("utf-8", "surrogateescape")


def _copy_path(source_root: Path, target_root: Path, path: str) -> None:
    """Copy a file or symbolic link, or remove it if it is gone; never through a symbolic link."""
    source, target = source_root / path, target_root / path
    if _has_link_above(source_root, path) or ".." in Path(path).parts:
        return
    for parent in reversed(target.parents):
        if parent.is_relative_to(target_root) and (parent.is_symlink() or parent.is_file()):
            parent.unlink()
    if target.is_symlink() or target.is_file():
        target.unlink()
    elif target.is_dir() and not source.is_dir():
        shutil.rmtree(target)
    if source.is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source.readlink())
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target, follow_symlinks=False)


def _has_link_above(root: Path, path: str) -> bool:
    return any(parent.is_symlink() for parent in (root / path).parents if parent.is_relative_to(root))
