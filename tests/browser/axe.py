"""Accessibility by axe-core, which knows the rules of WCAG."""

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Page

RUN = """([within, rules]) =>
    axe.run(within ?? document, {resultTypes: ["violations"], runOnly: rules}).then(found =>
        found.violations.map(each => [each.id, each.impact, each.help,
            each.nodes.map(node => [node.target.join(" "), node.failureSummary])]))"""
COLOURS = {"type": "rule", "values": ["color-contrast"]}
"""What another theme changes of a page that has been looked at."""
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SHOWN = 5
"""How many elements of one violation a message lists."""


async def check(page: Page, within: str | None = None, *, rules: object = RULES) -> None:
    """Fail with a list of what is wrong on the page or in one part of it, if anything is."""
    if not await page.evaluate("() => 'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    lines = []
    for rule, impact, text, nodes in await page.evaluate(RUN, [within, rules]):
        lines.append(f"{rule} ({impact}): {text}; {len(nodes)} elements")
        for target, why in nodes[:SHOWN]:
            lines.append(f"    {target}: " + " ".join(why.split()))
    assert not lines, f"axe finds fault with {page.url}:\n" + "\n".join(lines)
