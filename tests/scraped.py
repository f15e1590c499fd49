"""What `/metrics` says, as numbers."""

from prometheus_client.parser import text_string_to_metric_families
from talk import fetch


class Scraped(dict[str, float]):
    """Every sample by its name with its labels, as Prometheus writes them: ``a{b="c"}``."""

    def __missing__(self, name: str) -> float:
        raise KeyError(f"{name} is not one of {sorted(self)}")

    def rises(self, name: str, since: "Scraped") -> float:
        """How much a counter has grown."""
        return self[name] - since.get(name, 0.0)


def parse(text: str) -> Scraped:
    """The samples of a page."""
    scraped = Scraped()
    for family in text_string_to_metric_families(text):
        for name, labels, value, *_ in family.samples:
            shown = ",".join(f'{key}="{labels[key]}"' for key in sorted(labels))
            scraped[f"{name}{{{shown}}}" if shown else name] = value
    return scraped


async def scrape(http: str) -> Scraped:
    """What the page says now."""
    status, body = await fetch(http, "/metrics")
    assert status == 200
    return parse(body.decode())
