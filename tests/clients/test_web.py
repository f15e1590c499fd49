"""The page's own layers: which folder may import which."""

import re
from pathlib import Path
from posixpath import normpath

import kibitz.clients

WEB = Path(kibitz.clients.__file__).parent / "web"
ABOVE = {
    "protocol": set(),
    "shell": set(),
    "cards": set(),
    "client": {"protocol"},
    "proof": {"protocol"},
    "table": {"cards", "shell"},
    "room": {"client", "cards", "proof", "shell", "table"},
    "lobby": {"shell", "table"},
    "tv": {"shell"},
}
"""For each folder those it may import besides itself; ``main.js`` may import all of them."""
IMPORT = re.compile(r'^(?:import|export)\b[^"]*"(\.[^"]+)";', re.MULTILINE)


def test_imports_point_one_way() -> None:
    for path in WEB.glob("*/**/*.js"):
        folder = path.relative_to(WEB).parts[0]
        for spec in IMPORT.findall(path.read_text()):
            target = normpath(path.parent.relative_to(WEB) / spec).split("/")[0]
            assert target in {folder, *ABOVE[folder]}, f"{folder}/{path.name} imports {spec}"


def test_every_folder_has_its_place() -> None:
    assert {path.relative_to(WEB).parts[0] for path in WEB.glob("*/**/*.js")} == ABOVE.keys()
