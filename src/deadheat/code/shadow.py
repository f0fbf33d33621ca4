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
_SHA256 = re.compile(r"^\s*objectformat\s*=\s*sha256\s*$", re.IGNORECASE | re.MULTILINE)
# "	promisor = true": objects may be missing
_PROMISOR = re.compile(r"^\s*promisor\s*=\s*true\s*$", re.IGNORECASE | re.MULTILINE)
_FAN_OUT = re.compile(r"[0-9a-f]{2}$")
_PACK = re.compile(r"pack-[0-9a-f]{40,64}\.(?:pack|idx|promisor)$")
# "4f0c… refs/heads/main"; refs such as "refs/pull/…" are ignored
_REF = re.compile(r"([0-9a-f]{40,64}) (refs/(?:heads|remotes|tags)/\S{1,500})$")
_ID = re.compile(r"[0-9a-f]{40,64}$")
_SYMBOLIC = re.compile(r"ref: (refs/\S{1,200})$")
_KINDS = ("heads", "remotes", "tags")
# number of loose refs; bytes of packed-refs and of other git files
_MOST_LOOSE_REFS, _MOST_TEXT, _SHORT = 20_000, 1 << 26, 1 << 20
_LINE = 1 << 10


@dataclass(frozen=True, slots=True)
class Layout:
    """The folders of a clone. A linked work tree has its own HEAD."""

    head: Path
    common: Path


def layout(where: str) -> Layout:
    """Finds the git directory of a clone, bare or not."""
    root = Path(where)
    inner = root / ".git"
    if inner.is_symlink():
        raise DeadheatError(".git is a symbolic link", where, "give the repository itself")
    if inner.is_file():
        return _linked(inner)
    for folder in (inner, root):
        if _is_folder(folder / "objects") and (folder / "HEAD").is_file():
            return Layout(folder, folder)
    raise DeadheatError("not a git repository", where, "give the folder of a clone")


def _linked(pointer: Path) -> Layout:
    """The layout of a linked work tree, if its main repository knows the work tree."""
    told = _text(pointer).partition("gitdir: ")[2].strip()
    folder = (pointer.parent / told).resolve()
    back = _text(folder / "gitdir").strip()
    if not told or not back or Path(back).resolve() != pointer.resolve():
        raise DeadheatError(
            ".git points to a directory that does not point back",
            str(pointer.parent),
            "give the repository itself",
        )
    common = (folder / (_text(folder / "commondir").strip() or ".")).resolve()
    if not _is_folder(common / "objects"):
        raise DeadheatError("not a git repository", str(common), "give the folder of a clone")
    return Layout(folder, common)


def _is_folder(path: Path) -> bool:
    """Whether the path is a folder and not a symbolic link."""
    return path.is_dir() and not path.is_symlink()


class Shadow:
    """The temporary directory that git uses instead of that of the clone."""

    def __init__(self, where: str) -> None:
        found = layout(where)
        self.missing: list[str] = []
        self.shallow = _text(found.common / "shallow")
        self.refs = _refs(found.common)
        self.head_name, self.head = _head(found.head, self.refs)
        self.path = Path(tempfile.mkdtemp(prefix="deadheat-git-"))
        try:
            self._build(found.common)
        except OSError as error:
            self.close()
            raise DeadheatError(str(error.strerror), where, "is it readable?") from error

    def _build(self, common: Path) -> None:
        config = _text(common / "config")
        lines = ["[core]", "\tbare = true", "\trepositoryformatversion = 1"]
        if _SHA256.search(config):
            lines += ["[extensions]", "\tobjectformat = sha256"]
        (self.path / "config").write_text("\n".join(lines) + "\n")
        (self.path / "HEAD").write_text(f"{self.head or 'ref: refs/heads/none'}\n")
        (self.path / "refs").mkdir()
        if self.shallow:
            (self.path / "shallow").write_text(self.shallow)
            self.missing.append("the clone is shallow: older history is not available")
        _link_objects(common / "objects", self.path / "objects")
        if _PROMISOR.search(config):
            self.missing.append("the clone is partial: missing files are not read")
        if (common / "objects" / "info" / "alternates").exists():
            self.missing.append(
                "objects in alternate repositories are not read"
            )
        if (common / "reftable").is_dir():
            self.missing.append("refs are stored in a reftable, which is not read")

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def _link_objects(source: Path, target: Path) -> None:
    """Links packs and loose objects; skips symbolic links in the clone."""
    (target / "pack").mkdir(parents=True)
    (target / "info").mkdir()
    with os.scandir(source) as entries:
        for entry in entries:
            if _FAN_OUT.match(entry.name) and entry.is_dir(follow_symlinks=False):
                _link_loose(Path(entry.path).resolve(), target / entry.name)
    if not (source / "pack").is_dir() or (source / "pack").is_symlink():
        return
    with os.scandir(source / "pack") as entries:
        for entry in entries:
            if _PACK.match(entry.name) and entry.is_file(follow_symlinks=False):
                (target / "pack" / entry.name).symlink_to(Path(entry.path).resolve())


def _link_loose(source: Path, target: Path) -> None:
    """Links a folder of loose objects, or only its files if it contains anything else."""
    with os.scandir(source) as entries:
        found = [(entry.name, entry.is_file(follow_symlinks=False)) for entry in entries]
    if all(is_file for _, is_file in found):
        target.symlink_to(source)
        return
    target.mkdir()
    for name, is_file in found:
        if is_file:
            (target / name).symlink_to(source / name)


def _text(path: Path, most: int = _SHORT) -> str:
    """The text of a small file; empty if there is none."""
    try:
        if path.is_symlink() or not path.is_file():
            return ""
        with open(path, "rb") as file:
            return file.read(most).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _refs(common: Path) -> dict[str, str]:
    """Every branch and tag by its full name, with the id that it points to."""
    refs = {}
    for line in _text(common / "packed-refs", _MOST_TEXT).splitlines():
        if told := _REF.match(line):
            refs[told[2]] = told[1]
    count = 0
    if not _is_folder(common / "refs"):
        return refs
    for folder, folders, names in os.walk(common / "refs"):
        folders[:] = sorted(f for f in folders if folder != str(common / "refs") or f in _KINDS)
        for name in sorted(names):
            count += 1
            if count > _MOST_LOOSE_REFS:
                return refs
            path = Path(folder) / name
            text = _text(path, _LINE).strip()
            full = path.relative_to(common).as_posix()
            if _ID.match(text):
                refs[full] = text
            elif told := _SYMBOLIC.match(text):
                refs[full] = told[0]
    return {name: _followed(refs, value) for name, value in refs.items() if _followed(refs, value)}


def _followed(refs: dict[str, str], value: str) -> str:
    """The id behind a symbolic ref such as `refs/remotes/origin/HEAD`."""
    for _ in range(5):
        told = _SYMBOLIC.match(value)
        if not told:
            return value
        value = refs.get(told[1], "")
    return ""


def _head(folder: Path, refs: dict[str, str]) -> tuple[str, str]:
    """The checked-out branch (empty if none) and the id of its commit."""
    text = _text(folder / "HEAD", _LINE).strip()
    if told := _SYMBOLIC.match(text):
        return told[1], refs.get(told[1], "")
    return "", text if _ID.match(text) else ""
