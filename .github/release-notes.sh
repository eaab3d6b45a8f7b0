#!/usr/bin/env bash
# Prints a version's section of CHANGELOG.md: release-notes.sh 1.2.3. Fails if there is none.
set -eu
version=$1
notes=$(awk -v heading="## [$version]" '
  /^## / || /^\[[^]]+\]: / { inside = index($0, heading) == 1; next }
  inside { print }
' "$(dirname "$0")/../CHANGELOG.md")
if [[ $notes != *[![:space:]]* ]]; then
  echo "CHANGELOG.md has no section for $version" >&2
  exit 1
fi
printf '%s\n' "$notes"
