"""The files in `examples/deploy`: they can be parsed, and what they name exists. No engine runs them."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from deadheat.cli import build_parser
from deadheat.web.notify.rules import NoticeKind, read_rules
from deadheat.web.routes import all_routes

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "examples" / "deploy"
PUBLIC_PATHS = {route.path for route in all_routes() if route.role is None}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return loaded


@pytest.fixture(scope="module")
def manifests() -> dict[str, Any]:
    documents = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())
    return {document["kind"]: document for document in documents}


def check_command(words: list[str]) -> Any:
    """The command exists and has these options."""
    return build_parser().parse_args(words)


def test_compose_starts_commands_that_exist(compose: dict[str, Any]) -> None:
    services = compose["services"]
    server = check_command(services["server"]["command"])
    assert (server.host, server.watch) == ("0.0.0.0", [])
    assert check_command(services["migrate"]["command"]).upgrade
    for line in (DEPLOY / "compose.yaml").read_text().splitlines():
        if "run --rm server" in line:
            assert check_command(shlex.split(line.partition("server ")[2])).role == "triager"


def test_what_compose_refers_to_is_there(compose: dict[str, Any]) -> None:
    volumes, secrets = {*compose["volumes"]}, {*compose["secrets"]}
    for service in compose["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert (DEPLOY / source).is_file() if source.startswith("./") else source in volumes
        assert {*service.get("secrets", ())} <= secrets
        assert {*service.get("depends_on", ())} <= compose["services"].keys()
    server = compose["services"]["server"]
    arguments = [
        line.split()[1].partition("=")[0]
        for line in (ROOT / "Dockerfile").read_text().splitlines()
        if line[:4] == "ARG "
    ]
    assert server["build"]["args"].keys() <= {*arguments}
    assert (DEPLOY / server["build"]["context"]).resolve() == ROOT
    assert any(path in server["healthcheck"]["test"][-1] for path in PUBLIC_PATHS)


def test_kubernetes_probes_and_names_fit(manifests: dict[str, Any]) -> None:
    pod = manifests["Deployment"]["spec"]["template"]
    (server,) = pod["spec"]["containers"]
    (migrate,) = pod["spec"]["initContainers"]
    assert check_command(server["args"]).intake == "/data/intake"
    assert check_command(migrate["args"]).upgrade
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert server[probe]["httpGet"]["path"] in PUBLIC_PATHS
        assert server[probe]["httpGet"]["port"] in {port["name"] for port in server["ports"]}
    volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
    for container in (server, migrate):
        assert {mount["name"] for mount in container["volumeMounts"]} == volumes
        assert container["securityContext"]["readOnlyRootFilesystem"]
    claim = next(v["persistentVolumeClaim"]["claimName"] for v in pod["spec"]["volumes"] if v["name"] == "data")
    assert claim == manifests["PersistentVolumeClaim"]["metadata"]["name"]
    labels = pod["metadata"]["labels"].items()
    assert manifests["Deployment"]["spec"]["selector"]["matchLabels"].items() <= labels
    assert manifests["Service"]["spec"]["selector"].items() <= labels


def test_the_configuration_has_rules_that_can_be_read(tmp_path: Path) -> None:
    tables = tomllib.loads((DEPLOY / "deadheat.toml").read_text())["serve"]["notify"]
    secret = tmp_path / "secret"
    secret.write_text("json://localhost\n")
    assert tables[0]["to-file"].startswith("/run/secrets/")
    (rule,) = read_rules([{**tables[0], "to-file": str(secret)}], DEPLOY)
    assert NoticeKind.FIX_FAILED in rule.kinds


def test_no_secret_is_in_the_files() -> None:
    for path in DEPLOY.iterdir():
        text = path.read_text()
        assert "PASSWORD: " not in text.replace("POSTGRES_PASSWORD_FILE: ", "")
