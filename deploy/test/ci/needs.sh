#!/usr/bin/env bash
# Says what `make test`, and with the argument `browser` what `make test-product` needs and this machine lacks, before
# anything is built. What deploy/local/prepare installs itself, on Debian as root, is not missing.
set -u
missing=()
have() { # program… of which one will do
  local name
  for name in "$@"; do [ -z "$name" ] || ! command -v "$name" >/dev/null || return 0; done
  return 1
}
system() { # what package
  have apt-get && [ "$(id -u)" = 0 ] || missing+=("$1 (Debian: apt-get install $2)")
}

have git || missing+=("git (https://git-scm.com)")
version=$(node --version 2>/dev/null) && [[ $version =~ ^v([0-9]+)\.([0-9]+) ]] &&
  ((BASH_REMATCH[1] > 20 || BASH_REMATCH[1] == 20 && BASH_REMATCH[2] >= 19)) && have npm ||
  missing+=("Node.js 20.19 or newer with npm (https://nodejs.org)${version:+: here is $version}")
have "${CC:-}" gcc clang || system "a C compiler, for Go's race detector" "gcc libc6-dev"
if [ "${1:-}" != browser ]; then :
elif [ -n "${CHROMIUM:-}" ]; then have "$CHROMIUM" || missing+=("$CHROMIUM, which CHROMIUM names")
else
  # Where a Mac keeps its programs, which no PATH names.
  applications=${APPLICATIONS-/Applications}
  have chromium chromium-browser google-chrome google-chrome-stable \
    "$applications/Google Chrome.app/Contents/MacOS/Google Chrome" "$applications/Chromium.app/Contents/MacOS/Chromium" ||
    system "Chromium, or CHROMIUM with the program's path" chromium
fi

[ "${#missing[@]}" -gt 0 ] || exit 0
printf 'missing for the tests:\n' >&2
printf '  %s\n' "${missing[@]}" >&2
exit 1
