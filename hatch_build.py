"""Compiles the hot modules with mypyc when a wheel is built and a C compiler is present.

The compiled modules behave like the Python files and are about twice as fast. Without a compiler, or with
DEADHEAT_COMPILE=0, the wheel is pure Python (docs/adr/0011-compiled-where-possible.md).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# runs in a process of its own and in a copy of the sources, because neither mypy nor setuptools cleans up;
# one C file per module and one compiler per core take 40 % of the time of a single C file
_BUILD = """
import os
import sys
from multiprocessing.pool import ThreadPool
from mypyc.build import mypycify
from setuptools import setup
from setuptools.command.build_ext import build_ext

class ParallelBuild(build_ext):
    def build_extensions(self):
        compile_sources = self.compiler.compile
        def compile_in_parallel(sources, *args, **options):
            with ThreadPool(os.cpu_count()) as pool:
                objects = pool.map(lambda source: compile_sources([source], *args, **options), sources, 1)
            return [path for paths in objects for path in paths]
        self.compiler.compile = compile_in_parallel
        super().build_extensions()

sys.argv[1:], modules = ["--quiet", "build_ext", "--inplace"], sys.argv[1:]
setup(name="deadheat", cmdclass={"build_ext": ParallelBuild}, ext_modules=mypycify(
    ["--ignore-missing-imports", "--no-error-summary", *modules],
    opt_level="1", debug_level="0", group_name="deadheat", multi_file=True,
))
"""


class CompileHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return ["mypy[mypyc]>=1.11", "setuptools"] if _can_compile() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard" or not _can_compile():  # an editable install uses the files in src/
            return
        package = Path(self.root, "src/deadheat")
        modules = [f"deadheat/{name}" for name in compiled_modules(package, self.config["exclude"])]
        folder = Path(tempfile.mkdtemp(prefix="deadheat-build-"))
        self._folder = folder
        shutil.copytree(package, folder / "deadheat")
        done = subprocess.run(
            [sys.executable, "-c", _BUILD, *modules],
            cwd=folder,
            env={**os.environ, "MYPYPATH": "."},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        if done.returncode:
            self.app.display_warning(f"deadheat is installed as pure Python; mypyc failed:\n{done.stdout}")
            return
        for path in folder.rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
            if "build" not in path.relative_to(folder).parts:
                build_data["force_include"][str(path)] = str(path.relative_to(folder))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_folder"):
            shutil.rmtree(self._folder, ignore_errors=True)


def compiled_modules(package: Path, exclude: list[str]) -> list[str]:
    """The files below `package` that are compiled: all but those that match a pattern of `exclude`."""
    paths = sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py"))
    return [path for path in paths if not any(fnmatch(path, pattern) for pattern in exclude)]


def _can_compile() -> bool:
    if os.environ.get("DEADHEAT_COMPILE", "1") == "0":
        return False
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return headers.exists() and any(map(shutil.which, ("cc", "gcc", "clang")))
