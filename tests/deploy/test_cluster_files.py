"""The files for many servers, `deploy/cluster` and `deploy/nats`, agree with each other."""

import re
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploying import DEPLOY, options, said
from typer.main import get_command

from kibitz.server.__main__ import serve
from kibitz.server.log.nats.servers import servers_of, urls_in

CLUSTER = DEPLOY / "cluster"
GROWING = (DEPLOY / "GROWING.md").read_text()
CONFIG = (DEPLOY / "nats" / "nats.conf").read_text()
KUBERNETES = CLUSTER / "kubernetes"


def services() -> dict[str, dict[str, Any]]:
    """What compose starts."""
    return dict(yaml.safe_load((CLUSTER / "compose.yaml").read_text())["services"])


def manifest(file: str, kind: str) -> dict[str, Any]:
    """What Kubernetes starts."""
    documents = yaml.safe_load_all((KUBERNETES / file).read_text())
    (found,) = [each for each in documents if each["kind"] == kind]
    return dict(found)


def pod(file: str, kind: str) -> dict[str, Any]:
    return dict(manifest(file, kind)["spec"]["template"]["spec"])


def environment(container: dict[str, Any]) -> dict[str, str]:
    """The variables of a container; of a secret one, its name in place of what it is."""
    return {
        each["name"]: each.get("value") or str(next(iter(each["valueFrom"].values())))
        for each in container["env"]
    }


def needed() -> set[str]:
    """The variables that the configuration of NATS asks for."""
    lines = [line for line in CONFIG.splitlines() if not line.lstrip().startswith("#")]
    return set(re.findall(r": \$([A-Z_]+)", "\n".join(lines)))


KIBITZ = ("k1", "k2", "k3")
NATS = ("n1", "n2", "n3")
PODS = ("nats-0.nats", "nats-1.nats", "nats-2.nats")


def commands() -> dict[str, tuple[list[str], str]]:
    """Every way in which a server is started: its command, and where its rooms are kept."""
    (container,) = pod("kibitz.yaml", "Deployment")["containers"]
    started = services()["k1"]
    return {
        "compose": (started["command"], started["environment"]["KIBITZ_NATS"]),
        "kubernetes": (container["command"], environment(container)["KIBITZ_NATS"]),
    }


@pytest.mark.parametrize(("name", "names"), [("compose", NATS), ("kubernetes", PODS)])
def test_a_server_is_started_with_flags_that_it_takes_on_the_servers_there_are(
    name: str, names: tuple[str, ...]
) -> None:
    command, urls = commands()[name]
    given = options(command)
    words = [word for flag, value in given.items() for word in (flag, value)]
    get_command(serve).make_context("serve", words)
    assert given["--nats-replicas"] == "3" and "--data" not in given and "--nats" not in given
    servers = servers_of(urls_in(urls))
    assert list(servers.urls) == [f"nats://{each}:4222" for each in names]
    assert servers.user == "node" and "user: node" in CONFIG and ':4222"' in CONFIG


def test_on_three_machines_systemd_starts_the_same_and_the_proxies_are_believed() -> None:
    text = (CLUSTER / "systemd" / "kibitz.conf").read_text()
    commands = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    assert commands[0] == "", "the old one is taken away"
    (command,) = [line.split() for line in commands[1:]]
    given = get_command(serve).make_context("serve", command[2:]).params
    assert given["nats"] == [f"nats://{name}:4222" for name in NATS]
    assert given["nats_replicas"] == 3 and given["data"] is None
    assert str(given["nats_credentials"]) == "%d/nats"
    (credential,) = re.findall(r"^LoadCredential=(.*)$", text, re.MULTILINE)
    assert credential == "nats:/etc/kibitz/nats" and credential.split(":")[1] in GROWING
    old = (DEPLOY / "kibitz.service").read_text().split("ExecStart=")[1].split()
    assert given["drain"] == float(options(old[: old.index("%d/admin-token") + 1])["--drain"])
    caddy = (CLUSTER / "systemd" / "caddy.conf").read_text()
    (upstreams,) = re.findall(r'^Environment="KIBITZ_UPSTREAMS=(.*)"$', caddy, re.MULTILINE)
    believed = [network.removesuffix("/32") for network in given["trusted_proxy"]]
    assert upstreams.split() == [f"{host}:{given['port']}" for host in believed]
    assert given["host"] == believed[0]
    nats = (CLUSTER / "systemd" / "nats.service").read_text()
    lame, wait = (
        re.search(r'lame_duck_duration: "(\d+)s"', CONFIG),
        re.search(r"TimeoutStopSec=(\d+)", nats),
    )
    assert lame and wait and int(wait[1]) > int(lame[1]) and "KillSignal=SIGUSR2" in nats


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


async def test_three_nats_servers_for_a_try_on_one_machine(tmp_path: Path) -> None:
    lines = GROWING.split("<!-- three for a try -->\n```sh\n")[1].split("```")[0]
    checked = lines.replace("nats-server -c", "nats-server -t -c").replace(" &\n", "\n")
    assert checked.count(" -t ") == 1 == lines.count(" &\n")
    (tmp_path / "deploy").symlink_to(DEPLOY)
    shown = await said("sh", "-ec", f"cd {tmp_path}; HOME={tmp_path}; {checked}")
    assert names_in(tmp_path) == ["deploy", "kibitz-try"], "nothing else is written"
    folder = tmp_path / "kibitz-try"
    words = (folder / "three").read_text().split()
    given = dict(zip(words[::2], words[1::2], strict=True))
    assert given["--nats-credentials"] == f"{folder}/node"
    assert (folder / "node").read_text().startswith("node:k")
    assert (words.count("--nats"), given["--nats-replicas"]) == (3, "3")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert shown.count("is valid") == 3
    for number in "123":
        config = (folder / f"n{number}.conf").read_text()
        listed = re.findall(r'"([\d.]+):(\d+)"', config)
        assert listed == [("127.0.0.1", f"{port}{number}") for port in (422, 822, 622)]
        assert f'"{folder}/n{number}"' in config


def test_the_nats_servers_get_all_that_their_configuration_asks_for() -> None:
    assert len(needed()) == 6
    (container,) = pod("nats.yaml", "StatefulSet")["containers"]
    for given, names in (
        (environment(container), PODS),
        *((services()[n]["environment"], NATS) for n in NATS),
    ):
        assert set(given) == needed()
        routes = yaml.safe_load(given["NATS_ROUTES"])
        assert [route.rpartition("@")[2] for route in routes] == [f"{n}:6222" for n in names]
        assert all(route.startswith("nats://route:") for route in routes)
    assert [services()[name]["environment"]["NATS_NAME"] for name in NATS] == list(NATS)
    mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounts == {"/data", "/etc/nats"} and 'store_dir: "/data"' in CONFIG
    assert container["command"][1:] == services()["n1"]["command"]
    (claim,) = manifest("nats.yaml", "StatefulSet")["spec"]["volumeClaimTemplates"]
    most = re.search(r"max_file: (\d+)GB", CONFIG)
    assert most and int(claim["spec"]["resources"]["requests"]["storage"][:-2]) > int(most[1])
    assert container["image"] == services()["n1"]["image"]


def test_no_kill_comes_before_the_end() -> None:
    (kibitz,) = pod("kibitz.yaml", "Deployment")["containers"]
    drain = float(options(kibitz["command"])["--drain"])
    sleep = float(kibitz["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod("kibitz.yaml", "Deployment")["terminationGracePeriodSeconds"] >= sleep + drain + 5
    for name in KIBITZ:
        drain = float(options(services()[name]["command"])["--drain"])
        assert float(services()[name]["stop_grace_period"][:-1]) >= drain + 5
    lame = re.search(r'lame_duck_duration: "(\d+)s"', CONFIG)
    assert lame and pod("nats.yaml", "StatefulSet")["terminationGracePeriodSeconds"] > int(lame[1])
    for name in NATS:
        assert services()[name]["stop_signal"] == "SIGUSR2"
        assert float(services()[name]["stop_grace_period"][:-1]) > int(lame[1])


def test_only_who_keeps_rooms_reaches_nats_and_only_caddy_the_world() -> None:
    started = services()
    on_log = {name for name, each in started.items() if "log" in each["networks"]}
    assert on_log == {*KIBITZ, *NATS}
    assert all(started[name]["networks"] == ["log"] for name in NATS)
    networks = yaml.safe_load((CLUSTER / "compose.yaml").read_text())["networks"]
    assert all(networks[name]["internal"] for name in ("log", "inner", "watched"))
    assert {name for name, each in started.items() if "ports" in each} == {"caddy", "grafana"}
    believed = ip_address(options(started["k1"]["command"])["--trusted-proxy"])
    assert str(believed) == started["caddy"]["networks"]["inner"]["ipv4_address"]
    assert believed in ip_network(networks["inner"]["ipam"]["config"][0]["subnet"])
    inward = {
        each["metadata"]["name"]: each["spec"]
        for each in yaml.safe_load_all((KUBERNETES / "networkpolicy.yaml").read_text())
    }
    clients, routes = inward["nats"]["ingress"]
    assert clients["from"][0]["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": "kibitz"}
    assert routes["from"][0]["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": "nats"}
    assert {each["ports"][0]["port"] for each in (clients, routes)} == {"client", "route"}


def test_one_goes_at_a_time_and_each_is_asked_whether_it_is_ready() -> None:
    for file, kind in (("kibitz.yaml", "Deployment"), ("nats.yaml", "StatefulSet")):
        spec = manifest(file, kind)["spec"]
        budget = manifest(file, "PodDisruptionBudget")["spec"]
        assert spec["replicas"] == 3 and budget["maxUnavailable"] == 1
        assert budget["selector"] == spec["selector"]
        assert manifest(file, "Service")["spec"]["selector"] == spec["selector"]["matchLabels"]
        assert spec["template"]["metadata"]["labels"] == spec["selector"]["matchLabels"]
    (container,) = pod("kibitz.yaml", "Deployment")["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert "health_uri /readyz" in (CLUSTER / "Caddyfile").read_text()


def test_what_is_in_front_and_who_watches_know_all_servers() -> None:
    upstreams = services()["caddy"]["environment"]["KIBITZ_UPSTREAMS"]
    asked = yaml.safe_load((CLUSTER / "prometheus.yml").read_text())
    (job,) = asked["scrape_configs"]
    targets = [f"{name}:8765" for name in KIBITZ]
    assert upstreams.split() == job["static_configs"][0]["targets"] == targets
    (alone,) = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())[
        "scrape_configs"
    ]
    assert job["job_name"] == alone["job_name"], "the alarms ask for it"
    single = (DEPLOY / "kubernetes" / "ingress.yaml").read_text()
    assert (KUBERNETES / "ingress.yaml").read_text() == single


def test_what_compose_mounts_is_there() -> None:
    volumes = yaml.safe_load((CLUSTER / "compose.yaml").read_text())["volumes"]
    for service in services().values():
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            assert source in volumes or (CLUSTER / source).exists(), mount
    build = services()["k1"]["build"]
    assert (CLUSTER / build["context"] / build["dockerfile"]).resolve() == (
        Path(DEPLOY).resolve() / "Dockerfile"
    )
