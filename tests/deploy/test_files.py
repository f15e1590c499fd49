"""The files in `deploy/` agree with each other and with the command line. Needs no Docker."""

import json
import re
import shlex
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploying import options
from typer.main import get_command

from kibitz.server.__main__ import serve

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PORT = "8765"
DATABASE = "/var/lib/kibitz/kibitz.db"


def text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def instructions(keyword: str) -> list[str]:
    """The arguments of each Dockerfile instruction `keyword`, continuation lines joined."""
    joined = re.sub(r"\\\n\s*", "", text("Dockerfile"))
    return re.findall(rf"^{keyword} (.+)$", joined, flags=re.MULTILINE)


def unit() -> dict[str, list[str]]:
    """Each setting of the systemd unit with all its values, in order."""
    settings: dict[str, list[str]] = {}
    for line in text("kibitz.service").splitlines():
        if line and line[0] not in "#[":
            name, separator, value = line.partition("=")
            assert separator, line
            settings.setdefault(name, []).append(value)
    return settings


def compose() -> dict[str, Any]:
    loaded = yaml.safe_load(text("compose.yaml"))
    assert isinstance(loaded, dict)
    return loaded


def dockerfile_command() -> list[str]:
    (command,) = instructions("CMD")
    words = json.loads(command)
    assert isinstance(words, list)
    return [str(word) for word in words]


def unit_command() -> list[str]:
    (command,) = unit()["ExecStart"]
    return shlex.split(command)


def pod() -> dict[str, Any]:
    """What the StatefulSet runs."""
    (stateful,) = yaml.safe_load_all(text("kubernetes/kibitz.yaml"))
    spec = stateful["spec"]["template"]["spec"]
    assert isinstance(spec, dict)
    return spec


def commands() -> dict[str, list[str]]:
    """Every way in which the server is started."""
    return {
        "docker": dockerfile_command(),
        "compose": compose()["services"]["kibitz"]["command"],
        "unit": unit_command(),
        "kubernetes": pod()["containers"][0]["command"],
    }


@pytest.mark.parametrize("name", list(commands()))
def test_the_server_is_started_with_flags_that_it_takes(name: str) -> None:
    given = options(commands()[name])
    words = [word for flag, value in given.items() for word in (flag, value)]
    get_command(serve).make_context("serve", words)  # checks each, and runs nothing
    assert given["--port"] == PORT
    assert given["--data"] == DATABASE


def test_no_kill_comes_before_the_end() -> None:
    """Whoever stops the server waits longer than `--drain`."""
    drains = {name: float(options(command)["--drain"]) for name, command in commands().items()}
    sleep = float(pod()["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    waits = {
        "docker": 30.0,  # as compose says for the same image
        "compose": float(compose()["services"]["kibitz"]["stop_grace_period"].removesuffix("s")),
        "unit": float(unit()["TimeoutStopSec"][0]),
        "kubernetes": pod()["terminationGracePeriodSeconds"] - sleep,
    }
    for name, wait in waits.items():
        assert wait >= drains[name] + 5, name


def test_the_proxy_that_is_believed_is_the_one_there_is() -> None:
    given = options(commands()["compose"])
    inner = compose()["services"]["caddy"]["networks"]["inner"]
    assert given["--trusted-proxy"] == inner["ipv4_address"]
    (network,) = compose()["networks"]["inner"]["ipam"]["config"]
    assert ip_address(given["--trusted-proxy"]) in ip_network(network["subnet"])
    assert options(commands()["unit"])["--trusted-proxy"] == "127.0.0.1"


def test_what_the_pod_reads_is_mounted_and_nothing_else_may_be_written() -> None:
    (container,) = pod()["containers"]
    given = options(container["command"])
    mounts = [mount["mountPath"] for mount in container["volumeMounts"]]
    for flag in ("--data", "--admin-token-file", "--metrics-token-file"):
        assert str(Path(given[flag]).parent) in mounts, flag
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert pod()["securityContext"]["runAsNonRoot"] is True
    user = pod()["securityContext"]["runAsUser"]
    assert instructions("USER") == [f"{user}:{user}"]
    assert "--uid 10001" in text("Dockerfile")


def test_grafana_finds_the_dashboard_and_prometheus_its_rules() -> None:
    mounts = dict(m.split(":")[:2] for m in compose()["services"]["grafana"]["volumes"])
    (provider,) = yaml.safe_load(text("grafana/provisioning/dashboards/kibitz.yaml"))["providers"]
    assert mounts["./grafana/dashboards"] == provider["options"]["path"]
    (source,) = yaml.safe_load(text("grafana/provisioning/datasources/prometheus.yaml"))[
        "datasources"
    ]
    dashboard = json.loads(text("grafana/dashboards/kibitz.json"))
    assert {panel["datasource"]["uid"] for panel in dashboard["panels"]} == {source["uid"]}
    assert "./prometheus:/etc/prometheus:ro" in compose()["services"]["prometheus"]["volumes"]
    asked = yaml.safe_load(text("prometheus/prometheus.yml"))
    assert asked["rule_files"] == ["rules.yml"]
    (job,) = asked["scrape_configs"]
    assert job["static_configs"][0]["targets"] == [f"kibitz:{PORT}"]
    shared = compose()["services"]
    assert set(shared["prometheus"]["networks"]) <= set(shared["kibitz"]["networks"])


def test_only_the_container_listens_on_every_address() -> None:
    assert options(dockerfile_command())["--host"] == "0.0.0.0"
    assert options(unit_command())["--host"] == "127.0.0.1"


def test_compose_starts_what_the_dockerfile_starts() -> None:
    server = compose()["services"]["kibitz"]
    assert not {"entrypoint", "ports"} & set(server)
    given = options(commands()["compose"])
    assert options(commands()["docker"]).items() <= given.items()
    assert server["expose"] == [PORT]
    assert compose()["services"]["caddy"]["environment"]["KIBITZ_UPSTREAM"] == f"kibitz:{PORT}"


def test_compose_names_files_and_volumes_that_exist() -> None:
    services = compose()["services"]
    build = services["kibitz"]["build"]
    context = (DEPLOY / build["context"]).resolve()
    assert context == ROOT
    assert (context / build["dockerfile"]).is_file()
    for service in services.values():
        for mount in service["volumes"]:
            source = mount.split(":")[0]
            if source.startswith("."):
                assert (DEPLOY / source).exists(), mount
            else:
                assert source in compose()["volumes"], mount


def test_the_image_is_made_of_files_that_exist_and_reach_the_build() -> None:
    copied = [
        source
        for arguments in instructions("COPY")
        if not arguments.startswith("--from")
        for source in arguments.split()[:-1]
    ]
    assert {"engine", "protocol", "server", "clients", "pyproject.toml"} <= set(copied)
    ignore = text("Dockerfile.dockerignore").splitlines()
    for source in copied:
        assert (ROOT / source).exists(), source
        assert f"!{source}" in ignore, source


def test_the_database_lies_where_each_way_of_running_keeps_data() -> None:
    folder = str(Path(DATABASE).parent)
    assert instructions("VOLUME") == [folder]
    assert f"kibitz-data:{folder}" in compose()["services"]["kibitz"]["volumes"]
    assert unit()["StateDirectory"] == [Path(folder).name]


def test_the_server_is_never_root_and_can_gain_nothing() -> None:
    settings = unit()
    assert settings["DynamicUser"] == ["yes"]
    assert settings["NoNewPrivileges"] == ["yes"]
    assert settings["ProtectSystem"] == ["strict"]


def test_a_stop_is_a_sigterm_with_time_to_say_goodbye() -> None:
    assert instructions("STOPSIGNAL") == ["SIGTERM"]
    assert compose()["services"]["kibitz"]["stop_grace_period"] == "30s"
    assert unit()["KillSignal"] == ["SIGTERM"]
    assert unit()["TimeoutStopSec"] == ["30"]


def test_the_health_check_asks_the_port_that_is_served() -> None:
    (check,) = instructions("HEALTHCHECK")
    words = json.loads(check[check.index("[") :])
    assert words[:2] == ["python", "-c"]
    compile(words[2], "HEALTHCHECK", "exec")
    assert f"http://127.0.0.1:{PORT}/healthz" in words[2]
    assert instructions("EXPOSE") == [PORT]


@pytest.mark.parametrize(
    ("name", "closed"),
    [
        ("Caddyfile", r"@private path /metrics\*\s+respond @private 404"),
        ("nginx.conf", r"location /metrics \{\s+return 404;\s+\}"),
    ],
)
def test_a_proxy_reaches_the_server_and_keeps_the_metrics_private(name: str, closed: str) -> None:
    assert f"127.0.0.1:{PORT}" in text(name)
    assert re.search(closed, text(name))


def test_the_readme_names_every_file_and_no_other() -> None:
    named = set(re.findall(r"^\| `([^`]+)` \| [^|]+ \|$", text("README.md"), flags=re.MULTILINE))
    there = {path.name for path in DEPLOY.iterdir() if not path.name.startswith(".")}
    assert named == there - {"README.md"}
