"""Every request that the OpenAPI description allows, and many that it does not, get an answer that it documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import one_of
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from deadheat.triage.server_tables import Role
from deadheat.web.access.settings import AccessSettings
from tests.dashboards import Dashboard, open_dashboard, small_lake

if TYPE_CHECKING:
    from collections.abc import Iterator

# share one lake
pytestmark = pytest.mark.xdist_group("web")

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip
# requests as described, and with something wrong in them
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
EXAMPLES, SOAK_EXAMPLES = 6, 300


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    folder = tmp_path_factory.mktemp("web-schema")
    small_lake(folder / "lake")
    with open_dashboard(folder / "lake", folder, AccessSettings(mode="tokens"), checks_host=False) as dashboard:
        dashboard.services.is_stopping = True
        yield dashboard


def call_every_route(dashboard: Dashboard, role: Role, examples: int) -> None:
    """Calls each documented route with generated requests as somebody with a role."""
    store = dashboard.services.store
    assert store is not None
    _, text = store.tokens.create(f"schema {role} {examples}", role)
    headers = {"authorization": f"Bearer {text}"}
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", dashboard.client.app, headers=headers)
    races = [race["race"] for race in dashboard.client.get("/api/v1/races", headers=headers).json()["races"]]
    operations: list[Any] = [*schema.get_all_operations()]
    assert len(operations) > 10
    for operation in operations:
        call_route(operation.ok(), headers, races, examples)


def has_mode(operation: Any, mode: GenerationMode) -> bool:
    """A route without parameters and body has no wrong requests."""
    return mode is GenerationMode.POSITIVE or bool([*operation.iter_parameters()] or operation.body)


def call_route(operation: Any, headers: dict[str, str], races: list[str], examples: int) -> None:
    number = 0

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(case=one_of(*(operation.as_strategy(mode) for mode in MODES if has_mode(operation, mode))))
    def call(case: Any) -> None:
        nonlocal number
        number += 1
        # random ids name no race: let half of the requests get further
        if number % 2 and "race" in (case.path_parameters or {}):
            case.path_parameters["race"] = races[number % len(races)]
        case.call_and_validate(checks=CHECKS, headers=headers)

    call()


@pytest.mark.parametrize("role", [*Role])
def test_every_answer_is_documented(opened: Dashboard, role: Role) -> None:
    call_every_route(opened, role, EXAMPLES)


def test_a_body_that_is_no_text_is_refused(opened: Dashboard) -> None:
    store = opened.services.store
    assert store is not None
    _, text = store.tokens.create("bytes", Role.TRIAGER)
    headers = {"authorization": f"Bearer {text}", "content-type": "application/json"}
    response = opened.client.post("/api/v1/races/none/decisions", content=b"g\xff\xff\x03", headers=headers)
    assert (response.status_code, response.json()["status"]) == (400, 400)
    answers = opened.client.app.openapi()["paths"]["/api/v1/races/{race}/decisions"]["post"]["responses"]  # type: ignore[attr-defined]
    assert {"400", "401", "403", "404", "409", "413", "421", "422", "429", "500"} <= {*answers}


@pytest.mark.soak
@pytest.mark.parametrize("role", [*Role])
def test_every_answer_to_many_requests_is_documented(opened: Dashboard, role: Role) -> None:
    call_every_route(opened, role, SOAK_EXAMPLES)
