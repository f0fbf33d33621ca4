"""The Go toolchain for a module, among those on this computer. Nothing is downloaded."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deadheat.errors import DeadheatError
from deadheat.verification.processes import passed_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Version = tuple[int, ...]
# "go 1.21", "toolchain go1.22.3", "go 1.23rc1", in go.mod
_GO_LINE = re.compile(r"^go\s+(\d{1,3}(?:\.\d{1,4}){0,2})", re.MULTILINE)
_TOOLCHAIN_LINE = re.compile(r"^toolchain\s+go(\d{1,3}(?:\.\d{1,4}){0,2})", re.MULTILINE)
# "go1.24.11", "toolchain@v0.0.1-go1.22.3.linux-amd64", "/usr/lib/go-1.19": a version in a folder's name
_VERSION_IN_PATH = re.compile(r"go-?(?:bin-)?(\d{1,3}(?:\.\d{1,4}){1,2})(?![\d.]*\d)")
_SECONDS = 60
_PANIC_ON_EXIT = (1, 16)  # the first version with -test.paniconexit0


class GoToolchain(NamedTuple):
    """An installed toolchain."""

    go: str  # path of the program
    version: Version
    environment: dict[str, str]  # of all its processes

    @property
    def version_text(self) -> str:
        return f"go{format_version(self.version)}"

    @property
    def has_panic_on_exit(self) -> bool:
        return self.version >= _PANIC_ON_EXIT


def parse_version(text: str) -> Version:
    return tuple(int(part) for part in text.split("."))


def format_version(version: Version) -> str:
    return ".".join(map(str, version))


def required_version(go_mod: str) -> Version:
    """The oldest version that a module accepts; empty if it does not say."""
    match = _GO_LINE.search(go_mod)
    return parse_version(match[1]) if match else ()


def preferred_version(go_mod: str) -> Version:
    """The version that a module asks for."""
    match = _TOOLCHAIN_LINE.search(go_mod) or _GO_LINE.search(go_mod)
    return parse_version(match[1]) if match else ()


def version_in_paths(paths: Iterable[str]) -> Version:
    """The version in the paths of frames of the standard library: `/sdk/go1.21.3/src/sync/map.go`."""
    for path in paths:
        if "/src/" in path and (match := _VERSION_IN_PATH.search(path.rpartition("/src/")[0])):
            return parse_version(match[1])
    return ()


def find_toolchain(go_mod: str, reported: Version = ()) -> GoToolchain:
    """The toolchain that the report asks for, else `go` on PATH if the module accepts it, else the oldest other one."""
    needed = required_version(go_mod)
    installed: list[GoToolchain] = []
    for go in _programs():
        toolchain = _read_toolchain(go)
        if toolchain is not None:
            if not installed and toolchain.version >= needed and reported in ((), toolchain.version):
                return toolchain  # `go` on PATH
            installed.append(toolchain)
    usable = [each for each in installed if each.version >= needed]
    for wanted in (reported, preferred_version(go_mod)):
        if exact := [each for each in usable if wanted and each.version == wanted]:
            return exact[0]
    if usable and usable[0] is installed[0]:
        return usable[0]
    if usable:
        return min(usable, key=lambda each: each.version)
    if installed:
        found = ", ".join(sorted({each.version_text for each in installed}))
        what = f"the module needs go {format_version(needed)}, but this computer has only {found}"
        raise DeadheatError(what, "go.mod", f"install go {format_version(needed)} and put it on PATH")
    what = "no Go toolchain is on PATH"
    raise DeadheatError(what, "", f"install go {format_version(needed) or '1.21 or newer'} and put it on PATH")


def _programs() -> Iterator[str]:
    """The `go` on PATH, then those in the module cache and in the usual folders."""
    on_path = shutil.which("go")
    if on_path:
        yield on_path
    home = Path.home()
    module_caches = [Path(os.environ.get("GOMODCACHE") or home / "go" / "pkg" / "mod")]
    folders = [cache / "golang.org" for cache in module_caches]
    folders += [home / "sdk", Path("/usr/local"), Path("/usr/lib"), Path("/opt")]
    if on_path:
        folders.append(Path(os.path.realpath(on_path)).parents[2])
    for folder in dict.fromkeys(folders):
        for go in sorted(folder.glob("*go*/bin/go")) if folder.is_dir() else ():
            if str(go) != on_path and os.access(go, os.X_OK):
                yield str(go)


def _read_toolchain(go: str) -> GoToolchain | None:
    """The version of a toolchain by its VERSION file, else as it says itself."""
    root = Path(os.path.realpath(go)).parents[1]
    version_file = root / "VERSION"
    text = version_file.read_text(errors="replace")[:40] if version_file.is_file() else _run_go(go, "version")
    match = re.search(r"go(\d{1,3}(?:\.\d{1,4}){0,2})", text)
    return GoToolchain(go, parse_version(match[1]), _go_environment(root)) if match else None


def _run_go(go: str, *words: str) -> str:
    environment = passed_environment() | {"GOTOOLCHAIN": "local"}
    try:
        done = subprocess.run(
            [go, *words], env=environment, cwd="/", capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _go_environment(root: Path) -> dict[str, str]:
    """The variables for a toolchain: it downloads nothing, and switches to no other."""
    environment = passed_environment()
    path = f"{root / 'bin'}{os.pathsep}{environment.get('PATH', '')}"
    offline = {"GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOTELEMETRY": "off", "GOVCS": "*:off"}
    # -race needs cgo; flags of the user may be meant for another module
    return environment | offline | {"PATH": path, "GOROOT": str(root), "CGO_ENABLED": "1", "GOFLAGS": ""}
