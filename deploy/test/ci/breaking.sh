#!/usr/bin/env bash
# Fails when the contracts in proto/ break earlier ones: on a branch compared with the
# point where it left origin/main, on main with the previous commit. A clone without that
# history has nothing to compare with.
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
