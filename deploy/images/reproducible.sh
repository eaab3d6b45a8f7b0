#!/usr/bin/env bash
# Builds images twice and fails where the two differ by a bit (`make images-twice`): reproducible.sh [name…], without a name all.
# An image's id is the checksum of its configuration, which has the checksum of each layer. The settings are build.sh's.
set -euo pipefail
cd "$(dirname "$0")"

# Docker keeps the times of files in what it loads.
export ENGINE=buildah
command -v buildah >/dev/null || { echo "error: two builds are compared with buildah, which is not here" >&2; exit 1; }

# A commit that is made meanwhile must not count.
export REVISION SOURCE_DATE_EPOCH
REVISION=$(git rev-parse HEAD) SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)

id() { buildah inspect --type image --format '{{.FromImageID}}' "$1"; }

differ=0
for name in ${*:-$(./build.sh --list)}; do
  REGISTRY=twice.test/first ./build.sh "$name"
  REGISTRY=twice.test/second BUILD_FLAGS="${BUILD_FLAGS:-} --no-cache" ./build.sh "$name"
  first=$(id "twice.test/first/$name:${VERSION:-dev}") second=$(id "twice.test/second/$name:${VERSION:-dev}")
  if [ "$first" = "$second" ]; then echo "equal: $name $first"
  else echo "differs: $name $first $second" && differ=1; fi
done
exit "$differ"
