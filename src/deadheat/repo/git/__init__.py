"""Reads git objects with plumbing commands, in a clean environment, through a sandbox directory.

Git obeys the configuration, hooks, attributes, alternates and replace refs of a repository. A clone may be untrusted,
so git never runs in it. Instead it runs in a temporary directory with its own configuration, whose object store
consists of links to the packs and loose objects of the clone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    # phase, number of things that are done, their total if it is known, and what they are: "commit"
    ProgressCallback = Callable[[str, int, int | None, str], None]

_Item = TypeVar("_Item")
# "	objectformat = sha256": needed to read the objects
_SHA256_FORMAT = re.compile(r"^[ \t]*objectformat[ \t]*=[ \t]*sha256\s*$", re.IGNORECASE | re.MULTILINE)
# "	promisor = true": objects may be missing
_PROMISOR = re.compile(r"^[ \t]*promisor[ \t]*=[ \t]*true\s*$", re.IGNORECASE | re.MULTILINE)
# "	url = https://github.com/pingcap/tidb.git", "	url = git@github.com:pingcap/tidb"
_REMOTE_URL = re.compile(r"^[ \t]*url[ \t]*=[ \t]*(\S{1,1000})\s*$", re.IGNORECASE | re.MULTILINE)
_LOOSE_FOLDER = re.compile(r"[0-9a-f]{2}$")
_PACK_FILE = re.compile(r"pack-[0-9a-f]{40,64}\.(?:pack|idx|promisor)$")
# "4f0c… refs/heads/main", "4f0c… refs/pull/12/head"; notes and replacements are no history
_PACKED_REF = re.compile(r"^([0-9a-f]{40,64}) (refs/(?!notes/|replace/)[^\n]{1,500})$", re.MULTILINE)
_COMMIT_ID = re.compile(r"[0-9a-f]{40,64}$")
_SYMBOLIC_REF = re.compile(r"ref: (refs/.{1,500})", re.DOTALL)
# what `git check-ref-format` rejects: components that begin with a dot or end with ".lock"; no slash; ".."; "@{";
# control characters, blanks and "~^:?*[\"; slashes at the ends or in a row; a dot at the end
_INVALID_IN_REF = re.compile(r"(?:^|/)\.|\.lock(?:/|\Z)|\A[^/]*\Z|\.\.|[\0-\x20\x7f~^:?*\[\\]|\A/|//|/\Z|\.\Z|@\{")
# branches and tags; other refs, such as those of pull requests, are searched for versions of files only
_NAMED_REFS = ("refs/heads/", "refs/remotes/", "refs/tags/")
_SKIPPED_REF_FOLDERS = ("notes", "replace")
# number of loose refs; bytes of packed-refs and of other git files
_MAX_LOOSE_REFS, MAX_PACKED_REFS_BYTES, _MAX_FILE_BYTES = 20_000, 1 << 26, 1 << 20
MAX_LINE_BYTES = 1 << 10


def find_git_folders(clone_path: str) -> tuple[Path, Path]:
    """The folder with HEAD and the git directory of a clone, bare or not; a linked work tree has its own HEAD."""
    root = Path(clone_path)
    dot_git = root / ".git"
    if dot_git.is_symlink():
        raise DeadheatError(".git is a symbolic link", clone_path, "give the repository itself")
    if dot_git.is_file():
        return _linked_worktree(dot_git)
    for git_folder in (dot_git, root):
        if _is_folder(git_folder / "objects") and (git_folder / "HEAD").is_file():
            return git_folder, git_folder
    raise DeadheatError("not a git repository", clone_path, "give the folder of a clone")


def _linked_worktree(pointer: Path) -> tuple[Path, Path]:
    """The folders of a linked work tree, if its main repository knows the work tree."""
    target = read_small_file(pointer).partition("gitdir: ")[2].strip()
    folder = (pointer.parent / target).resolve()
    back_reference = read_small_file(folder / "gitdir").strip()
    if not target or not back_reference or Path(back_reference).resolve() != pointer.resolve():
        what = ".git points to a directory that does not point back"
        raise DeadheatError(what, str(pointer.parent), "give the repository itself")
    common_folder = (folder / (read_small_file(folder / "commondir").strip() or ".")).resolve()
    if not _is_folder(common_folder / "objects"):
        raise DeadheatError("not a git repository", str(common_folder), "give the folder of a clone")
    return folder, common_folder


def _is_folder(path: Path) -> bool:
    """Whether the path is a folder and not a symbolic link."""
    return path.is_dir() and not path.is_symlink()


class GitSandbox:
    """The temporary directory that git uses instead of that of the clone."""

    def __init__(self, clone_path: str) -> None:
        head_folder, common_folder = find_git_folders(clone_path)
        self.missing: list[str] = []
        self.shallow = read_small_file(common_folder / "shallow")
        self.all_refs, invalid_count = _read_refs(common_folder)
        if invalid_count:
            self.missing.append(f"refs with invalid names are ignored: {invalid_count}")
        self.refs = {name: commit for name, commit in self.all_refs.items() if name.startswith(_NAMED_REFS)}
        self.head_name, self.head_commit = _read_head(head_folder, self.refs)
        self.path = Path(tempfile.mkdtemp(prefix="deadheat-git-"))
        try:
            self._build_folder(common_folder)
        except OSError as error:
            self.close()
            raise DeadheatError(str(error.strerror), clone_path, "is it readable?") from error

    def _build_folder(self, common_folder: Path) -> None:
        config = read_small_file(common_folder / "config")
        self.remote_urls = _REMOTE_URL.findall(config)
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
            self.missing.append(
                "objects in alternate repositories are not read; `git repack -a -d` in the clone copies them, then"
                " remove objects/info/alternates"
            )
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


def read_small_file(path: Path, max_bytes: int = _MAX_FILE_BYTES) -> str:
    """The text of a small file; empty if there is none."""
    try:
        if path.is_symlink() or not path.is_file():
            return ""
        with open(path, "rb") as file:
            return file.read(max_bytes).decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def is_valid_ref_name(name: str) -> bool:
    """Whether git accepts the full name of a ref. Git itself does not check the names in `packed-refs`."""
    return _INVALID_IN_REF.search(name) is None


def _read_refs(common_folder: Path) -> tuple[dict[str, str], int]:
    """Every ref by its full name, with the id that it points to, and how many have invalid names."""
    packed = _PACKED_REF.findall(read_small_file(common_folder / "packed-refs", MAX_PACKED_REFS_BYTES))
    refs = {name: commit for commit, name in packed} | dict(_loose_refs(common_folder))
    valid = {name: value for name, value in refs.items() if _INVALID_IN_REF.search(name) is None}
    for name in [name for name, value in valid.items() if value.startswith("ref: ")]:
        valid[name] = _resolve_ref(valid, valid[name])
    return {name: commit for name, commit in valid.items() if commit}, len(refs) - len(valid)


def _loose_refs(common_folder: Path) -> Iterator[tuple[str, str]]:
    """The refs that are files, each with its id or `ref: NAME`."""
    count = 0
    if not _is_folder(common_folder / "refs"):
        return
    for folder, folders, names in os.walk(common_folder / "refs"):
        is_top = folder == str(common_folder / "refs")
        folders[:] = sorted(f for f in folders if not (is_top and f in _SKIPPED_REF_FOLDERS))
        for name in sorted(names):
            if name.startswith(".") or name.endswith(".lock"):
                continue  # no refs, also for git
            count += 1
            if count > _MAX_LOOSE_REFS:
                return
            path = Path(folder) / name
            text = read_small_file(path, MAX_LINE_BYTES).strip()
            full_name = path.relative_to(common_folder).as_posix()
            if _COMMIT_ID.match(text) or _SYMBOLIC_REF.fullmatch(text):
                yield full_name, text


def _resolve_ref(refs: dict[str, str], value: str) -> str:
    """The id behind a symbolic ref such as `refs/remotes/origin/HEAD`."""
    for _ in range(5):
        match = _SYMBOLIC_REF.fullmatch(value)
        if not match:
            return value
        value = refs.get(match[1], "")
    return ""


def _read_head(folder: Path, refs: dict[str, str]) -> tuple[str, str]:
    """The checked-out branch (empty if none) and the id of its commit."""
    text = read_small_file(folder / "HEAD", MAX_LINE_BYTES).strip()
    if match := _SYMBOLIC_REF.fullmatch(text):
        name = match[1] if is_valid_ref_name(match[1]) else ""
        return name, refs.get(name, "")
    return "", text if _COMMIT_ID.match(text) else ""


# larger objects are not source code, and may be malicious
MAX_OBJECT_BYTES = 1 << 23
_CHUNK_BYTES = 1 << 16
# memory limits of a git process: to read objects, to list changes
_MAX_MEMORY, _MAX_LISTING_MEMORY = 2 << 30, 1 << 28
_MAX_CACHE_BYTES = 1 << 27
# a full object id: its content never changes
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?$")
_MAX_BATCH_BYTES = 1 << 14  # bytes; less than a pipe buffer, so that neither side blocks
# modes of regular files; not of links, submodules or deleted files
_FILE_MODES = (b"100644", b"100755", b"100664")
_PASSED_VARIABLES = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH")


def git_environment() -> dict[str, str]:
    """An environment in which git reads no outside configuration and cannot write, prompt or fetch."""
    variables = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
    return variables | {
        "LC_ALL": "C",
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "none",
    }


_ITEMS_PER_REPORT = 32


def _ignore_progress(phase: str, done: int, total: int | None, noun: str) -> None:
    """Shows no progress."""


class GitReader:
    def __init__(self, clone_path: str) -> None:
        self.clone_path = clone_path
        self._sandbox = GitSandbox(clone_path)
        self._cat_file: subprocess.Popen[bytes] | None = None
        self._cache: dict[str, bytes] = {}
        self._cache_bytes = 0
        self.missing = self._sandbox.missing
        self.refs, self.remote_urls = self._sandbox.refs, self._sandbox.remote_urls
        self.all_refs = self._sandbox.all_refs
        self.head_name, self.head_commit = self._sandbox.head_name, self._sandbox.head_commit
        self.shallow = self._sandbox.shallow

        self.on_progress: ProgressCallback = _ignore_progress

    def track(self, items: Iterable[_Item], phase: str, total: int | None, noun: str) -> Iterator[_Item]:
        """Yields the items of a slow phase and reports how many are done."""
        count = 0
        try:
            for count, item in enumerate(items, 1):
                if count % _ITEMS_PER_REPORT == 0:
                    self.on_progress(phase, count, total, noun)
                yield item
        finally:
            self.on_progress(phase, count, count, noun)

    def close(self) -> None:
        self._stop_cat_file()
        self._sandbox.close()

    def __enter__(self) -> GitReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def command_line(self, *args: str) -> list[str]:
        options = ("safe.directory=*", "core.bigFileThreshold=8m", "core.commitGraph=false", "protocol.allow=never")
        settings = [part for option in options for part in ("-c", option)]
        return ["git", f"--git-dir={self._sandbox.path}", "--literal-pathspecs", "--no-pager", *settings, *args]

    def _start_git(
        self, args: tuple[str, ...], stdin: int | IO[bytes] = subprocess.DEVNULL, memory: int = _MAX_MEMORY
    ) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(
                self.command_line(*args),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=git_environment(),
                cwd=self._sandbox.path,
            )
        except OSError as error:
            raise DeadheatError("git cannot be run", do="install git") from error
        _limit_memory(process.pid, memory)
        return process

    def output_lines(self, *args: str) -> Generator[str]:
        """The output lines of a git command. If the command fails, the output just ends."""
        with self._start_git(args) as process:
            assert process.stdout is not None
            for line in process.stdout:
                yield line.decode("utf-8", "surrogateescape").rstrip("\n")

    def output_records(self, stdin_lines: Iterable[str], *args: str, memory: int = 0) -> Generator[bytes]:
        """The NUL-terminated records that a command prints when it reads these lines from stdin."""
        with tempfile.TemporaryFile() as file:
            file.writelines(f"{line}\n".encode() for line in stdin_lines)
            file.seek(0)
            with self._start_git(args, file, memory or _MAX_LISTING_MEMORY) as process:
                assert process.stdout is not None
                partial = b""
                while chunk := process.stdout.read(_CHUNK_BYTES):
                    *complete, partial = (partial + chunk).split(b"\0")
                    yield from complete
                if process.wait():
                    self.missing.append("git could not read the complete history")

    def commits_changing(self, tips: Iterable[str], paths: Sequence[str]) -> Generator[tuple[str, str]]:
        """The commits that changed one of these files, each with a tip from which it is reachable."""
        options = ("--stdin", "--full-history", "--source", "--format=%H %S", "-z")
        for record in self.output_records(tips, "log", *options, "--", *paths, memory=_MAX_MEMORY):
            commit, _, tip = record.decode("ascii", "replace").strip().partition(" ")
            yield commit, tip.rpartition("\t")[2]

    def changed_files(self, commits: Iterable[tuple[str, str]]) -> Generator[tuple[str, bytes, str, str]]:
        """The files that commits change against these parents: commit, path, old and new blob id (empty: no file)."""
        requests = (f"{commit} {parent}".rstrip() for commit, parent in commits)
        commit, meta = "", b""
        options = ("--stdin", "--root", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
        for record in self.output_records(requests, "diff-tree", *options):
            if meta:
                old_mode, new_mode, old, new, _ = meta.lstrip(b":").split(b" ")
                old_blob = old.decode() if old_mode in _FILE_MODES else ""
                yield commit, record, old_blob, new.decode() if new_mode in _FILE_MODES else ""
                meta = b""
            elif record[:1] == b":":
                meta = record
            else:
                commit = record.decode()

    def read_objects(self, names: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """The content of each object by name (`id`, `commit:path`); None if it cannot be read."""
        for batch in _request_batches(names):
            cached = {name: self._cache.get(name) for name in batch}
            uncached = self._read_uncached([name for name in batch if cached[name] is None])
            for name in batch:
                content = cached[name]
                if content is None:
                    _, content = next(uncached)
                    self._cache_object(name, content)
                yield name, content
            for _ in uncached:  # run the generator to its end
                pass

    def _cache_object(self, name: str, content: bytes | None) -> None:
        """Caches the content of an object id; evicts the oldest entries first."""
        if content is None or name in self._cache or not _OBJECT_ID.match(name):
            return
        self._cache[name] = content
        self._cache_bytes += len(content)
        while self._cache_bytes > _MAX_CACHE_BYTES:
            self._cache_bytes -= len(self._cache.pop(next(iter(self._cache))))

    def read_object(self, name: str) -> bytes | None:
        ((_, content),) = list(self.read_objects([name]))
        return content

    def object_ids(self, names: Iterable[str]) -> list[str | None]:
        """The id of each object by name, without reading the object."""
        names = list(names)
        if not names:
            return []
        with tempfile.TemporaryFile() as file:
            file.writelines(_batch_request(name) for name in names)
            file.seek(0)
            with self._start_git(("cat-file", "--batch-check=%(objectname)"), file) as process:
                assert process.stdout is not None
                # "<id>" or "<name> missing"
                return [None if b" " in line else line.decode().rstrip("\n") for line in process.stdout]

    def _read_uncached(self, names: list[str]) -> Iterator[tuple[str, bytes | None]]:
        """Reads objects that are not cached; restarts git after a broken object."""
        position, finished = 0, False
        try:
            while position < len(names):
                for name, content, broken in self._read_batch(names[position:]):
                    position += 1
                    if broken:
                        self._stop_cat_file()
                    yield name, content
                    if broken:
                        break
            finished = True
        finally:
            if not finished:  # the caller stopped early: drop the unread replies
                self._stop_cat_file()

    def _read_batch(self, names: list[str]) -> Iterator[tuple[str, bytes | None, bool]]:
        if self._cat_file is None:
            self._cat_file = self._start_git(("cat-file", "--batch"), subprocess.PIPE)
        stdin, stdout = self._cat_file.stdin, self._cat_file.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(b"".join(map(_batch_request, names)))
            stdin.flush()
        except BrokenPipeError:
            yield names[0], None, True
            return
        for name in names:
            header = stdout.readline()
            if not header:  # git exits on a broken object
                yield name, None, True
                return
            fields = header.rsplit(b" ", 2)
            if len(fields) < 3 or not fields[2].strip().isdigit():
                yield name, None, False
                continue
            size = int(fields[2])
            if size > MAX_OBJECT_BYTES:
                yield name, None, True
                return
            content = stdout.read(size)
            broken = len(content) < size or stdout.read(1) != b"\n"
            is_genuine = not broken and _matches_id(fields[0], fields[1], content)
            yield name, content if is_genuine else None, broken
            if broken:
                return

    def _stop_cat_file(self) -> None:
        if self._cat_file is not None:
            self._cat_file.kill()
            self._cat_file.communicate()
            self._cat_file = None


def _limit_memory(pid: int, memory: int) -> None:
    """Limits the memory that git can allocate; mapped pack files do not count."""
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.prlimit(pid, resource.RLIMIT_DATA, (memory, memory))


def _matches_id(name: bytes, kind: bytes, content: bytes) -> bool:
    """Whether the content hashes to the id. Cached answers are keyed by id and shared between clones."""
    digest = hashlib.sha1(usedforsecurity=False) if len(name) == 40 else hashlib.sha256()
    digest.update(b"%s %d\0" % (kind, len(content)))
    digest.update(content)
    return digest.hexdigest().encode() == name


def _batch_request(name: str) -> bytes:
    """A request line for `git cat-file`. A newline in a path would end the request."""
    return name.replace("\n", "?").encode("utf-8", "surrogateescape") + b"\n"


def _request_batches(names: Iterable[str]) -> Iterator[list[str]]:
    """Splits the names into lists that fit into a pipe buffer."""
    pending: list[str] = []
    length = 0
    for name in names:
        if pending and length + len(name) > _MAX_BATCH_BYTES:
            yield pending
            pending, length = [], 0
        pending.append(name[:_MAX_BATCH_BYTES])
        length += len(name) + 1
    if pending:
        yield pending
