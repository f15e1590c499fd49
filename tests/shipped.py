"""Three NATS servers with the configuration that is shipped: other ports, folders, certificates."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from brokers import free_ports
from certificates import Authority
from deploying import DEPLOY, tool

NAMES = ("n1", "n2", "n3")
PASSWORDS = {
    f"NATS_{who}_PASSWORD": f"k{number:048x}"
    for number, who in enumerate(("ROUTE", "NODE", "EDGE", "OPERATOR", "SYSTEM"), 0xC0FFEE)
}
SHIPPED = DEPLOY / "nats" / "nats.conf"
SYSTEM = "SYS { users: [{ user: system, password: $NATS_SYSTEM_PASSWORD }] }"
"""What stands for ``SYS {}`` where somebody is to ask the servers themselves."""


class ShippedCluster:
    """The servers, with TLS everywhere."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority(folder)
        ports = free_ports(3 * len(NAMES))
        self.ports, self.monitors = ports[:3], ports[6:]
        routes = ", ".join(
            f'"nats://route:{PASSWORDS["NATS_ROUTE_PASSWORD"]}@127.0.0.1:{port}"'
            for port in ports[3:6]
        )
        self._processes = []
        for name, client, route, http in zip(NAMES, self.ports, ports[3:6], ports[6:], strict=True):
            own = folder / name
            own.mkdir()
            config = own / "nats.conf"
            config.write_text(self._config(own, client, route, http))
            environment = os.environ | PASSWORDS | {"NATS_NAME": name, "NATS_ROUTES": f"[{routes}]"}
            with (own / "said").open("wb") as said:
                self._processes.append(
                    subprocess.Popen(
                        [tool("nats-server"), "-c", config], stderr=said, env=environment
                    )
                )

    def _config(self, folder: Path, client: int, route: int, http: int) -> str:
        text = SHIPPED.read_text().replace("#tls ", "")
        for old, new in (
            ('"0.0.0.0:4222"', f'"127.0.0.1:{client}"'),
            ('"0.0.0.0:6222"', f'"127.0.0.1:{route}"'),
            ('"0.0.0.0:8222"', f'"127.0.0.1:{http}"'),
            ('"/data"', f'"{folder}/data"'),
            ("SYS {}", SYSTEM),
            ("/etc/nats/tls/tls.crt", str(self.authority.cert)),
            ("/etc/nats/tls/tls.key", str(self.authority.key)),
            ("/etc/nats/tls/ca.crt", str(self.authority.ca)),
        ):
            assert old in text, old
            text = text.replace(old, new)
        return text

    def urls(self, who: str = "", scheme: str = "tls") -> list[str]:
        """The servers, for somebody: ``node:`` and his password stand before each address."""
        known = f"{who}:{PASSWORDS[f'NATS_{who.upper()}_PASSWORD']}@" if who else ""
        return [f"{scheme}://{known}127.0.0.1:{port}" for port in self.ports]

    def stop(self) -> None:
        """End them."""
        for process in self._processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def running(folder: Path) -> Iterator[ShippedCluster]:
    """The servers, as long as the block lasts."""
    cluster = ShippedCluster(folder)
    try:
        yield cluster
    finally:
        cluster.stop()
