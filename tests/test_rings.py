"""The rings hold: the core needs nothing but the standard library, and knows no shell."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import deadheat
from tests.cases import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(deadheat.__file__).parent
REPORT = ROOT / "go" / "two-goroutines.txt"
# what belongs to extras and to shells that not everybody installs
EXTRAS = (
    "pyspark", "pyarrow", "pandas", "numpy", "fastapi", "starlette", "uvicorn", "sqlalchemy",
    "deltalake", "fsspec", "ahocorasick_rs", "zstandard", "rich", "yaml", "pydantic", "tree_sitter",
)  # fmt: skip
HEAVY = tuple(name for name in EXTRAS if name not in ("ahocorasick_rs", "zstandard"))
SHELLS = ("feeds", "render", "cli", "lake", "pipeline", "desk", "web")
# shells that others build on: the pipeline reads through feeds and writes to the lake
MAY_USE = {"pipeline": ("feeds", "lake"), "web": ("lake", "desk")}
# the rooms of each ring, and what they must not import
FORBIDDEN = {
    **dict.fromkeys(
        ("__init__", "model", "errors", "registry", "wire", "echo", "reading", "identify", "triage",
         "text", "backwards", "dialects", "symbols", "documents", "claims", "identity", "diagnose",
         "gate", "harness", "tested", "json_line"),
        (*SHELLS, "code"),
    ),
    "code": SHELLS,
    **{
        shell: tuple(s for s in SHELLS if s != shell and s not in MAY_USE.get(shell, ()))
        for shell in SHELLS
        if shell != "cli"
    },
}  # fmt: skip

BLOCKER = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ImportError(name + " is not installed here")
sys.meta_path.insert(0, Absent())
"""
SCAN = "import sys; from deadheat.cli import main; status = main(['scan', *sys.argv[1:]])\n"


def ran(code: str, *args: str | Path, path: Path = PACKAGE.parent) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(path)},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def modules() -> Iterator[tuple[str, Path]]:
    """Every source file and the room that it is in."""
    for path in sorted(PACKAGE.rglob("*.py")):
        below = path.relative_to(PACKAGE)
        yield (below.parts[0] if len(below.parts) > 1 else below.stem), path


def imports(path: Path) -> Iterator[str]:
    """Absolute names of everything that a file imports, inside functions and for types too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms(path: Path) -> set[str]:
    """The rooms of this package that a file imports from."""
    names = (name.split(".") for name in imports(path))
    return {parts[1] for parts in names if parts[0] == "deadheat" and len(parts) > 1}


@pytest.mark.parametrize("path", [pytest.param(p, id=str(p.relative_to(PACKAGE))) for _, p in modules()])
def test_a_room_imports_towards_the_core_only(path: Path) -> None:
    below = path.relative_to(PACKAGE)
    room = below.parts[0] if len(below.parts) > 1 else below.stem
    assert rooms(path).isdisjoint(FORBIDDEN.get(room, ()))


def test_the_law_of_imports_covers_every_room() -> None:
    known = {*FORBIDDEN, "cli", "__main__", "_version"}
    assert {room for room, _ in modules()} <= known
    assert {"reading", "text", "dialects", "symbols", "identity"} <= {room for room, _ in modules()}


def test_the_core_imports_the_standard_library_only() -> None:
    allowed = sys.stdlib_module_names | {"deadheat"}
    outside = {
        (path.name, name)
        for room, path in modules()
        if room not in (*SHELLS, "code")
        for name in imports(path)
        if name.partition(".")[0] not in allowed
    }
    assert outside <= {("sift.py", "ahocorasick_rs")}  # tried, and done without


def test_what_a_wheel_compiles_is_in_the_core_or_makes_text_and_rows() -> None:
    told = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    hook = told["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    assert len(hook["modules"]) > 20
    for name in hook["modules"]:
        assert (PACKAGE / f"{name}.py").is_file()
        assert name.partition("/")[0] in {*FORBIDDEN} - {*SHELLS, "code"} | {"lake", "render"}


def test_only_one_room_knows_tree_sitter() -> None:
    users = {room for room, path in modules() for name in imports(path) if "tree_sitter" in name}
    assert users == {"code"}


def test_a_scan_works_without_any_extra() -> None:
    out = ran(f"{BLOCKER}{SCAN}assert status == 1", "--format", "jsonl", REPORT)
    with_extras = ran(f"{SCAN}assert status == 1", "--format", "jsonl", REPORT)
    assert json.loads(out) == json.loads(with_extras)


def test_every_case_reads_the_same_without_any_extra() -> None:
    code = f"{SCAN}assert status == 1"
    folders = (ROOT / "go", ROOT / "go_fatal", ROOT / "near_misses")
    bare = ran(BLOCKER + code, "--format", "jsonl", *folders)
    assert bare == ran(code, "--format", "jsonl", *folders)
    assert bare.count("\n") > 100


def test_a_zstd_file_without_the_extra_says_what_to_install(tmp_path: Path) -> None:
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


def test_import_loads_no_extra_and_no_shell() -> None:
    code = "import sys, deadheat; print(*{name.partition('.')[0] for name in sys.modules})"
    assert not {*EXTRAS} & set(ran(code).split())
    shells = "import sys, deadheat; print(*(n for n in sys.modules if n.startswith('deadheat.')))"
    loaded = {name.split(".")[1] for name in ran(shells).split()}
    assert "triage" in loaded
    assert not loaded & {*SHELLS}


def test_a_scan_loads_nothing_heavy() -> None:
    code = f"{SCAN}print(*sys.modules, file=sys.stdout)"
    names = {name.partition(".")[0] for name in ran(code, "--format", "jsonl", REPORT).split()}
    assert "deadheat" in names
    assert not {*HEAVY} & names
    assert "zstandard" not in names


def test_a_scan_works_from_a_zip_of_the_package(tmp_path: Path) -> None:
    shipped = tmp_path / "deadheat.zip"
    with zipfile.ZipFile(shipped, "w") as archive:
        for path in sorted(PACKAGE.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                archive.write(path, path.relative_to(PACKAGE.parent))
    code = f"import deadheat; assert '.zip' in deadheat.__file__\n{SCAN}assert status == 1"
    # from another folder, so that only the zip can have been imported
    out = ran(code, "--format", "jsonl", REPORT, path=shipped)
    assert json.loads(out) == json.loads(ran(SCAN, "--format", "jsonl", REPORT))


def test_what_compiled_named_tuples_hold_is_imported_at_run_time() -> None:
    """mypyc looks a field's class up as the module is imported; where it is not there, that crashes."""
    project = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    hooks = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]
    assert [(name, *one) for name in hooks["custom"]["modules"] for one in untyped(name)] == []


def untyped(module: str) -> Iterator[tuple[str, str]]:
    """The fields of a module's named tuples and dataclasses whose class is imported for types only."""
    tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
    for_types = {
        alias.asname or alias.name
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for line in block.body
        if isinstance(line, ast.ImportFrom) and (line.module or "").startswith("deadheat")
        for alias in line.names
    }
    for kind in tree.body:
        if isinstance(kind, ast.ClassDef) and (kind.decorator_list or kind.bases):
            # `Side | None` and `tuple[Side, ...]` are not looked up
            fields = [line for line in kind.body if isinstance(line, ast.AnnAssign)]
            for field in fields:
                if isinstance(field.annotation, ast.Name) and field.annotation.id in for_types:
                    yield kind.name, ast.unparse(field)
