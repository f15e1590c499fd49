#!/usr/bin/env bash
# What the tests need on Debian: the virtual environment, and a browser with a font for the page.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else
        echo "Chromium is missing. Let root run: apt-get install chromium fonts-dejavu-core" >&2
        exit 1
    fi
}

if [ ! -x "${KIBITZ_CHROMIUM:-/usr/bin/chromium}" ]; then
    as_root apt-get update --quiet --quiet
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends \
        chromium fonts-dejavu-core
fi

python3 -m venv .venv
.venv/bin/pip install --quiet -e '.[test]'
