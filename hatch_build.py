"""Compiles the rooms that every report passes through when a wheel is built where a C compiler is.

The same Python files, compiled by mypyc: twice the speed, and nothing that only the one or the other
could do. Without a compiler, or with DEADHEAT_COMPILE=0, the wheel is plain Python
(docs/adr/0011-compiled-where-possible.md).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# run in a process of its own, in a copy of the sources: neither mypy nor setuptools cleans up; a file
# for each module and as many compilers as cores take two fifths of the time that one file takes
_BUILD = """
import os
import sys
from multiprocessing.pool import ThreadPool
from mypyc.build import mypycify
from setuptools import setup
from setuptools.command.build_ext import build_ext

class AllAtOnce(build_ext):
    def build_extensions(self):
        one_by_one = self.compiler.compile
        def compile(sources, *args, **ways):
            with ThreadPool(os.cpu_count()) as pool:
                made = pool.map(lambda one: one_by_one([one], *args, **ways), sources, 1)
            return [made_of_one for each in made for made_of_one in each]
        self.compiler.compile = compile
        super().build_extensions()

sys.argv[1:], modules = ["--quiet", "build_ext", "--inplace"], sys.argv[1:]
setup(name="deadheat", cmdclass={"build_ext": AllAtOnce}, ext_modules=mypycify(
    ["--ignore-missing-imports", "--no-error-summary", *modules],
    opt_level="1", debug_level="0", group_name="deadheat", multi_file=True,
))
"""


class Compiled(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return ["mypy[mypyc]>=1.11", "setuptools"] if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard" or not _wanted():  # an editable install runs what is in src/
            return
        modules = [f"deadheat/{name}.py" for name in self.config["modules"]]
        folder = Path(tempfile.mkdtemp(prefix="deadheat-build-"))
        self._folder = folder
        shutil.copytree(Path(self.root, "src/deadheat"), folder / "deadheat")
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
            self.app.display_warning(f"deadheat stays plain Python, mypyc said:\n{done.stdout}")
            return
        for made in folder.rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
            if "build" not in made.relative_to(folder).parts:
                build_data["force_include"][str(made)] = str(made.relative_to(folder))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_folder"):
            shutil.rmtree(self._folder, ignore_errors=True)


def _wanted() -> bool:
    if os.environ.get("DEADHEAT_COMPILE", "1") == "0":
        return False
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return headers.exists() and any(map(shutil.which, ("cc", "gcc", "clang")))
