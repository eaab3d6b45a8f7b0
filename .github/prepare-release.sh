#!/usr/bin/env bash
# Gives the repository a version: prepare-release.sh 1.2.3. Run it by `make release`, commit what it changes as a
# commit of its own, and tag that v1.2.3. Once more for the same version, it brings what differs up to date.
set -eu
version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-rc\.[0-9]+)?$ ]] || { echo "error: name the version: make release VERSION=1.2.3" >&2; exit 1; }
cd "$(dirname "$0")/.."

rewrite() { # file awk-program
  awk -v version="$version" -v today="$(date -u +%F)" "$2" "$1" >"$1.new" && mv "$1.new" "$1"
}
# A version has what its candidates had.
grep -qF "## [$version]" CHANGELOG.md || rewrite CHANGELOG.md 'index($0, "## [" version "-rc.") == 1 { next } { print } /^## \[Unreleased\]$/ { printf "\n## [%s] - %s\n", version, today }'
.github/release-notes.sh "$version" >/dev/null
rewrite helm/fledge/Chart.yaml '/^version: / { $0 = "version: " version } /^appVersion: / { $0 = "appVersion: \"" version "\"" } { print }'
# What this version expects of its databases, for the next one to go on giving it.
go test -count=1 -run 'TestThePreviousVersionGoesOn' ./services/*/internal/store -release "$version"
