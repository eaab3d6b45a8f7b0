#!/usr/bin/env bash
# Fails when the contracts in proto/ break what was there before: on a branch
# against where it left origin/main, on main against the commit before. A clone
# without that history has nothing to compare with.
set -eu
head=$(git rev-parse HEAD)
base=$(git merge-base HEAD origin/main 2>/dev/null || true)
if [ -z "$base" ] || [ "$base" = "$head" ]; then
  base=$(git rev-parse --quiet --verify HEAD~1 || true)
fi
if [ -z "$base" ] || ! git cat-file -e "$base:proto/buf.yaml" 2>/dev/null; then
  echo "no earlier contracts to compare with"
  exit 0
fi
exec buf breaking proto --against ".git#commit=$base,subdir=proto"
