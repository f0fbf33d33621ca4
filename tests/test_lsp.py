"""`deadheat lsp` with a real client over pipes: diagnostics, edits, hovers, lenses, actions."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from tests.editor_session import (
    ADD_LINE,
    CART,
    CART_TEST,
    GO_LINE,
    PUSH_CAPABILITIES,
    TOTAL_LINE,
    client_capabilities,
    editor,
    race_report,
)  # fmt: skip
from tests.repositories import Repository

FILES: dict[str, str | None] = {
    "go.mod": "module example.com/shop\n\ngo 1.20\n", "cart/cart.go": CART, "cart/cart_test.go": CART_TEST,
}  # fmt: skip


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "shop")
    repository.put("cart: count", FILES)
    return repository


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "ci.log"
    path.write_text(race_report())
    return path


def test_racing_lines_follow_commits_and_edits(shop: Repository, log: Path) -> None:
    shop.put("cart: comment", {"cart/cart.go": CART.replace("type Cart", "// Cart counts.\n//\ntype Cart")})

    async def check() -> None:
        async with editor(shop.path, "--log", log) as session:
            path = shop.path / "cart" / "cart.go"
            uri = session.open(path)
            first, second = await session.diagnostics(uri)
            assert [each.range.start.line + 1 for each in (first, second)] == [ADD_LINE + 2, TOTAL_LINE + 2]
            assert first.range.start.character == 1
            assert first.severity == types.DiagnosticSeverity.Warning
            assert first.message.startswith("read/write race in cart.(*Cart): Total / Add\nCause: ")
            assert "%)" in first.message
            assert "Other access: read by goroutine 7 in cart.(*Cart).Total, cart/cart.go:12" in first.message
            assert first.data == {"race": first.code}
            related = {
                (Path(each.location.uri).name, each.location.range.start.line + 1)
                for each in first.related_information or ()
            }
            assert related == {("cart.go", TOTAL_LINE + 2), ("cart_test.go", GO_LINE)}
            # an edit above, one between, and one that removes a racing line
            session.edit(uri, (0, 0), (0, 0), "// A comment.\n\n")
            assert await session.lines(uri) == [ADD_LINE + 4, TOTAL_LINE + 4]
            session.edit(uri, (ADD_LINE + 4, 0), (ADD_LINE + 4, 0), "\n")
            assert await session.lines(uri) == [ADD_LINE + 4, TOTAL_LINE + 5]
            session.edit(uri, (ADD_LINE + 3, 0), (ADD_LINE + 3, 100), "\t// gone")
            assert await session.lines(uri) == [TOTAL_LINE + 5]
            assert not session.messages

    asyncio.run(check())


def test_unchanged_report_and_counted_work(shop: Repository, log: Path) -> None:
    async def check() -> None:
        async with editor(shop.path, "--log", log) as session:
            uri = session.open(shop.path / "cart" / "cart.go")
            report = await session.pull(uri)
            assert (await session.pull(uri, report.result_id)).kind == "unchanged"
            before = await session.status()
            for number in range(20):
                session.edit(uri, (0, 0), (0, 0), f"// {number}\n")
                assert await session.lines(uri) == [ADD_LINE + number + 1, TOTAL_LINE + number + 1]
            after = await session.status()
            assert (before.loads, before.lookups, before.races) == (1, 1, 1)
            assert (after.loads, after.lookups) == (1, 1)
            # one comparison per edit, though two lines race and two more places are linked
            assert after.comparisons - before.comparisons == 20

    asyncio.run(check())


def test_renamed_file_is_followed(shop: Repository, log: Path) -> None:
    shop.put("cart: rename", {"cart/cart.go": None, "cart/basket.go": f"// Moved.\n{CART}"})

    async def check() -> None:
        async with editor(shop.path, "--log", log) as session:
            uri = session.open(shop.path / "cart" / "basket.go")
            lines = await session.wait_for(lambda: session.lines(uri))
            assert lines == [ADD_LINE + 1, TOTAL_LINE + 1]

    asyncio.run(check())


def test_push_to_a_client_that_does_not_pull(shop: Repository, log: Path) -> None:
    async def check() -> None:
        async with editor(shop.path, "--log", log, capabilities=PUSH_CAPABILITIES) as session:
            uri = session.open(shop.path / "cart" / "cart.go")

            async def pushed() -> list[int]:
                return [each.range.start.line + 1 for each in session.client.diagnostics.get(uri, ())]

            assert await session.wait_for(pushed) == [ADD_LINE, TOTAL_LINE]
            session.edit(uri, (0, 0), (0, 0), "\n")

            async def moved() -> bool:
                return await pushed() == [ADD_LINE + 1, TOTAL_LINE + 1]

            await session.wait_for(moved)

    asyncio.run(check())


def test_log_that_grows_is_read_again(shop: Repository, log: Path) -> None:
    log.write_text("no race yet\n")

    async def check() -> None:
        async with editor(shop.path, "--log", log) as session:
            uri = session.open(shop.path / "cart" / "cart.go")
            assert await session.lines(uri) == []
            log.write_text(race_report())
            assert await session.wait_for(lambda: session.lines(uri)) == [ADD_LINE, TOTAL_LINE]
            log.unlink()

            async def is_empty() -> bool:
                return not await session.lines(uri)

            await session.wait_for(is_empty)
            assert any("ci.log" in message for message in session.messages)

    asyncio.run(check())


def test_without_git_the_file_on_disk_counts(tmp_path: Path, log: Path) -> None:
    folder = tmp_path / "shop" / "cart"
    folder.mkdir(parents=True)
    (folder / "cart.go").write_bytes(CART.replace("\n", "\r\n").encode())

    async def check() -> None:
        async with editor(tmp_path / "shop", "--log", log) as session:
            uri = session.open(folder / "cart.go")
            assert await session.lines(uri) == [ADD_LINE, TOTAL_LINE]
            session.edit(uri, (2, 0), (2, 0), "\r\n\r\n")
            assert await session.lines(uri) == [ADD_LINE + 2, TOTAL_LINE + 2]
            assert not session.messages

    asyncio.run(check())


@pytest.mark.parametrize(("encoding", "start", "end"), [("utf-8", 8, 20), ("utf-16", 6, 18), ("utf-32", 5, 17)])
def test_columns_in_the_units_of_the_client(tmp_path: Path, log: Path, encoding: str, start: int, end: int) -> None:
    folder = tmp_path / "shop" / "cart"
    folder.mkdir(parents=True)
    line = "/*😀*/\tc.total += n"
    (folder / "cart.go").write_text(CART.replace("\tc.total += n", line), encoding="utf-8")
    capabilities = client_capabilities(general=types.GeneralClientCapabilities(position_encodings=[encoding]))

    async def check() -> None:
        async with editor(tmp_path / "shop", "--log", log, capabilities=capabilities) as session:
            assert session.result.capabilities.position_encoding == encoding
            uri = session.open(folder / "cart.go")
            found = (await session.diagnostics(uri))[0].range
            assert found.end.character == end + 1
            # an edit behind the character that is one to four units long
            session.edit(uri, (ADD_LINE - 1, start), (ADD_LINE - 1, start), "")
            session.edit(uri, (0, 0), (0, 0), "// é\n")
            assert await session.lines(uri) == [ADD_LINE + 1, TOTAL_LINE + 1]

    asyncio.run(check())


def test_form_feeds_are_no_line_ends(tmp_path: Path, log: Path) -> None:
    folder = tmp_path / "shop" / "cart"
    folder.mkdir(parents=True)
    (folder / "cart.go").write_text(CART.replace("package cart", "package cart // \f\x85 \u2028"))

    async def check() -> None:
        async with editor(tmp_path / "shop", "--log", log) as session:
            uri = session.open(folder / "cart.go")
            assert await session.lines(uri) == [ADD_LINE, TOTAL_LINE]
            session.edit(uri, (ADD_LINE - 1, 0), (ADD_LINE - 1, 0), "\n")
            assert await session.lines(uri) == [ADD_LINE + 1, TOTAL_LINE + 1]

    asyncio.run(check())


def test_hover_lens_and_dossier(shop: Repository, log: Path) -> None:
    log.write_text(race_report() * 3)

    async def check() -> None:
        async with editor(shop.path, "--log", log, "--dashboard", "https://races.example.com/") as session:
            uri = session.open(shop.path / "cart" / "cart.go")
            assert await session.lenses(uri) == [
                (7, "race seen 3 times, last in ci.log"),
                (11, "race seen 3 times, last in ci.log"),
            ]
            race = str((found := (await session.diagnostics(uri))[0]).code)
            assert found.code_description is not None
            assert found.code_description.href == f"https://races.example.com/races/{race}"
            text = await session.hover(uri, ADD_LINE)
            assert "Cause: " in text
            assert race in text
            assert not await session.hover(uri, 1)
            actions = await session.actions(uri, ADD_LINE)
            assert actions == {"deadheat.openDossier", "deadheat.copyReproduceCommand"}
            dossier = await session.execute("deadheat.openDossier", race)
            assert dossier.startswith("# read/write race in cart")
            (shown,) = session.client.shown_documents
            assert shown.uri.endswith(f"race-{race}.md")
            assert "`total`" in await session.hover(uri, ADD_LINE)
            command = await session.execute("deadheat.copyReproduceCommand", race)
            assert command == f"deadheat reproduce {log} --race={race} --repo={shop.path}"

    asyncio.run(check())


def test_mute_is_written_into_the_baseline(shop: Repository, log: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "races.jsonl"

    async def check() -> None:
        async with editor(shop.path, "--log", log, "--baseline", baseline) as session:
            uri = session.open(shop.path / "cart" / "cart.go")
            found = (await session.diagnostics(uri))[0]
            assert "new" in found.message
            actions = await session.actions(uri, ADD_LINE)
            assert await session.execute("deadheat.mute", found.code, "--reason of a\nhostile [name](x)")

            async def muted() -> bool:
                return all(each.tags for each in await session.diagnostics(uri))

            await session.wait_for(muted)
            (first, _) = await session.diagnostics(uri)
            assert list(first.tags or ()) == [types.DiagnosticTag.Unnecessary]
            assert first.severity == types.DiagnosticSeverity.Hint
            assert "muted: --reason of a hostile [name](x)" in first.message
            assert "deadheat.mute" in actions
            assert "deadheat.mute" not in await session.actions(uri, ADD_LINE)
            assert f"id:{found.code}" in baseline.read_text()

    asyncio.run(check())
