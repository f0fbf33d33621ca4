"""Links to code hosts: from remotes, from templates, and from the environment of a CI job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deadheat import cli
from deadheat.cli import code_links
from deadheat.errors import DeadheatError
from deadheat.output.links import CodeLinks, check_template, links_from_remote, links_from_templates
from deadheat.repo.remote import find_checkout, read_checkout
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

SHA = "4f0c" * 10
CI_VARIABLES = (
    "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA", "GITEA_ACTIONS", "FORGEJO_ACTIONS", "CI_PROJECT_URL",
    "CI_COMMIT_SHA", "GITHUB_WORKSPACE", "CI_PROJECT_DIR",
)  # fmt: skip


def links_of(remote: str) -> CodeLinks:
    links = links_from_remote(remote)
    assert links is not None
    return links


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/acme/shop.git",
        "https://github.com/acme/shop/",
        "https://user:secret@github.com/acme/shop",
        "git@github.com:acme/shop.git",
        "github.com:acme/shop",
        "ssh://git@github.com:22/acme/shop.git",
        "git://github.com/acme/shop.git",
        "git+ssh://git@GitHub.com/acme/shop.git",
    ],
)
def test_every_kind_of_remote(remote: str) -> None:
    links = links_of(remote)
    assert links.commit_url(SHA) == f"https://github.com/acme/shop/commit/{SHA}"
    assert links.file_url("cart/cart.go", 31, SHA) == f"https://github.com/acme/shop/blob/{SHA}/cart/cart.go#L31"
    assert links.file_url("cart/cart.go") == "https://github.com/acme/shop/blob/HEAD/cart/cart.go"
    assert links.pull_url(12) == "https://github.com/acme/shop/pull/12"


def test_hosts_name_their_pages_differently() -> None:
    gitlab = links_of("git@gitlab.gnome.org:team/sub/shop.git")
    base = "https://gitlab.gnome.org/team/sub/shop"
    assert gitlab.commit_url(SHA) == f"{base}/-/commit/{SHA}"
    assert gitlab.file_url("a.c", 3, SHA) == f"{base}/-/blob/{SHA}/a.c#L3"
    assert gitlab.reference_url("!", 7) == gitlab.pull_url(7) == f"{base}/-/merge_requests/7"
    assert gitlab.reference_url("#", 7) == f"{base}/-/issues/7"
    codeberg = links_of("https://codeberg.org/acme/shop.git")
    assert codeberg.file_url("a.c", 3, SHA) == f"https://codeberg.org/acme/shop/src/commit/{SHA}/a.c#L3"
    assert codeberg.file_url("a.c", 3) == "", "there is no name for the newest commit"
    assert codeberg.pull_url("7") == "https://codeberg.org/acme/shop/pulls/7"
    bitbucket = links_of("git@bitbucket.org:acme/shop.git")
    assert bitbucket.file_url("a.c", 3, SHA) == f"https://bitbucket.org/acme/shop/src/{SHA}/a.c#lines-3"
    assert bitbucket.commit_url(SHA) == f"https://bitbucket.org/acme/shop/commits/{SHA}"
    assert links_of("http://gitea.local:3000/acme/shop").pull_url(1) == "http://gitea.local:3000/acme/shop/pulls/1"


@pytest.mark.parametrize(
    "remote",
    [
        "",
        "../shop",
        "/srv/git/shop.git",
        "C:\\src\\shop",
        "file:///srv/github/shop.git",
        "https://git.example.com/acme/shop",
        "https://notgithub.com/acme/shop",
        "https://github.com/acme",
        "https://github.com/acme/../shop",
        "https://github.com/acme/shop/extra",
        "https://[bad/acme/shop",
        "https://github.com:99999999/acme/shop",
        "javascript://github.com/acme/shop",
        "ext::sh -c echo% github",
    ],
)
def test_unknown_remote_has_no_links(remote: str) -> None:
    assert links_from_remote(remote) is None


def test_values_are_encoded_and_checked() -> None:
    links = links_of("https://github.com/acme/s%22h<o>p.git")
    assert links.commit_url(SHA).startswith("https://github.com/acme/s%2522h%3Co%3Ep/commit/")
    assert links.file_url('a "b"#c?.go', 1, SHA).endswith(f"/blob/{SHA}/a%20%22b%22%23c%3F.go#L1")
    assert links.file_url("\udcff.go", 1, SHA).isascii()
    for file in ("", "/etc/passwd", "../../other/repo", "a/./b", "a//b", "a\\..\\b"):
        assert links.file_url(file, 1, SHA) == ""
    for commit in ("", "HEAD", "main", f"{SHA}/../..", "xyz"):
        assert links.commit_url(commit) == ""
    for number in ("", "12/../..", "1" * 20, -1):
        assert links.pull_url(number) == ""
    assert links.reference_url("@", 1) == ""


def test_templates() -> None:
    links = links_from_templates(["https://git.acme/view?at={commit}&path={file}#n{line}"])
    assert links is not None
    assert links.file_url("a b.go", 3, SHA) == f"https://git.acme/view?at={SHA}&path=a%20b.go#n3"
    assert links.file_url("a.go") == "https://git.acme/view?at=HEAD&path=a.go"
    assert links.commit_url(SHA) == links.pull_url(1) == ""
    links = links_from_templates(
        ["gitlab=https://git.acme/team/sub/shop", "https://cs.acme/{file}?l={line}", "https://cr.acme/{pull}"], links
    )
    assert links is not None
    assert links.file_url("a.go", 3) == "https://cs.acme/a.go?l=3"
    assert links.file_url("a.go") == "https://cs.acme/a.go?l=1"
    assert links.pull_url(9) == "https://cr.acme/9"
    assert links.commit_url(SHA) == f"https://git.acme/team/sub/shop/-/commit/{SHA}"
    assert links_from_templates([]) is None
    spaced = links_from_templates(['https://cs.acme/x y"/{file}'])
    assert spaced is not None
    assert spaced.file_url("a.go") == "https://cs.acme/x%20y%22/a.go"


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("javascript:alert({line})", "begin with https://"),
        ("data:text/html,{file}", "begin with https://"),
        ("https://{file}/a", "begin with https://"),
        ("https://user@host/{file}", "begin with https://"),
        ("https://host{file}", "begin with https://"),
        ("https://host/{path}", "unknown placeholder {path}"),
        ("https://host/a", "has no placeholder"),
        ("https://host/{commit}#{line}", "{line} needs {file}"),
        ("svn=https://host/a/b", "one of github, gitlab"),
        ("github=https://host/only", "one of github, gitlab"),
    ],
)
def test_bad_templates_are_usage_errors(template: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DeadheatError) as error:
        check_template(template)
    assert why in str(error.value)
    with pytest.raises(SystemExit, match="2"):
        cli.main(["scan", "--link-template", template, "-"])
    assert why in capsys.readouterr().err


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    shop = Repository(tmp_path / "shop")
    (shop.path / "cart").mkdir()
    (shop.path / "cart" / "cart.go").write_text("package cart\n")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "first")
    shop.git("remote", "add", "fork", "https://github.com/me/shop")
    shop.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    return shop


def test_remote_and_commit_of_a_checkout(shop: Repository, tmp_path: Path) -> None:
    head = shop.git("rev-parse", "HEAD").strip()
    checkout = find_checkout(str(shop.path / "cart"))
    assert checkout == (str(shop.path), "git@github.com:acme/shop.git", head)
    shop.git("pack-refs", "--all")
    assert read_checkout(str(shop.path)) == checkout
    shop.git("checkout", "-q", "--detach")
    assert read_checkout(str(shop.path)) == checkout
    shop.git("remote", "remove", "origin")
    assert read_checkout(str(shop.path)) == checkout._replace(remote_url="https://github.com/me/shop")
    shop.git("worktree", "add", "-q", str(tmp_path / "tree"))
    assert find_checkout(str(tmp_path / "tree")) == (str(tmp_path / "tree"), "https://github.com/me/shop", head)
    assert find_checkout(str(tmp_path)) is None
    assert read_checkout(str(tmp_path)) is None


def test_damaged_checkout_has_no_links(shop: Repository) -> None:
    (shop.path / ".git" / "HEAD").write_text("ref: refs/../../etc/passwd\n")
    (shop.path / ".git" / "config").write_bytes(b'[remote "a\xff]\nurl = \n[remote "b"]\n\turl = javascript:x\n')
    assert read_checkout(str(shop.path)) == (str(shop.path), "javascript:x", "")


def links_at(root: Path, *options: str, format: str = "html") -> CodeLinks | None:
    args = cli.build_parser("scan").parse_args(["scan", "--format", format, "--root", str(root), *options, "-"])
    return code_links.links_of_checkout(args, args.root)


def test_links_of_a_scan(shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CI_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    head = shop.git("rev-parse", "HEAD").strip()
    links = links_at(shop.path)
    assert links is not None
    assert links.file_url("cart/cart.go", 1) == f"https://github.com/acme/shop/blob/{head}/cart/cart.go#L1"
    assert links.file_url("store/store.go", 1) == "", "the log is of another repository"
    inner = links_at(shop.path / "cart")
    assert inner is not None
    assert inner.file_url("cart.go", 1) == links.file_url("cart/cart.go", 1)
    templated = links_at(shop.path, "--link-template", "https://cs.acme/{commit}/{file}")
    assert templated is not None
    assert templated.file_url("cart/cart.go") == f"https://cs.acme/{head}/cart/cart.go"
    assert links_at(shop.path, format="text") is None
    assert links_at(tmp_path) is None


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (
            {"GITHUB_SERVER_URL": "https://code.acme", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_SHA": SHA},
            f"https://code.acme/acme/shop/blob/{SHA}/a.go#L1",
        ),
        (
            {"GITHUB_SERVER_URL": "https://code.acme", "GITHUB_REPOSITORY": "a/b", "GITHUB_SHA": SHA,
             "FORGEJO_ACTIONS": "true"},
            f"https://code.acme/a/b/src/commit/{SHA}/a.go#L1",
        ),
        (
            {"CI_PROJECT_URL": "https://code.acme/team/sub/shop", "CI_COMMIT_SHA": SHA},
            f"https://code.acme/team/sub/shop/-/blob/{SHA}/a.go#L1",
        ),
        ({"CI_PROJECT_URL": "javascript:alert(1)", "CI_COMMIT_SHA": SHA}, None),
    ],
)  # fmt: skip
def test_links_of_a_ci_job(
    variables: dict[str, str], expected: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in CI_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    links = links_at(tmp_path)
    assert (links.file_url("a.go", 1) if links else None) == expected
