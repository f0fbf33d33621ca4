"""A clone may come from anybody: nothing of it runs, nothing outside it is read, nothing hangs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from deadheat import cli
from deadheat.errors import DeadheatError
from deadheat.repo.clone import Clone
from deadheat.repo.dossier import build_dossier
from deadheat.repo.git import MAX_OBJECT_BYTES, GitReader, GitSandbox, git_environment
from deadheat.repo.pinning import find_pin
from tests.cases import ROOT
from tests.repositories import MODULE, Repository
from tests.test_code_pin import FIXED, HUB, race
from tests.watchdog import time_limit

pytestmark = pytest.mark.usefixtures("cache")


def test_nothing_of_the_clone_runs(repo: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB, ".gitattributes": "*.go diff=evil filter=evil\n"})
    repo.put("hub: fix data race", {"hub/hub.go": FIXED})
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o755)
    evil = {
        "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.gitProxy",
        "core.alternateRefsCommand", "diff.external", "diff.evil.textconv", "diff.evil.command",
        "filter.evil.clean", "filter.evil.smudge", "gpg.program", "uploadpack.packObjectsHook",
    }  # fmt: skip
    for key in sorted(evil):
        repo.git("config", key, str(trap))
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "core.hooksPath", str(tmp_path))
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        shutil.copy(trap, repo.path / ".git" / "hooks" / hook)
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap))
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    with Clone(str(repo.path)) as clone:
        assert build_dossier(race(HUB), [clone]).fixed_by
    assert not sprung.exists()


def test_the_environment_is_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_CONFIG_PARAMETERS", "GIT_SSH_COMMAND", "LD_PRELOAD", "GIT_TRACE"):
        monkeypatch.setenv(name, "evil")
    assert not {"GIT_DIR", "GIT_CONFIG_PARAMETERS", "GIT_SSH_COMMAND", "LD_PRELOAD"} & {*git_environment()}
    assert "evil" not in git_environment().values()


def test_borrowed_objects_are_not_read(repo: Repository, tmp_path: Path) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("clone", "-q", "--shared", str(repo.path), str(tmp_path / "borrower"))
    with Clone(str(tmp_path / "borrower")) as clone:
        assert find_pin(clone, race(HUB)) is None
        assert not clone.main.tip
        assert any("alternate repositories" in m for m in clone.git.missing)
        assert any("history" in m for m in clone.git.missing)


def test_clone_that_borrows_objects_is_explained(
    repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("clone", "-q", "--reference", str(repo.path), str(repo.path), str(tmp_path / "borrower"))
    (tmp_path / "a.log").write_text((ROOT / "go" / "two-goroutines.txt").read_text())
    command = ["explain", "--repo", str(tmp_path / "borrower"), str(tmp_path / "a.log")]
    assert cli.main(command) == cli.EXIT_NOTHING
    out, err = capsys.readouterr()
    assert "git repack -a -d" in " ".join(out.split())
    assert err == ""


def test_a_pointer_to_another_repository_is_not_followed(repo: Repository, tmp_path: Path) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    (tmp_path / "liar").mkdir()
    (tmp_path / "liar" / ".git").write_text(f"gitdir: {repo.path}/.git\n")
    with pytest.raises(DeadheatError, match="does not point back"):
        GitReader(str(tmp_path / "liar"))


def test_links_among_the_objects_are_left_out(repo: Repository, tmp_path: Path) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.git("gc", "-q")
    pack = next((repo.path / ".git" / "objects" / "pack").glob("*.pack"))
    pack.rename(tmp_path / "elsewhere.pack")
    pack.symlink_to(tmp_path / "elsewhere.pack")
    shadow = GitSandbox(str(repo.path))
    try:
        assert not list((shadow.path / "objects" / "pack").glob("*.pack"))
    finally:
        shadow.close()


def test_a_link_in_the_tree_is_no_source(repo: Repository) -> None:
    secret = repo.path.parent / "secret.go"
    secret.write_text(HUB)
    (repo.path / "hub").mkdir()
    (repo.path / "hub" / "hub.go").symlink_to(secret)
    repo.put("hub: a link", {})
    with Clone(str(repo.path)) as clone:
        assert find_pin(clone, race(HUB)) is None


def test_a_broken_object_is_passed_over(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: broken", {"hub/hub.go": HUB + "// broken\n"})
    blob = repo.git("rev-parse", "HEAD:hub/hub.go")
    path = repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"garbage")
    with Clone(str(repo.path)) as clone:
        found = find_pin(clone, race(HUB))
    assert found is not None
    assert (found.window.first, found.window.commit_count) == (first, 1)


def test_a_huge_file_is_passed_over(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB + "//" + "x" * (MAX_OBJECT_BYTES + 1)})
    with Clone(str(repo.path)) as clone:
        assert find_pin(clone, race(HUB)) is None
        assert clone.git.read_object(f"{clone.main.tip}:go.mod") is not None


def test_a_line_without_end_takes_no_longer(repo: Repository) -> None:
    long = "x, " * 500_000
    repo.put("hub: begin", {"hub/hub.go": HUB.replace("h.count = 0", f"h.count = 0 // {long}")})
    with time_limit(), Clone(str(repo.path)) as clone:
        build_dossier(race(HUB), [clone])


def test_odd_paths_do_no_harm(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB, "a\nb.go": "package a\n", '"q".go': "package q\n"})
    odd = os.fsencode(str(repo.path)) + b"/\xff\xfe.go"
    Path(os.fsdecode(odd)).write_text("package odd\n")
    repo.put("odd", {})
    with Clone(str(repo.path)) as clone:
        found = find_pin(clone, race(HUB))
        told = build_dossier(race(HUB), [clone])
    assert found is not None
    assert found.window.first == first
    assert told.variable is not None


def test_names_with_newlines_ask_one_question(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    with GitReader(str(repo.path)) as git:
        answers = list(git.read_objects(["HEAD:a\nHEAD:hub/hub.go", "HEAD:hub/hub.go", "x" * 100_000]))
    assert [content is not None for _, content in answers] == [False, True, False]


def test_an_asker_who_goes_leaves_no_answers_behind(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    with GitReader(str(repo.path)) as git:
        for _ in git.read_objects(["HEAD:go.mod", "HEAD:hub/hub.go"]):
            break
        assert git.read_object("HEAD:hub/hub.go") == HUB.encode()


def test_the_shadow_goes_away(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    git = GitReader(str(repo.path))
    path = git._sandbox.path
    assert path.exists()
    git.close()
    assert not path.exists()


@pytest.mark.parametrize(
    "body",
    [
        b"f(" * 5_000 + b")" * 5_000,
        b"x" + b".f()" * 5_000,
        b"func() {" * 5_000 + b"}" * 5_000,
        b"if a {" * 5_000 + b"mu.Lock()" + b"}" * 5_000,
        b"a.b()\n" * 5_000,
    ],
    ids=["calls", "chain", "closures", "conditions", "lines"],
)
def test_what_is_around_a_line_is_told_soon(body: bytes) -> None:
    from deadheat.repo.syntax.function_facts import function_facts_at

    with time_limit():
        function_facts_at("go", b"package p\nfunc f() {\n" + body + b"\n}\n", "p.go", 3)


def test_a_configuration_that_includes_others_is_not_read(repo: Repository, tmp_path: Path) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: fix data race", {"hub/hub.go": FIXED})
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\n")
    trap.chmod(0o755)
    (tmp_path / "more").write_text(f"[core]\n\tfsmonitor = {trap}\n\tworktree = /\n")
    repo.git("config", "include.path", str(tmp_path / "more"))
    repo.git("config", "includeIf.gitdir:/.path", str(tmp_path / "more"))
    repo.git("config", "submodule.x.update", f"!{trap}")
    with Clone(str(repo.path)) as clone:
        assert build_dossier(race(HUB), [clone]).fixed_by
    assert not sprung.exists()


def test_what_a_partial_clone_lacks_is_not_fetched(repo: Repository, tmp_path: Path) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: comment", {"hub/hub.go": HUB + "// more\n"})
    sprung = tmp_path / "sprung"
    repo.git("config", "remote.origin.url", f"ext::sh -c touch% {sprung}")
    repo.git("config", "remote.origin.promisor", "true")
    repo.git("config", "protocol.ext.allow", "always")
    repo.git("config", "extensions.partialClone", "origin")
    blob = repo.git("rev-parse", "HEAD:hub/hub.go")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with Clone(str(repo.path)) as clone:
        found = find_pin(clone, race(HUB))
        assert any("partial" in what for what in clone.git.missing)
    assert found is not None
    assert found.window.first == first
    assert not sprung.exists()


def test_grafts_and_replacements_change_nothing(repo: Repository) -> None:
    first = repo.put("hub: begin", {"hub/hub.go": HUB})
    last = repo.put("hub: comment", {"hub/other.go": "package hub\n"})
    evil = repo.git("commit-tree", "-m", "other", f"{first}^{{tree}}")
    repo.git("replace", "-f", last, evil)
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "grafts").write_text(f"{last}\n")
    with Clone(str(repo.path)) as clone:
        assert clone.main.commits[-2:] == [first, last]


@pytest.mark.parametrize("link", [".git", ".git/objects", ".git/refs"])
def test_a_link_to_another_repository_is_not_followed(repo: Repository, tmp_path: Path, link: str) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    moved = tmp_path / "elsewhere"
    (repo.path / link).rename(moved)
    (repo.path / link).symlink_to(moved)
    if link == ".git/refs":
        with GitReader(str(repo.path)) as git:
            assert git.refs == {}
    else:
        with pytest.raises(DeadheatError, match=r"is a symbolic link|not a git repository"):
            GitReader(str(repo.path))


def test_what_is_no_file_among_the_objects_is_left_out(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    blob = repo.git("rev-parse", "HEAD:hub/hub.go")
    path = repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    path.unlink()
    os.mkfifo(path)  # whoever opens it waits for ever
    with Clone(str(repo.path)) as clone:
        assert find_pin(clone, race(HUB)) is None
        assert clone.git.read_object(f"{clone.main.tip}:go.mod") is not None


def test_an_object_that_is_not_what_its_name_says_is_not_read(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    repo.put("hub: other", {"hub/other.go": FIXED})
    objects = repo.path / ".git" / "objects"
    mine, other = (repo.git("rev-parse", f"HEAD:hub/{n}.go") for n in ("hub", "other"))
    forged = objects / mine[:2] / mine[2:]
    forged.unlink()
    shutil.copy(objects / other[:2] / other[2:], forged)
    with Clone(str(repo.path)) as clone:
        assert clone.git.read_object(mine) is None
        assert clone.git.read_object(other) == FIXED.encode()
        assert find_pin(clone, race(HUB)) is None


def test_trees_that_hold_one_another_many_times_over_come_to_an_end(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    monkeypatch.setattr("deadheat.repo.git._MAX_LISTING_MEMORY", 1 << 25)
    monkeypatch.setattr("deadheat.repo.syntax.declarations._MAX_LISTED", 20_000)
    below = repo.git("rev-parse", "HEAD:hub")
    for level in range(9):
        rows = "".join(f"040000 tree {below}\t{name}\n" for name in "abcdefghij")
        (repo.path.parent / "rows").write_text(rows)
        with open(repo.path.parent / "rows", "rb") as file:
            below = repo.git("mktree", stdin=file)
        assert below, level
    commit = repo.git("commit-tree", "-p", "HEAD", "-m", "a billion files", below)
    repo.git("update-ref", "refs/heads/main", commit)
    with time_limit(), Clone(str(repo.path)) as clone:
        build_dossier(race(HUB), [clone])
        assert any("could not read the complete" in what for what in clone.git.missing)
        assert len(clone.tree_at(commit).files_declaring("Hub", "hub/hub.go")) < 30_000


def test_a_repository_with_other_names_for_its_objects(tmp_path: Path) -> None:
    made = Repository(tmp_path / "relay", "--object-format=sha256")
    made.put("begin", {"go.mod": f"module {MODULE}\n"})
    first = made.put("hub: begin", {"hub/hub.go": HUB})
    fix = made.put("hub: fix data race", {"hub/hub.go": FIXED})
    with Clone(str(made.path)) as clone:
        told = build_dossier(race(HUB), [clone])
    assert len(first) == 64
    assert told.pin is not None
    assert told.pin.window.first == first
    assert told.fixed_by[0].commit == fix


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="no /proc")
def test_git_cannot_take_all_memory(repo: Repository) -> None:
    repo.put("hub: begin", {"hub/hub.go": HUB})
    with GitReader(str(repo.path)) as git:
        assert git.read_object("HEAD:hub/hub.go") is not None
        assert git._cat_file is not None
        limits = Path(f"/proc/{git._cat_file.pid}/limits").read_text()
    (line,) = [line for line in limits.splitlines() if line.startswith("Max data size")]
    assert line.split()[3] == str(2 << 30)
