"""Versions of code that travel: packed into one file where they are built, unpacked where their trials run.

The archive contains the test binary, if it is a Go test, and the files that a test may read: those of the whole
repository if they are below a limit, else of the largest folder around the package that is.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.printable import visible_text
from deadheat.verification.processes import adapted_environment, portable_environment
from deadheat.verification.trials import CommandCode, GoTestCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.verification.trials import TrialCode

MAX_PACKAGE_BYTES = 1 << 29
_BINARY, _TREE = "race.test", "tree"  # in the archive
_COMPRESSION = 1  # race test binaries shrink to about a half; more takes longer than to send them
_UNPACKED = ".complete"


class CodePackage(NamedTuple):
    """A packed version."""

    archive: Path  # named by the digest of its content
    code: TrialCode  # its paths are those in the archive
    note: str = ""  # what is not in it


def pack_code(code: TrialCode, folder: Path, max_bytes: int = MAX_PACKAGE_BYTES) -> CodePackage:
    """Pack a version into a file in a folder."""
    if isinstance(code, GoTestCode):
        return _pack_go_test(code, folder, max_bytes)
    assert isinstance(code, CommandCode)
    if _size_below(code.folder, max_bytes) is None:
        what = f"the built tree has more than {max_bytes >> 20} MiB, which is the limit for executors"
        raise DeadheatError(what, "", "clean what the build leaves behind, or run without --master")
    packed = CommandCode(tuple(code.command), Path(_TREE), portable_environment(code.environment))
    return CodePackage(_write_archive(folder, {_TREE: code.folder}), packed)


def _pack_go_test(code: GoTestCode, folder: Path, max_bytes: int) -> CodePackage:
    binary = code.binary
    free_bytes = max_bytes - binary.path.stat().st_size
    inner = binary.package_folder.relative_to(binary.tree)
    around = [binary.tree, *(binary.tree / parent for parent in reversed(inner.parents[:-1])), binary.package_folder]
    chosen = next((each for each in around if _size_below(each, free_bytes) is not None), None)
    if chosen is None:
        what = f"the test binary and the folder of its package have more than {max_bytes >> 20} MiB"
        raise DeadheatError(what, visible_text(str(inner)), "this is the limit for executors; run without --master")
    root = Path(_TREE, chosen.relative_to(binary.tree))
    packed = binary._replace(
        path=Path(_BINARY),
        package_folder=Path(_TREE, inner),
        tree=Path(_TREE),
        toolchain=binary.toolchain._replace(go="", environment=portable_environment(binary.toolchain.environment)),
    )
    name = visible_text(str(chosen.relative_to(binary.tree)))
    limit = f"the repository has more than {max_bytes >> 20} MiB"
    note = "" if chosen == binary.tree else f"executors have only the files of {name}: {limit}"
    archive = _write_archive(folder, {_BINARY: binary.path, str(root): chosen})
    return CodePackage(archive, GoTestCode(packed, code.test), note)


def _size_below(folder: Path, limit: int) -> int | None:
    """The size of all files in a folder; None if it is more than the limit."""
    total = 0
    for path, _, files in os.walk(folder):
        for file in files:
            total += os.lstat(os.path.join(path, file)).st_size
            if total > limit:
                return None
    return total


def _write_archive(folder: Path, members: dict[str, Path]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    unnamed = folder / "package.partial"
    with tarfile.open(unnamed, "w:gz", compresslevel=_COMPRESSION) as archive:
        for name, path in members.items():
            archive.add(path, name, filter=_normalise_member)
    with open(unnamed, "rb") as file:
        digest = blake2b(digest_size=16)
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return unnamed.rename(folder / f"deadheat-{digest.hexdigest()}.tar.gz")


def _normalise_member(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Files, folders and links, without their owner; no devices or pipes."""
    if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def unpack_archive(archive: Path, folder: Path) -> Path:
    """Unpack an archive below a folder, once for all processes. Returns the folder with its content."""
    target = folder / archive.name.partition(".")[0]
    complete = target / _UNPACKED
    if complete.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder / f"{target.name}.lock"):
        if not complete.exists():
            shutil.rmtree(target, ignore_errors=True)  # of a process that was killed
            target.mkdir()
            with tarfile.open(archive) as opened:
                opened.extractall(target, filter="tar")
            complete.touch()
    return target


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    import fcntl

    with open(path, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def find_code_in(code: TrialCode, folder: Path) -> TrialCode:
    """The packed version in the folder where it was unpacked, with the environment of this computer."""
    if isinstance(code, CommandCode):
        return CommandCode(code.command, folder / code.folder, adapted_environment(code.environment))
    assert isinstance(code, GoTestCode)
    binary = code.binary
    environment = adapted_environment(binary.toolchain.environment)
    found = binary._replace(
        path=folder / binary.path,
        package_folder=folder / binary.package_folder,
        tree=folder / binary.tree,
        toolchain=binary.toolchain._replace(environment=environment),
    )
    return GoTestCode(found, code.test)
