"""A substitute for the git directory of a clone: its objects and refs, nothing that can be executed.

Git obeys the configuration, hooks, attributes, alternates and replace refs of a repository. A clone may
be untrusted, so git never runs in it. Instead it runs in a temporary directory with its own
configuration, whose object store consists of links to the packs and loose objects of the clone.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from deadheat.errors import DeadheatError

# "	objectformat = sha256": needed to read the objects
_SHA256_FORMAT = re.compile(r"^\s*objectformat\s*=\s*sha256\s*$", re.IGNORECASE | re.MULTILINE)
# "	promisor = true": objects may be missing
_PROMISOR = re.compile(r"^\s*promisor\s*=\s*true\s*$", re.IGNORECASE | re.MULTILINE)
_LOOSE_FOLDER = re.compile(r"[0-9a-f]{2}$")
_PACK_FILE = re.compile(r"pack-[0-9a-f]{40,64}\.(?:pack|idx|promisor)$")
# "4f0c… refs/heads/main"; refs such as "refs/pull/…" are ignored
_PACKED_REF = re.compile(r"([0-9a-f]{40,64}) (refs/(?:heads|remotes|tags)/\S{1,500})$")
_COMMIT_ID = re.compile(r"[0-9a-f]{40,64}$")
_SYMBOLIC_REF = re.compile(r"ref: (refs/\S{1,200})$")
_REF_KINDS = ("heads", "remotes", "tags")
# number of loose refs; bytes of packed-refs and of other git files
_MAX_LOOSE_REFS, _MAX_PACKED_REFS_BYTES, _MAX_FILE_BYTES = 20_000, 1 << 26, 1 << 20
_MAX_LINE_BYTES = 1 << 10


@dataclass(frozen=True, slots=True)
class CloneLayout:
    """The folders of a clone. A linked work tree has its own HEAD."""

    head_folder: Path
    common_folder: Path


def find_layout(clone_path: str) -> CloneLayout:
    """Finds the git directory of a clone, bare or not."""
    root = Path(clone_path)
    dot_git = root / ".git"
    if dot_git.is_symlink():
        raise DeadheatError(".git is a symbolic link", clone_path, "give the repository itself")
    if dot_git.is_file():
        return _linked_worktree(dot_git)
    for git_folder in (dot_git, root):
        if _is_folder(git_folder / "objects") and (git_folder / "HEAD").is_file():
            return CloneLayout(git_folder, git_folder)
    raise DeadheatError("not a git repository", clone_path, "give the folder of a clone")


def _linked_worktree(pointer: Path) -> CloneLayout:
    """The layout of a linked work tree, if its main repository knows the work tree."""
    target = _read_small_file(pointer).partition("gitdir: ")[2].strip()
    folder = (pointer.parent / target).resolve()
    back_reference = _read_small_file(folder / "gitdir").strip()
    if not target or not back_reference or Path(back_reference).resolve() != pointer.resolve():
        raise DeadheatError(
            ".git points to a directory that does not point back", str(pointer.parent), "give the repository itself"
        )
    common_folder = (folder / (_read_small_file(folder / "commondir").strip() or ".")).resolve()
    if not _is_folder(common_folder / "objects"):
        raise DeadheatError("not a git repository", str(common_folder), "give the folder of a clone")
    return CloneLayout(folder, common_folder)


def _is_folder(path: Path) -> bool:
    """Whether the path is a folder and not a symbolic link."""
    return path.is_dir() and not path.is_symlink()


class GitSandbox:
    """The temporary directory that git uses instead of that of the clone."""

    def __init__(self, clone_path: str) -> None:
        clone_layout = find_layout(clone_path)
        self.missing: list[str] = []
        self.shallow = _read_small_file(clone_layout.common_folder / "shallow")
        self.refs = _read_refs(clone_layout.common_folder)
        self.head_name, self.head_commit = _read_head(clone_layout.head_folder, self.refs)
        self.path = Path(tempfile.mkdtemp(prefix="deadheat-git-"))
        try:
            self._build_folder(clone_layout.common_folder)
        except OSError as error:
            self.close()
            raise DeadheatError(str(error.strerror), clone_path, "is it readable?") from error

    def _build_folder(self, common_folder: Path) -> None:
        config = _read_small_file(common_folder / "config")
        lines = ["[core]", "\tbare = true", "\trepositoryformatversion = 1"]
        if _SHA256_FORMAT.search(config):
            lines += ["[extensions]", "\tobjectformat = sha256"]
        (self.path / "config").write_text("\n".join(lines) + "\n")
        (self.path / "HEAD").write_text(f"{self.head_commit or 'ref: refs/heads/none'}\n")
        (self.path / "refs").mkdir()
        if self.shallow:
            (self.path / "shallow").write_text(self.shallow)
            self.missing.append("the clone is shallow: older history is not available")
        _link_objects(common_folder / "objects", self.path / "objects")
        if _PROMISOR.search(config):
            self.missing.append("the clone is partial: missing files are not read")
        if (common_folder / "objects" / "info" / "alternates").exists():
            self.missing.append("objects in alternate repositories are not read")
        if (common_folder / "reftable").is_dir():
            self.missing.append("refs are stored in a reftable, which is not read")

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def _link_objects(source: Path, target: Path) -> None:
    """Links packs and loose objects; skips symbolic links in the clone."""
    (target / "pack").mkdir(parents=True)
    (target / "info").mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            if _LOOSE_FOLDER.match(entry.name) and entry.is_dir(follow_symlinks=False):
                _link_loose(Path(entry.path).resolve(), target / entry.name)
    if not (source / "pack").is_dir() or (source / "pack").is_symlink():
        return
    with os.scandir(source / "pack") as entries:
        for entry in entries:
            if _PACK_FILE.match(entry.name) and entry.is_file(follow_symlinks=False):
                (target / "pack" / entry.name).symlink_to(Path(entry.path).resolve())


def _link_loose(source: Path, target: Path) -> None:
    """Links a folder of loose objects, or only its files if it contains anything else."""
    with os.scandir(source) as entries:
        files = [(entry.name, entry.is_file(follow_symlinks=False)) for entry in entries]
    if all(is_file for _, is_file in files):
        target.symlink_to(source)
        return
    target.mkdir()
    for name, is_file in files:
        if is_file:
            (target / name).symlink_to(source / name)


def _read_small_file(path: Path, max_bytes: int = _MAX_FILE_BYTES) -> str:
    """The text of a small file; empty if there is none."""
    try:
        if path.is_symlink() or not path.is_file():
            return ""
        with open(path, "rb") as file:
            return file.read(max_bytes).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _read_refs(common_folder: Path) -> dict[str, str]:
    """Every branch and tag by its full name, with the id that it points to."""
    refs = {}
    for line in _read_small_file(common_folder / "packed-refs", _MAX_PACKED_REFS_BYTES).splitlines():
        if match := _PACKED_REF.match(line):
            refs[match[2]] = match[1]
    count = 0
    if not _is_folder(common_folder / "refs"):
        return refs
    for folder, folders, names in os.walk(common_folder / "refs"):
        folders[:] = sorted(f for f in folders if folder != str(common_folder / "refs") or f in _REF_KINDS)
        for name in sorted(names):
            count += 1
            if count > _MAX_LOOSE_REFS:
                return refs
            path = Path(folder) / name
            text = _read_small_file(path, _MAX_LINE_BYTES).strip()
            full_name = path.relative_to(common_folder).as_posix()
            if _COMMIT_ID.match(text):
                refs[full_name] = text
            elif match := _SYMBOLIC_REF.match(text):
                refs[full_name] = match[0]
    return {name: _resolve_ref(refs, value) for name, value in refs.items() if _resolve_ref(refs, value)}


def _resolve_ref(refs: dict[str, str], value: str) -> str:
    """The id behind a symbolic ref such as `refs/remotes/origin/HEAD`."""
    for _ in range(5):
        match = _SYMBOLIC_REF.match(value)
        if not match:
            return value
        value = refs.get(match[1], "")
    return ""


def _read_head(folder: Path, refs: dict[str, str]) -> tuple[str, str]:
    """The checked-out branch (empty if none) and the id of its commit."""
    text = _read_small_file(folder / "HEAD", _MAX_LINE_BYTES).strip()
    if match := _SYMBOLIC_REF.match(text):
        return match[1], refs.get(match[1], "")
    return "", text if _COMMIT_ID.match(text) else ""
