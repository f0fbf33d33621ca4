"""Who may do what in the dashboard. The route table says it, so that a new route is tested too."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from threading import Timer
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from starlette.testclient import TestClient

from deadheat.cli import main
from deadheat.triage.database import DecisionDatabaseError
from deadheat.triage.server_tables import TOKEN_PREFIX, Role
from deadheat.triage.store import DecisionStore
from deadheat.web import routes, server_routes
from deadheat.web.access import guard, settings, tokens
from deadheat.web.access.rate_limits import RateLimit
from deadheat.web.access.routes import local_address
from deadheat.web.access.settings import AccessSettings
from tests.dashboards import Dashboard, open_dashboard, serving, small_lake

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deadheat.web.route import Route

# share one lake
pytestmark = pytest.mark.xdist_group("web")

ROUTES = [*routes.all_routes()]
WRITES = [route for route in ROUTES if route.method not in guard.SAFE_METHODS]
RANKS = (None, *Role)
# what needs no login, and shows nothing of the lake
PUBLIC_READS = {"/static/{name}", "/login", "/api/v1/health", "/healthz", "/readyz"}
PUBLIC_WRITES = {"/login", "/logout"}
PROXY, CLIENT = ("10.0.0.1", 4000), ("192.0.2.7", 4000)
EVIL = {"origin": "https://evil.example"}
CROSS_SITE = {"sec-fetch-site": "cross-site"}


def route_name(route: Route) -> str:
    return route.name


def address_of(route: Route) -> str:
    """An address of the route: what it names does not exist, which no answer about access may depend on."""
    return re.sub(r"\{\w+(?::\w+)?\}", "none", route.path)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("web-access") / "lake"
    small_lake(root)
    return root


@pytest.fixture(scope="module")
def opened(lake: Path) -> Iterator[Dashboard]:
    """A server with tokens, without limits; its streams end at once."""
    (lake.parent / "tokens").mkdir()
    with open_dashboard(lake, lake.parent / "tokens", AccessSettings(mode="tokens"), checks_host=False) as dashboard:
        dashboard.services.is_stopping = True
        yield dashboard


@pytest.fixture(scope="module")
def proxied(lake: Path) -> Iterator[Dashboard]:
    """A server behind a proxy at 10.0.0.0/24 that names users and their groups."""
    (lake.parent / "proxied").mkdir()
    access = AccessSettings(
        mode="proxy", trusted_proxies=["10.0.0.0/24"], user_header="X-Forwarded-User", role_header="X-Groups",
        role_map={"dev": "triager", "ops": "admin", "*": "reader"},
    )  # fmt: skip
    with open_dashboard(
        lake, lake.parent / "proxied", access, checks_host=False, trusted_proxies=("10.0.0.0/24",)
    ) as dashboard:
        dashboard.services.is_stopping = True
        yield dashboard


def new_client(dashboard: Dashboard, address: tuple[str, int] = CLIENT, base: str = "http://localhost") -> TestClient:
    """A client without cookies."""
    app = dashboard.client.app
    return TestClient(app, base_url=base, client=address, raise_server_exceptions=False, follow_redirects=False)


def new_token(dashboard: Dashboard, role: Role | str, name: str = "") -> str:
    assert dashboard.services.store is not None
    return dashboard.services.store.tokens.create(name or f"the {role}", Role(role))[1]


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}


def form_token(client: TestClient, address: str = "/") -> str:
    """The token of the forms of a page."""
    found = re.search(r'name="token" value="(\w+)"', client.get(address).text)
    assert found is not None
    return found[1]


def log_in(dashboard: Dashboard, text: str, base: str = "http://localhost") -> TestClient:
    """A browser that has logged in."""
    client = new_client(dashboard, base=base)
    response = client.post("/login", data={"token": form_token(client, "/login"), "access_token": text, "back": "/"})
    assert (response.status_code, response.headers["location"]) == (303, "/"), response.text
    return client


def race_of(dashboard: Dashboard) -> str:
    return str(dashboard.services.live.state.snapshot.race_at(0)["race"])


# -- every route, every role ------------------------------------------------------------------------


def test_every_route_declares_a_role_that_fits_its_method(opened: Dashboard) -> None:
    for route in ROUTES:
        if route.method in guard.SAFE_METHODS:
            assert isinstance(route.role, Role) or route.path in PUBLIC_READS, route.name
        else:
            assert route.role in (Role.TRIAGER, Role.ADMIN) or route.path in PUBLIC_WRITES, route.name
            assert route.max_body_bytes is not None or route.path == "/api/v1/logs", route.name


def test_application_serves_the_route_table_and_nothing_else(opened: Dashboard) -> None:
    served = [(method, route.path) for route in opened.client.app.routes for method in route.methods]  # type: ignore[attr-defined]
    assert sorted(served) == sorted((route.method, route.path) for route in ROUTES)
    description = opened.client.app.openapi()  # type: ignore[attr-defined]
    documented = {(method.upper(), path) for path, methods in description["paths"].items() for method in methods}
    assert documented == {(route.method, route.path) for route in ROUTES if route.is_documented}
    for route in ROUTES:
        if route.is_documented:
            answers = {*description["paths"][route.path][route.method.lower()]["responses"]}
            assert answers >= ({"401", "403", "429"} if route.role else {"429"}), route.name


class Identity(NamedTuple):
    """A client, and the role that it has."""

    client: TestClient
    role: Role | None
    form_token: str = ""


@pytest.fixture(scope="module")
def identities(opened: Dashboard) -> dict[str, Identity]:
    store = opened.services.store
    assert store is not None
    found = {"none": Identity(new_client(opened), None)}
    for role in Role:
        text = new_token(opened, role)
        with_token = new_client(opened)
        with_token.headers.update(bearer(text))
        found[f"{role}, token"] = Identity(with_token, role)
        browser = log_in(opened, text)
        found[f"{role}, session"] = Identity(browser, role, form_token(browser))
    revoked, expired, unknown = new_client(opened), new_client(opened), new_client(opened)
    revoked.headers.update(bearer(text := new_token(opened, Role.ADMIN, "revoked")))
    found["revoked token's session"] = Identity(log_in(opened, text), None)
    store.tokens.revoke("revoked")
    expired.headers.update(bearer(store.tokens.create("expired", Role.ADMIN, datetime.now(UTC))[1]))
    unknown.headers.update(bearer(TOKEN_PREFIX + "a" * 43))
    found |= {"revoked": Identity(revoked, None), "expired": Identity(expired, None)}
    found |= {"unknown": Identity(unknown, None), "session that has ended": Identity(ended_session(opened), None)}
    time.sleep(tokens.REMEMBERED_SECONDS)
    return found


def ended_session(dashboard: Dashboard) -> TestClient:
    store = dashboard.services.store
    assert store is not None
    token, _ = store.tokens.create("ended", Role.ADMIN)
    client = new_client(dashboard)
    client.cookies.set("deadheat-session", store.sessions.create(token, timedelta(0)))
    return client


@pytest.mark.parametrize(
    "who",
    [
        "none", "revoked", "expired", "unknown", "session that has ended", "revoked token's session",
        *(f"{role}, {kind}" for role in Role for kind in ("token", "session")),
    ],
)  # fmt: skip
def test_every_route_answers_as_its_role_says(opened: Dashboard, identities: dict[str, Identity], who: str) -> None:
    identity = identities[who]
    opened.services.guard.failures = RateLimit(1000, 1000)
    for route in ROUTES:
        if route.path in PUBLIC_WRITES:  # they would change the session
            continue
        form = {"token": identity.form_token} if route.method == "POST" and not route.is_documented else None
        response = identity.client.request(route.method, address_of(route), data=form)
        status, case = response.status_code, (route.name, response.status_code)
        assert status < 500 or status == 503, case
        if route.role is None:
            assert route.method != "GET" or status not in (401, 403), case
        elif identity.role is None:
            assert status == 401, case
            assert response.headers["www-authenticate"].startswith("Bearer"), case
            assert opened.services.live.state.version not in response.text, case
        elif RANKS.index(identity.role) < RANKS.index(route.role):
            assert status == 403, case
        else:
            assert status not in (401, 403), case


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"])
def test_other_methods_show_nothing_and_do_nothing(opened: Dashboard, method: str) -> None:
    for route in ROUTES:
        response = new_client(opened).request(method, address_of(route))
        assert (response.status_code, opened.services.live.state.version in response.text) == (405, False), route.name


def test_a_page_without_login_asks_for_one_and_shows_nothing_of_the_lake(opened: Dashboard) -> None:
    opened.services.live.fault = "/secret/lake cannot be read"
    try:
        for address in ("/races?q=cart", "/nothing", "/login", "/api/v1/health"):
            page = new_client(opened).get(address).text
            assert "/secret" not in page
            assert opened.services.live.state.version not in page
    finally:
        opened.services.live.fault = ""
    page = new_client(opened).get("/races?q=%22%3E%3Cscript%3E").text
    assert 'name="back" value="/races?q=%22%3E%3Cscript%3E"' in page
    assert 'type="password"' in page


def test_a_link_of_another_site_finds_the_session_again(opened: Dashboard) -> None:
    """The first request has no strict cookie; the page loads itself again, which is a request of this site."""
    client = new_client(opened)
    assert '<meta http-equiv="refresh" content="0">' in client.get("/races", headers=CROSS_SITE).text
    assert "http-equiv" not in client.get("/races", headers={"sec-fetch-site": "same-origin"}).text


def test_a_stream_ends_with_its_login(opened: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_routes, "_CHECK_SECONDS", 0.05)
    monkeypatch.setattr(server_routes, "_LOGIN_SECONDS", 0.2)
    monkeypatch.setattr(tokens, "REMEMBERED_SECONDS", 0.0)
    store, text = opened.services.store, new_token(opened, Role.READER, "stream")
    assert store is not None
    began = time.monotonic()
    opened.services.is_stopping = False
    timers = [Timer(1, store.tokens.revoke, ["stream"]), Timer(30, setattr, [opened.services, "is_stopping", True])]
    for timer in timers:
        timer.start()
    try:
        stream = new_client(opened).get("/events", headers=bearer(text))
    finally:
        opened.services.is_stopping = True
        timers[1].cancel()
    assert 1 <= time.monotonic() - began < 20
    assert "event: change" in stream.text


# -- logins -----------------------------------------------------------------------------------------


def cookies_of(response: Any) -> dict[str, str]:
    return dict(cookie.split("=", 1) for cookie in response.headers.get_list("set-cookie"))


def test_login_sets_a_cookie_that_scripts_and_other_sites_do_not_get(opened: Dashboard) -> None:
    text = new_token(opened, Role.READER, "cookies")
    for base, name, is_secure in (
        ("http://localhost", "deadheat-session", False), ("https://localhost", "__Host-deadheat-session", True),
    ):  # fmt: skip
        client = new_client(opened, base=base)
        response = client.post("/login", data={"token": form_token(client, "/login"), "access_token": f" {text}\n"})
        value, *flags = cookies_of(response)[name].split("; ")
        assert len(value) == 43
        assert text not in response.text + str(response.headers)
        assert {flag.lower() for flag in flags} >= {"httponly", "samesite=strict", "path=/", "max-age=43200"}
        assert ("Secure" in flags) == is_secure
        assert not any("domain" in flag.lower() for flag in flags)
        assert client.get("/races").status_code == 200
        form_cookie = cookies_of(new_client(opened, base=base).get("/login"))["deadheat-form"]
        assert "HttpOnly" in form_cookie
        assert ("Secure" in form_cookie) == is_secure


def test_every_login_is_another_session_and_logout_ends_only_its_own(opened: Dashboard) -> None:
    text = new_token(opened, Role.READER, "two browsers")
    first, second = log_in(opened, text), log_in(opened, text)
    assert first.cookies["deadheat-session"] != second.cookies["deadheat-session"]
    kept = first.cookies["deadheat-session"]
    response = first.post("/logout", data={"token": form_token(first)})
    assert (response.status_code, response.headers["location"]) == (303, "/login")
    assert response.headers["clear-site-data"] == '"cache"'
    assert first.get("/races").status_code == 401
    # a copy of the cookie is of no use
    first.cookies.set("deadheat-session", kept)
    assert first.get("/races").status_code == 401
    assert second.get("/races").status_code == 200
    # a login in the same browser ends the session that it had
    kept = second.cookies["deadheat-session"]
    second.get("/login")
    login = {"token": form_token(second, "/login"), "access_token": text}
    assert second.post("/login", data=login).status_code == 303
    copy = new_client(opened)
    copy.cookies.set("deadheat-session", kept)
    assert copy.get("/races").status_code == 401


def test_only_hashes_of_secrets_are_stored(opened: Dashboard, lake: Path) -> None:
    text = new_token(opened, Role.READER, "stored")
    session = log_in(opened, text).cookies["deadheat-session"]
    stored = b"".join(path.read_bytes() for path in (lake.parent / "tokens").glob("decisions.sqlite*"))
    assert b"stored" in stored
    assert text.encode() not in stored
    assert session.encode() not in stored


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/races?q=a&page=2", "/races?q=a&page=2"),
        *((text, "/") for text in (
            "//evil.example/", "/\\evil.example", "https://evil.example/", "javascript:alert(1)",
            "/\t/evil.example", "", "races", "/login?back=/login", "//[", "/a" * 3000, "/\u00e9",
            "/races\r\nset-cookie: a=b",
        )),
    ],
)  # fmt: skip
def test_login_leads_to_addresses_of_this_server_only(opened: Dashboard, address: str, expected: str) -> None:
    assert local_address(address) == expected


def test_failed_logins_are_limited_by_address(opened: Dashboard) -> None:
    opened.services.guard.failures = RateLimit(guard.FAILURES_PER_SECOND, guard.FAILURES_AT_ONCE)
    client, other = new_client(opened, ("192.0.2.8", 1)), new_client(opened, ("192.0.2.9", 1))
    good = new_token(opened, Role.READER, "limited")
    token = form_token(client, "/login")
    for _ in range(guard.FAILURES_AT_ONCE):
        response = client.post("/login", data={"token": token, "access_token": "deadheat_wrong"})
        assert response.status_code == 401
        assert "This token is not valid" in response.text
    for text in ("deadheat_wrong", good):
        response = client.post("/login", data={"token": token, "access_token": text})
        assert response.status_code == 429
        assert 1 <= int(response.headers["retry-after"]) <= 6
    assert client.get("/api/v1/overview", headers=bearer("deadheat_wrong")).status_code == 429
    # a program with a valid token does not suffer from another one at its address
    assert client.get("/api/v1/overview", headers=bearer(good)).status_code == 200
    login = {"token": form_token(other, "/login"), "access_token": good}
    assert other.post("/login", data=login).status_code == 303


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer " + "a" * 5000, "bearer \u00e9", "Token x"], ids=repr
)
def test_what_is_no_token_is_refused(opened: Dashboard, header: str) -> None:
    opened.services.guard.failures = RateLimit(1000, 1000)
    sent = {"authorization": header.encode("latin-1")}
    response = new_client(opened).get("/api/v1/overview", headers=sent)  # type: ignore[arg-type]
    assert response.status_code == 401
    assert response.headers["content-type"] == "application/problem+json"
    assert "error" in response.headers["www-authenticate"]


# -- writes of other sites --------------------------------------------------------------------------


@pytest.mark.parametrize("route", WRITES, ids=route_name)
def test_a_browser_cannot_be_made_to_write(opened: Dashboard, identities: dict[str, Identity], route: Route) -> None:
    admin = identities["admin, session"]
    if route.path in PUBLIC_WRITES:  # they would change the session
        browser = log_in(opened, new_token(opened, Role.ADMIN, f"other sites and {route.name}"))
        admin = Identity(browser, Role.ADMIN, form_token(browser))
    for headers in (CROSS_SITE, {"sec-fetch-site": "same-site"}, EVIL, {"origin": "null"}, {"origin": "http://[bad"}):
        response = admin.client.post(address_of(route), data={"token": admin.form_token}, headers=headers)
        assert response.status_code == 403, headers
        assert "another site" in response.text
    own = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}
    response = admin.client.post(address_of(route), data={"token": admin.form_token}, headers=own)
    assert "another site" not in response.text


@pytest.mark.parametrize("route", [route for route in WRITES if not route.is_documented], ids=route_name)
def test_every_form_needs_its_token(opened: Dashboard, route: Route) -> None:
    text = new_token(opened, Role.ADMIN, f"forms of {route.name}")
    browser, other = log_in(opened, text), log_in(opened, text)
    address = route.path.replace("{race}", race_of(opened))
    wanted = browser.cookies["deadheat-session"]
    for token in ("", "0" * 64, form_token(other), form_token(new_client(opened), "/login"), "\u00e9"):
        response = browser.post(address, data={"token": token, "access_token": text})
        assert (response.status_code, "out of date" in response.text) == (403, True), token
    assert browser.cookies["deadheat-session"] == wanted
    assert browser.get("/").status_code == 200
    if route.role is not None:
        # a token in the header proves that no other site has sent the form
        response = new_client(opened).post(address, data={"action": "none"}, headers={**bearer(text), **CROSS_SITE})
        assert response.status_code not in (401, 403)


def test_programs_write_with_a_token_and_without_a_form(opened: Dashboard) -> None:
    address, decision = f"/api/v1/races/{race_of(opened)}/decisions", {"kind": "assign", "payload": {"assignee": "kim"}}
    text = new_token(opened, Role.TRIAGER, "ci-bot")
    for headers in ({}, EVIL):
        response = new_client(opened).post(address, json=decision, headers={**bearer(text), **headers})
        assert response.status_code == 200, response.text
    history = new_client(opened).get(f"{address}/history", headers=bearer(text)).json()
    assert history[-1]["actor"] == "ci-bot"
    browser = log_in(opened, text)
    fields = dict(
        re.findall(r'name="(token|key|based_on)" value="([^"]*)"', browser.get(f"/races/{race_of(opened)}").text)
    )
    sent = browser.post(f"/races/{race_of(opened)}", data={**fields, "action": "comment", "comment": "mine"})
    assert sent.status_code == 303, sent.text
    history = browser.get(f"{address}/history").json()
    assert (history[-1]["actor"], history[-1]["payload"]) == ("ci-bot", {"text": "mine"})


def test_other_sites_cannot_write_on_loopback_nor_through_a_proxy(
    lake: Path, proxied: Dashboard, tmp_path: Path
) -> None:
    user = {"x-forwarded-user": "kim", "x-groups": "ops"}
    with open_dashboard(lake, tmp_path) as local:
        for client, headers in ((local.client, {}), (new_client(proxied, PROXY), user)):
            for route in WRITES:
                if route.role is None:
                    continue
                for site in (CROSS_SITE, EVIL):
                    response = client.post(address_of(route), headers={**headers, **site})
                    assert (response.status_code, "another site" in response.text) == (403, True), route.name
                response = client.post(address_of(route), headers=headers)
                assert "another site" not in response.text, route.name


# -- proxies ----------------------------------------------------------------------------------------


def test_headers_of_users_are_believed_from_the_proxy_only(proxied: Dashboard) -> None:
    forged = {
        "x-forwarded-user": "root", "x-groups": "ops", "x-forwarded-for": "10.0.0.1", "forwarded": "for=10.0.0.1",
        "x-real-ip": "10.0.0.1",
    }  # fmt: skip
    for address in (CLIENT, ("127.0.0.1", 1), ("::1", 1), ("10.0.1.1", 1), ("unix", 0)):
        client = new_client(proxied, address)
        for route in ROUTES:
            if route.role is not None:
                response = client.request(route.method, address_of(route), headers=forged)
                assert response.status_code == 403, (route.name, address)


@pytest.mark.parametrize(
    ("headers", "role"),
    [
        ([], None),
        ([("x-forwarded-user", " ")], None),
        ([("x-forwarded-user", "kim")], Role.READER),
        ([("x-forwarded-user", "ops")], Role.READER),  # a name is no group
        ([("x-forwarded-user", "kim"), ("x-groups", "a, dev")], Role.TRIAGER),
        ([("x-forwarded-user", "kim"), ("x-groups", "dev"), ("x-groups", "ops")], Role.ADMIN),
    ],
)
def test_every_route_answers_as_the_role_of_a_user_says(
    proxied: Dashboard, headers: list[tuple[str, str]], role: Role | None
) -> None:
    for peer in (PROXY, ("::ffff:10.0.0.9", 1)):
        client = new_client(proxied, peer)
        for route in ROUTES:
            if route.role is None:
                continue
            response = client.request(route.method, address_of(route), headers=headers)
            status, case = response.status_code, (route.name, response.status_code)
            if role is None:
                assert status == 401, case
            elif RANKS.index(role) < RANKS.index(route.role):
                assert status == 403, case
            else:
                # a form lacks its token
                assert status != 401, case
                assert status != 403 or "out of date" in response.text, case


def test_a_proxy_names_one_user_with_a_role(lake: Path, proxied: Dashboard, tmp_path: Path) -> None:
    client = new_client(proxied, PROXY)
    double = [("x-forwarded-user", "kim"), ("x-forwarded-user", "root")]
    assert client.get("/api/v1/overview", headers=double).status_code == 403
    assert client.get("/api/v1/overview", headers={"x-forwarded-user": "a" * 201}).status_code == 403
    named = client.get("/races", headers=[(b"x-forwarded-user", "J\u00f6rg <b>".encode())])
    assert "J\u00f6rg &lt;b&gt;" in named.text
    only = AccessSettings(mode="proxy", trusted_proxies=["10.0.0.1"], user_header="X-User", role_map={"kim": "admin"})
    with open_dashboard(lake, tmp_path, only, checks_host=False, trusted_proxies=("10.0.0.1",)) as dashboard:
        client = new_client(dashboard, PROXY)
        assert client.get("/audit", headers={"x-user": "kim"}).status_code == 200
        assert client.get("/races", headers={"x-user": "bo"}).status_code == 403
        assert client.get("/login").status_code == 404


def test_programs_send_a_token_through_a_proxy(proxied: Dashboard) -> None:
    text = new_token(proxied, Role.READER, "program")
    assert new_client(proxied, PROXY).get("/api/v1/overview", headers=bearer(text)).status_code == 200
    assert new_client(proxied).get("/api/v1/overview", headers=bearer(text)).status_code == 403
    both = {**bearer("eyJhbGciOi.token.of.the.proxy"), "x-forwarded-user": "kim"}
    assert new_client(proxied, PROXY).get("/api/v1/overview", headers=both).status_code == 200


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        (PROXY, "198.51.100.4", "198.51.100.4"),
        (PROXY, "203.0.113.9, 198.51.100.4", "198.51.100.4"),  # the first one may be forged
        (PROXY, "198.51.100.4, 10.0.0.3", "198.51.100.4"),
        (PROXY, "nonsense", "10.0.0.1"),
        (PROXY, "", "10.0.0.1"),
        (("10.0.1.1", 1), "198.51.100.4", "10.0.1.1"),
    ],
)
def test_address_of_the_client_comes_from_trusted_proxies(
    proxied: Dashboard, peer: tuple[str, int], forwarded: str, expected: str
) -> None:
    headers = {"x-forwarded-user": "kim", "x-forwarded-for": forwarded}
    new_client(proxied, peer).get("/audit", headers=headers)
    assert proxied.services.store is not None
    assert proxied.services.store.audit.latest(1)[0].address == expected


def test_scheme_comes_from_trusted_proxies(proxied: Dashboard) -> None:
    for peer, is_secure in ((PROXY, True), (CLIENT, False)):
        response = new_client(proxied, peer).get(
            "/nothing", headers={"x-forwarded-user": "kim", "x-forwarded-proto": "https"}
        )
        assert ("Secure" in response.headers["set-cookie"]) == is_secure


# -- reading without a login ------------------------------------------------------------------------


def test_anonymous_reading_reads_and_nothing_else(lake: Path, tmp_path: Path) -> None:
    access = AccessSettings(mode="tokens", anonymous_role="reader")
    with open_dashboard(lake, tmp_path, access, hosts=("races.example",)) as dashboard:
        dashboard.services.is_stopping = True
        client = new_client(dashboard)
        for route in ROUTES:
            response = client.request(route.method, address_of(route))
            if route.role is not None:
                assert (response.status_code == 401) == (route.role is not Role.READER), route.name
        assert '<a href="/login">Log in</a>' in client.get("/races").text
        assert client.get("/races", headers=bearer("deadheat_wrong")).status_code == 401
        assert log_in(dashboard, new_token(dashboard, Role.ADMIN)).get("/audit").status_code == 200
        # a page of another site that gives its name our address reads nothing
        for host, status in (
            ("races.example:80", 200),
            ("192.0.2.1", 200),
            ("[2001:db8::1]:81", 200),
            ("evil.example", 421),
        ):
            assert client.get("/races", headers={"host": host}).status_code == status, host


# -- limits -----------------------------------------------------------------------------------------


def test_bucket_refills_and_memory_is_bounded() -> None:
    now = 0.0
    limit = RateLimit(2, 3, max_keys=10, clock=lambda: now)
    assert [limit.take("a") for _ in range(4)] == [True, True, True, False]
    assert limit.seconds_to_wait("a") == 0.5
    now = 0.5
    assert [limit.take("a") for _ in range(2)] == [True, False]
    assert limit.take("b")
    now = 1000.0
    assert [limit.take("a") for _ in range(4)] == [True, True, True, False]
    for number in range(100):
        limit.take(str(number))
    assert len(limit) == 10


def test_requests_of_a_token_or_an_address_are_limited(lake: Path, tmp_path: Path) -> None:
    access = AccessSettings(mode="tokens")
    with open_dashboard(lake, tmp_path, access, checks_host=False, requests_per_second=1) as dashboard:
        first, second = (bearer(new_token(dashboard, Role.READER, name)) for name in ("first", "second"))
        client = new_client(dashboard)
        statuses = [client.get("/api/v1/overview", headers=first).status_code for _ in range(20)]
        assert statuses.count(429) >= 10
        assert statuses[:4] == [200] * 4
        limited = client.get("/api/v1/overview", headers=first)
        assert (limited.status_code, limited.json()["status"]) == (429, 429)
        assert int(limited.headers["retry-after"]) >= 1
        assert client.get("/api/v1/overview", headers=second).status_code == 200
        # addresses of one network of IPv6 share a limit
        statuses = [
            new_client(dashboard, (f"2001:db8::{number}", 1)).get("/api/v1/health").status_code for number in range(20)
        ]
        assert statuses.count(429) >= 10
        assert new_client(dashboard, ("2001:db8:1::1", 1)).get("/api/v1/health").status_code == 200


@pytest.mark.parametrize("route", [route for route in WRITES if route.max_body_bytes], ids=route_name)
def test_large_body_is_refused_and_none_is_read_without_a_role(
    opened: Dashboard, identities: dict[str, Identity], route: Route
) -> None:
    assert route.max_body_bytes is not None
    size = route.max_body_bytes + 1
    sent = 0

    def blocks() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(size // 1000 + 1):
            sent += 1000
            yield b"x" * 1000

    kind = {"content-type": "application/json" if route.is_documented else "application/x-www-form-urlencoded"}
    admin = identities["admin, token"].client
    assert admin.post(address_of(route), content=b"x" * size, headers=kind).status_code == 413
    assert admin.post(address_of(route), content=blocks(), headers=kind).status_code == 413
    if route.role is not None:
        nobody = new_client(opened)
        assert nobody.post(address_of(route), content=b"x" * size, headers=kind).status_code == 401


# -- audit log --------------------------------------------------------------------------------------


def test_writes_logins_and_failures_are_in_the_audit_log(lake: Path, tmp_path: Path) -> None:
    with open_dashboard(lake, tmp_path, AccessSettings(mode="tokens"), checks_host=False) as dashboard:
        reader, admin = new_token(dashboard, Role.READER, "ro"), new_token(dashboard, Role.ADMIN, "root")
        address = f"/api/v1/races/{race_of(dashboard)}/decisions"
        client = new_client(dashboard)
        client.post("/login", data={"token": form_token(client, "/login"), "access_token": "deadheat_wrong"})
        browser = log_in(dashboard, admin)
        client.post(address, json={"kind": "unmute"}, headers=bearer(reader))
        client.post(address, json={"kind": "unmute"}, headers=bearer(admin))
        client.post(address, json={"kind": "nothing"}, headers=bearer(admin))
        client.get("/api/v1/races", headers=bearer("deadheat_unknown"))
        browser.post("/logout", data={"token": form_token(browser)})
        entries = client.get("/api/v1/audit", headers=bearer(admin)).json()["entries"][::-1]
        found = [(entry["actor"], entry["action"], entry["details"].get("status")) for entry in entries]
        write = "post /api/v1/races/{race}/decisions"
        assert found == [
            ("", "login failed", None), ("root", "login", None), ("ro", "refused", 403), ("root", write, 200),
            ("root", write, 422), ("", "refused", 401), ("root", "logout", None),
        ]  # fmt: skip
        assert {entry["address"] for entry in entries} == {CLIENT[0]}
        assert entries[3]["details"]["path"] == address
        text = json.dumps(entries) + client.get("/audit", headers=bearer(admin)).text
        for secret in (reader, admin, "deadheat_wrong", "deadheat_unknown", *browser.cookies.values()):
            assert secret not in text
        assert client.get("/audit?before=3", headers=bearer(admin)).text.count("<tr>") == 3


def test_audit_log_of_many_entries_has_pages(lake: Path, tmp_path: Path) -> None:
    with open_dashboard(lake, tmp_path) as dashboard:
        assert dashboard.services.store is not None
        for number in range(101):
            dashboard.services.store.audit.add(f"<b>{number}", "test")
        first = dashboard.client.get("/api/v1/audit").json()
        assert (len(first["entries"]), first["before"]) == (100, 2)
        last = dashboard.client.get("/api/v1/audit?before=2").json()
        assert ([entry["actor"] for entry in last["entries"]], last["before"]) == (["<b>0"], None)
        assert "&lt;b&gt;100" in dashboard.client.get("/audit").text


def test_refused_requests_cannot_fill_the_audit_log(lake: Path, tmp_path: Path) -> None:
    with open_dashboard(lake, tmp_path, AccessSettings(mode="tokens"), checks_host=False) as dashboard:
        assert dashboard.services.store is not None
        for number in range(300):
            client = new_client(dashboard, (f"198.51.{number // 200}.{number % 200}", 1))
            client.get("/api/v1/overview", headers=bearer("deadheat_wrong"))
        assert len(dashboard.services.store.audit.latest(1000)) < 260


def test_a_write_is_answered_if_the_audit_log_cannot_be_written(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise DecisionDatabaseError("the disk is full", "decisions.sqlite")

    with open_dashboard(lake, tmp_path) as dashboard:
        monkeypatch.setattr(type(dashboard.services.store.audit), "add", fail)  # type: ignore[union-attr]
        address = f"/api/v1/races/{race_of(dashboard)}/decisions"
        assert dashboard.client.post(address, json={"kind": "unmute"}).status_code == 200
    assert "no entry in the audit log for post /api/v1/races/{race}/decisions" in caplog.text


# -- the command ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--host", "0.0.0.0"], "use --auth tokens, or --auth proxy with --trusted-proxy and --user-header"),
        (["--host", "::"], "use --auth tokens"),
        (["--host", "races.example"], "or --host 127.0.0.1"),
        (["--auth", "proxy"], "--auth proxy needs --trusted-proxy"),
        (["--auth", "proxy", "--user-header", "X-User"], "--auth proxy needs --trusted-proxy"),
        (["--auth", "proxy", "--trusted-proxy", "10.0.0.1/8", "--user-header", "X-User"], "is not an address"),
        (["--auth", "proxy", "--trusted-proxy", "proxy", "--user-header", "X-User"], "is not an address"),
        (["--user-header", "X-User"], "--user-header needs --auth proxy"),
        (["--auth", "tokens", "--role-map", "kim=admin"], "--role-map needs --auth proxy"),
        (["--auth", "proxy", "--role-map", "kim=root"], "is not VALUE=ROLE"),
        (["--auth", "proxy", "--user-header", "X User:"], "is not the name of a header"),
        (["--anonymous-role", "reader"], "--anonymous-role needs --auth"),
        (["--anonymous-role", "admin", "--auth", "tokens"], "invalid choice"),
        (["--host", "0.0.0.0", "--anonymous-role", "reader"], "use --auth tokens"),
    ],
)  # fmt: skip
def test_serve_says_what_it_needs(
    lake: Path, capsys: pytest.CaptureFixture[str], options: list[str], expected: str
) -> None:
    try:
        status: object = main(["serve", "--lake", str(lake), "--port", "0", *options])
    except SystemExit as stop:
        status = stop.code
    error = capsys.readouterr().err
    assert (status, error.count("\n")) == (2, 1)
    assert expected in error


def test_settings_are_plain_values_for_worker_processes() -> None:
    access = AccessSettings(mode="proxy", trusted_proxies=["10.0.0.1"], user_header="a", role_map={"b": "reader"})
    assert AccessSettings(**json.loads(json.dumps(dataclasses.asdict(access)))) == access
    assert not AccessSettings(mode="tokens").fault("0.0.0.0", has_store=True)
    assert "--decisions" in AccessSettings(mode="tokens").fault("127.0.0.1", has_store=False)
    assert settings.AccessSettings().fault("127.0.0.1", has_store=False) == ""


def run_deadheat(*args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deadheat", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_several_processes_know_a_session_also_after_a_restart(lake: Path, tmp_path: Path) -> None:
    """Real processes: each request goes to any of the two."""
    import httpx2 as httpx

    database = tmp_path / "decisions.sqlite"
    text = run_deadheat("token", "create", "kim", "--role", "triager", "--decisions", database).stdout.strip()
    options = ("--lake", lake, "--decisions", database, "--auth", "tokens", "--workers", "2", "--host", "0.0.0.0")
    cookies: dict[str, str] = {}
    fields: dict[str, str] = {}
    race = ""
    with serving(*options) as address:
        base = address.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{base}races").status_code == 401
        page = httpx.get(f"{base}login")
        token = re.search(r'name="token" value="(\w+)"', page.text)
        assert token is not None
        login = {"token": token[1], "access_token": text, "back": "/races"}
        done = httpx.post(f"{base}login", data=login, cookies=dict(page.cookies))
        assert (done.status_code, done.headers["location"]) == (303, "/races"), done.text
        cookies = dict(done.cookies)
        # a new connection each time
        answers = [httpx.get(f"{base}races", cookies=cookies) for _ in range(12)]
        assert [answer.status_code for answer in answers] == [200] * 12
        race = re.findall(r'href="/races/(\w{16})"', answers[0].text)[0]
        fields = dict(
            re.findall(
                r'name="(token|key|based_on)" value="([^"]*)"', httpx.get(f"{base}races/{race}", cookies=cookies).text
            )
        )
        for number in range(8):
            comment = {**fields, "key": f"comment-{number}", "action": "comment", "comment": f"number {number}"}
            comment.pop("based_on", None)
            assert httpx.post(f"{base}races/{race}", data=comment, cookies=cookies).status_code == 303
    with serving(*options) as address:
        base = address.replace("0.0.0.0", "127.0.0.1")
        # the page was loaded before the restart
        late = {**fields, "key": "comment-late", "action": "comment", "comment": "late"}
        late.pop("based_on", None)
        assert httpx.post(f"{base}races/{race}", data=late, cookies=cookies).status_code == 303
        history = httpx.get(f"{base}api/v1/races/{race}/decisions/history", headers=bearer(text)).json()
        assert [event["actor"] for event in history] == ["kim"] * 9
        run_deadheat("token", "revoke", "kim", "--decisions", database)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            statuses = [httpx.get(f"{base}races", cookies=cookies).status_code for _ in range(8)]
            statuses += [httpx.get(f"{base}api/v1/races", headers=bearer(text)).status_code for _ in range(8)]
            if statuses == [401] * 16:
                break
        assert statuses == [401] * 16
    store = DecisionStore.open(str(database))
    logged = json.dumps([dataclasses.asdict(entry) for entry in store.audit.latest(1000)], default=str)
    store.close()
    assert "login" in logged
    for secret in (text, *cookies.values()):
        assert secret not in logged


def test_token_expires_and_names_are_not_shared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--decisions", str(tmp_path / "decisions.sqlite"))
    assert main(["token", "create", "kim", "--expires-days", "30", *given]) == 0
    text = capsys.readouterr().out.strip()
    assert text.startswith(TOKEN_PREFIX)
    assert main(["token", "create", "kim", *given]) == 3
    assert "kim: has a token already; revoke it first" in capsys.readouterr().err
    assert main(["token", "list", *given]) == 0
    expiry = datetime.now(UTC) + timedelta(days=30)
    assert f"never used, expires {expiry:%Y-%m-%d}" in capsys.readouterr().out
    assert main(["token", "list", "--format", "json", *given]) == 0
    assert text not in (listed := capsys.readouterr().out)
    assert json.loads(listed)[0]["expires_at"].startswith(f"{expiry:%Y-%m-%d}")
    assert main(["token", "revoke", "kim", *given]) == 0
    assert main(["token", "create", "kim", *given]) == 0
