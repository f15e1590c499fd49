#!/usr/bin/env bash
# What the tests need on Debian: the virtual environment, a browser with a font for the page, and the programs
# that read the files of deploy/ (nginx, Caddy, promtool, systemd-analyze, shellcheck; others come with pip).
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
[ -x "${KIBITZ_CHROMIUM:-/usr/bin/chromium-headless-shell}" ] || packages+=(chromium-headless-shell fonts-dejavu-core)
PATH=$PATH:/usr/sbin
command -v nginx >/dev/null || packages+=(nginx)
command -v caddy >/dev/null || packages+=(caddy)
command -v promtool >/dev/null || packages+=(prometheus)
command -v systemd-analyze >/dev/null || packages+=(systemd)
command -v shellcheck >/dev/null || packages+=(shellcheck)

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else
        echo "Something is missing. Let root run: apt-get install ${packages[*]}" >&2
        exit 1
    fi
}

if [ "${#packages[@]}" -gt 0 ]; then
    as_root apt-get update --quiet --quiet
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then # the tests need the programs, nobody needs them as services
        printf '#!/bin/sh\nexit 101\n' | as_root install -m 0755 /dev/stdin "$policy"
        trap 'as_root rm -f "$policy"' EXIT
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends \
        "${packages[@]}"
fi

python3 -m venv .venv
.venv/bin/pip install --quiet -e '.[test]'
