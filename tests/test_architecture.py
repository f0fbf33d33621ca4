"""Layers of the code base: what each package may import, and what works without optional dependencies."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deadheat
import hatch_build
from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(deadheat.__file__).parent
REPORT = ROOT / "go" / "two-goroutines.txt"
# optional dependencies
EXTRAS = (
    "pyspark", "pyarrow", "pandas", "numpy", "fastapi", "starlette", "uvicorn", "sqlalchemy", "alembic", "psycopg",
    "mcp", "mcp_types", "pygls", "lsprotocol",
    "deltalake", "fsspec", "ahocorasick_rs", "zstandard", "rich", "yaml", "pydantic", "tree_sitter", "duckdb", "jinja2",
)  # fmt: skip
HEAVY = tuple(name for name in EXTRAS if name not in ("ahocorasick_rs", "zstandard"))
# packages of each layer; imports go from applications to `repo` to the core
CORE = (
    *("__init__", "_version", "api", "arriving_records", "codeowners", "errors", "model", "path_maps", "plugins"),
    *("printable", "records", "serialization", "shell"),
    *("text", "parsing", "detectors", "symbols", "bug_reports", "grouping", "diagnosis"),
)
# what several applications use
SHARED = ("object_store",)
APPLICATIONS = (
    *("sources", "output", "baseline", "lake", "spark", "pipeline", "verification", "triage", "web", "mcp_server"),
    "lsp_server",
    "cli",
)
# applications that others build on
MAY_IMPORT = {
    "output": ("baseline",),
    "spark": ("sources", "lake", "verification"),
    "pipeline": ("spark", "lake"),
    "web": APPLICATIONS[:-1],
    "lsp_server": ("sources", "output", "baseline", "lake", "triage"),
    "cli": APPLICATIONS,
}
FORBIDDEN = {
    **dict.fromkeys(CORE, (*APPLICATIONS, *SHARED, "repo")),
    "repo": APPLICATIONS,
    **dict.fromkeys(SHARED, (*APPLICATIONS, "repo")),
    **{name: {*APPLICATIONS} - {name, *MAY_IMPORT.get(name, ())} for name in APPLICATIONS},
}

BLOCKER = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ImportError(name + " is not installed here")
sys.meta_path.insert(0, Absent())
"""
SCAN = "import sys; from deadheat.cli import main; status = main(['scan', *sys.argv[1:]])\n"


def run_python(code: str, *args: str | Path, path: Path = PACKAGE.parent) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(path)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@cache
def source_modules() -> tuple[tuple[str, Path], ...]:
    """Every source file with the package it is in; a module of the root is its own package."""
    return tuple((_package_of(path), path) for path in sorted(PACKAGE.rglob("*.py")))


def _package_of(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


@cache
def imported_names(path: Path) -> tuple[str, ...]:
    """Absolute names of everything that a file imports, inside functions and for types too."""
    return tuple(_read_imported_names(path))


def _read_imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} uses a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_packages(path: Path) -> set[str]:
    """The packages of deadheat that a file imports from."""
    names = (name.split(".") for name in imported_names(path))
    return {parts[1] for parts in names if parts[0] == "deadheat" and len(parts) > 1}


@pytest.mark.parametrize("path", [pytest.param(p, id=str(p.relative_to(PACKAGE))) for _, p in source_modules()])
def test_imports_go_from_applications_to_repo_to_the_core(path: Path) -> None:
    assert imported_packages(path).isdisjoint(FORBIDDEN.get(_package_of(path), ()))


def test_every_package_belongs_to_a_layer() -> None:
    assert {package for package, _ in source_modules()} == {*FORBIDDEN, "__main__"}


def test_core_imports_only_the_standard_library() -> None:
    allowed = sys.stdlib_module_names | {"deadheat"}
    outside = {
        (path.name, name)
        for package, path in source_modules()
        if package in CORE
        for name in imported_names(path)
        if name.partition(".")[0] not in allowed
    }
    assert outside <= {("prefilter.py", "ahocorasick_rs")}  # used if installed


@pytest.mark.parametrize(
    ("library", "package"),
    [
        *(("tree_sitter", "repo"), ("pyspark", "spark"), ("sqlalchemy", "triage"), ("mcp", "mcp_server")),
        ("pygls", "lsp_server"),
    ],
)
def test_library_is_imported_by_one_package(library: str, package: str) -> None:
    users = {
        name
        for name, path in source_modules()
        for imported in imported_names(path)
        if imported.partition(".")[0].startswith(library)
    }
    assert users == {package}


def test_every_case_reads_the_same_without_extras() -> None:
    code = f"{SCAN}assert status == 1"
    folders = (ROOT / "go", ROOT / "go_fatal", ROOT / "near_misses")
    bare = run_python(BLOCKER + code, "--format", "jsonl", *folders)
    assert bare == run_python(code, "--format", "jsonl", *folders)
    assert bare.count("\n") > 100


def test_zstd_file_without_the_extra_names_the_extra(tmp_path: Path) -> None:
    (tmp_path / "a.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(64))
    done = subprocess.run(
        [sys.executable, "-c", f"{BLOCKER}{SCAN}sys.exit(status)", str(tmp_path / "a.zst")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "pip install 'deadheat[zstd]'" in done.stderr


def test_import_loads_no_extra_and_no_application() -> None:
    code = "import sys, deadheat; print(*{name.partition('.')[0] for name in sys.modules})"
    assert not {*EXTRAS} & set(run_python(code).split())
    code = "import sys, deadheat; print(*(n for n in sys.modules if n.startswith('deadheat.')))"
    loaded = {name.split(".")[1] for name in run_python(code).split()}
    assert "api" in loaded
    assert not loaded & {*APPLICATIONS}


def test_scan_loads_no_heavy_library() -> None:
    code = f"{SCAN}print(*sys.modules, file=sys.stdout)"
    names = {name.partition(".")[0] for name in run_python(code, "--format", "jsonl", REPORT).split()}
    assert "deadheat" in names
    assert not {*HEAVY} & names
    assert "zstandard" not in names


def test_scan_works_from_a_zip_of_the_package(tmp_path: Path) -> None:
    shipped = tmp_path / "deadheat.zip"
    with zipfile.ZipFile(shipped, "w") as archive:
        for path in sorted(PACKAGE.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                archive.write(path, path.relative_to(PACKAGE.parent))
    code = f"import deadheat; assert '.zip' in deadheat.__file__\n{SCAN}assert status == 1"
    # from another directory, so that only the zip can be imported
    out = run_python(code, "--format", "jsonl", REPORT, path=shipped)
    assert json.loads(out) == json.loads(run_python(SCAN, "--format", "jsonl", REPORT))


def compiled_modules() -> list[str]:
    project = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    return hatch_build.compiled_modules(PACKAGE, hook["exclude"])


def test_most_of_the_core_is_compiled() -> None:
    modules = compiled_modules()
    assert len(modules) > 40
    assert {"model.py", "api.py", "grouping/fingerprint.py", "detectors/go/fast.py"} <= {*modules}


def test_field_types_of_compiled_named_tuples_are_imported_at_run_time() -> None:
    """mypyc looks up the class of a field when the module is imported, and crashes if it is missing."""
    assert [(name, *field) for name in compiled_modules() for field in fields_without_type(name)] == []


def fields_without_type(module: str) -> Iterator[tuple[str, str]]:
    """The fields of a module's named tuples and dataclasses whose class is imported for types only."""
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    for_types = {
        alias.asname or alias.name
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for line in block.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
    }
    for class_ in tree.body:
        if isinstance(class_, ast.ClassDef) and (class_.decorator_list or class_.bases):
            for field in class_.body:
                # `RaceSide | None` and `tuple[RaceSide, ...]` are not looked up
                if (
                    isinstance(field, ast.AnnAssign)
                    and isinstance(field.annotation, ast.Name)
                    and field.annotation.id in for_types
                ):
                    yield class_.name, ast.unparse(field)
