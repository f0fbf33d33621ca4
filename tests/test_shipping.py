"""Whether executors have the package of the driver, or must be sent it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark import cloudpickle

import deadheat
from deadheat.spark import shipping

# what an executor does: it loads a function that may not refer to the package
_ASK = """
import os, pickle, sys
from pyspark import cloudpickle  # beside an installed package
sys.path[:] = [sys.argv[1], *(entry for entry in sys.path if not os.path.exists(os.path.join(entry, "deadheat")))]
find_digest = pickle.load(sys.stdin.buffer)
print(find_digest(), "deadheat" in sys.modules)
"""


def digest_at(folder: Path) -> str:
    """The digest that a Python with this folder on its path finds."""
    dumps: Any = cloudpickle.dumps  # has no types
    finder = dumps(shipping.package_digest_finder())
    done = subprocess.run([sys.executable, "-c", _ASK, folder], input=finder, capture_output=True, check=True)
    digest, _, is_imported = str(done.stdout, "utf-8").rstrip("\n").rpartition(" ")
    assert is_imported == "False"
    return digest


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with an installed package: compiled, and used before."""
    package = tmp_path / "deadheat"
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(Path(deadheat.__file__).parent, package, ignore=ignored)
    (package / "model.cpython-311-x86_64-linux-gnu.so").write_bytes(b"\x7fELF")
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "model.cpython-311.pyc").write_bytes(b"bytecode")
    return tmp_path


def test_an_installed_package_of_the_same_sources_is_recognised(installed: Path) -> None:
    assert digest_at(installed) == shipping.package_digest_finder()() != ""


def test_other_sources_are_recognised(installed: Path) -> None:
    with (installed / "deadheat" / "model.py").open("a") as file:
        file.write("# changed\n")
    assert digest_at(installed) not in ("", shipping.package_digest_finder()())


def test_no_package_or_a_zip_file_must_be_replaced(tmp_path: Path) -> None:
    assert digest_at(tmp_path) == ""
    assert digest_at(Path(shipping.package_archive())) == ""
