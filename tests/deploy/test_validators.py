"""Each format of `deploy/` by the program that reads it, or the one that comes nearest."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from deploying import DEPLOY, ROOT, said
from scraped import scrape
from servers import running_server

from kibitz.server.log.sqlite import SqliteLog


def scripts() -> list[Path]:
    """Every shell script of the project."""
    return [ROOT / "tests" / "install.sh", ROOT / ".ci" / "run"]


async def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "kibitz.service"
    text = (DEPLOY / "kibitz.service").read_text()
    unit.write_text(text.replace("/opt/kibitz/bin/kibitz", "/usr/bin/env"))
    complaints = await said("systemd-analyze", "verify", "--man=no", unit)
    assert "kibitz" not in complaints, complaints


async def test_systemd_reads_the_units_of_a_cluster(tmp_path: Path) -> None:
    folder = DEPLOY / "cluster" / "systemd"
    (tmp_path / "kibitz.service.d").mkdir()
    drop_in = tmp_path / "kibitz.service.d" / "nats.conf"
    for source, target in (
        (DEPLOY / "kibitz.service", tmp_path / "kibitz.service"),
        (folder / "kibitz.conf", drop_in),
        (folder / "nats.service", tmp_path / "nats.service"),
    ):
        text = re.sub(
            r"^(ExecStart=)/\S+", r"\1/usr/bin/env", source.read_text(), flags=re.MULTILINE
        )
        target.write_text(text)
    units = [tmp_path / "kibitz.service", tmp_path / "nats.service"]
    complaints = await said("systemd-analyze", "verify", "--man=no", *units)
    assert str(tmp_path) not in complaints and "kibitz" not in complaints, complaints
    drop_in.write_text("[Service]\nExecStarts=\n")
    complaints = await said("systemd-analyze", "verify", "--man=no", *units)
    assert str(drop_in) in complaints, "it is looked at"


async def test_a_wrong_unit_would_be_seen(tmp_path: Path) -> None:
    unit = tmp_path / "kibitz.service"
    text = (DEPLOY / "kibitz.service").read_text()
    unit.write_text(text.replace("ProtectSystem=", "ProtectSystems="))
    with pytest.raises(AssertionError):
        assert "kibitz" not in await said("systemd-analyze", "verify", "--man=no", unit)


async def test_prometheus_reads_its_files() -> None:
    folder = DEPLOY / "prometheus"
    await said("promtool", "check", "config", folder / "prometheus.yml")
    await said("promtool", "check", "config", "--syntax-only", DEPLOY / "cluster/prometheus.yml")
    await said("promtool", "check", "rules", folder / "rules.yml")
    await said("promtool", "test", "rules", folder / "rules_test.yml")


def rules() -> list[dict[str, str]]:
    """The alarms."""
    (group,) = yaml.safe_load((DEPLOY / "prometheus" / "rules.yml").read_text())["groups"]
    return list(group["rules"])


def test_every_alarm_is_tested() -> None:
    tests = (DEPLOY / "prometheus" / "rules_test.yml").read_text()
    for rule in rules():
        assert tests.count(rule["alert"]) >= 2, rule["alert"]
        assert rule["annotations"] and rule["labels"]


def queries() -> Iterator[str]:
    """Every expression of the dashboard, with its variables filled in."""
    dashboard = json.loads((DEPLOY / "grafana" / "dashboards" / "kibitz.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield target["expr"].replace("$__rate_interval", "5m")


async def test_the_dashboard_s_queries_are_queries(tmp_path: Path) -> None:
    records = [{"record": f"q{n}", "expr": expr} for n, expr in enumerate(queries())]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": records}]}))
    await said("promtool", "check", "rules", file)


def test_what_an_alarm_is_about_can_be_seen() -> None:
    rung, seen = (
        {re.sub("_(count|bucket)$", "", name) for name in names(" ".join(exprs))}
        for exprs in ([rule["expr"] for rule in rules()], queries())
    )
    assert rung - seen == {"process_start_time_seconds"}


async def test_every_metric_of_ours_can_be_seen(tmp_path: Path) -> None:
    async with running_server(SqliteLog(tmp_path / "log")) as running:
        there = names(" ".join(await scrape(running.http)))
    base = re.compile("_(bucket|count|sum|total|created)$")
    seen = {base.sub("", name) for name in names(" ".join(queries()))}
    assert {
        name for name in there if name.startswith("kibitz") and base.sub("", name) not in seen
    } == set()


def names(exprs: str) -> set[str]:
    """The metrics in expressions."""
    return set(re.findall(r"\b(?:kibitz|process|python)_\w+", exprs))


async def test_every_metric_that_is_asked_for_exists(tmp_path: Path) -> None:
    asked = " ".join([*queries(), *(rule["expr"] for rule in rules())])
    async with running_server(SqliteLog(tmp_path / "log")) as running:
        there = {sample.partition("{")[0] for sample in await scrape(running.http)}
        labels = " ".join(await scrape(running.http))
    counted_later = {"kibitz_requests_total", "kibitz_limit_refusals_total"}
    told = names((DEPLOY / "README.md").read_text())
    assert "kibitz_advice_total" in told
    assert (names(asked) | told) - there <= counted_later
    for label, value in re.findall(r'(code|kind|role)="(\w+)"', asked):
        assert f'{label}="{value}"' in labels


AROUND = ("caddy", "prometheus", "grafana")


@pytest.mark.parametrize(
    ("name", "started", "secrets"),
    [
        ("compose.yaml", ("kibitz",), ("GRAFANA_PASSWORD", "KIBITZ_ADMIN_TOKEN")),
        (
            "cluster/compose.yaml",
            ("n1", "n2", "n3", "k1", "k2", "k3"),
            tuple(
                f"{name}_SECRET"
                for name in (
                    *("GRAFANA", "KIBITZ_ADMIN"),
                    *("NATS_ROUTE", "NATS_NODE", "NATS_EDGE", "NATS_OPERATOR"),
                )
            ),
        ),
    ],
)
async def test_compose_reads_its_file(
    name: str, started: tuple[str, ...], secrets: tuple[str, ...]
) -> None:
    words = {"KIBITZ_HOST": "play.example.org"} | dict.fromkeys(secrets, "x" * 16)
    file = DEPLOY / name
    shown = await said("docker-compose", "-f", file, "config", HOME="/nonexistent", **words)
    services = yaml.safe_load(shown)["services"]
    assert set(services) == {*started, *AROUND}
    for name, service in services.items():
        for port in service.get("ports", ()):
            assert name == "caddy" or port["host_ip"] == "127.0.0.1", name
    for word in words:  # it ends with 0 whatever it says
        few = {name: value for name, value in words.items() if name != word}
        answer = await said("docker-compose", "-f", file, "config", HOME="/nonexistent", **few)
        assert f"required variable {word}" in answer


async def test_the_dockerfile_and_the_scripts_are_clean() -> None:
    await said("hadolint", DEPLOY / "Dockerfile")
    await said("shellcheck", *scripts())


async def test_kubernetes_would_take_the_manifests() -> None:
    files = sorted([*DEPLOY.glob("kubernetes/*.yaml"), *DEPLOY.glob("cluster/kubernetes/*.yaml")])
    assert len(files) == 8
    await said("kubernetes-validate", "--strict", *files)
