#!/bin/bash
# Builds images: deploy/images/build.sh [name…]; without a name all of them. --list prints their names.
#
#   REGISTRY=ghcr.io/fledge/fledge VERSION=1.2.0   registry and tag
#   PLATFORMS=linux/amd64,linux/arm64 PUSH=1       for several architectures, pushed to the registry (docker buildx)
#   SBOM=1                                         with an SBOM: in the image (docker buildx) or, for
#                                                  the programs in it, beside it in $SBOM_DIR (buildah as root)
#   BUILD_FLAGS=--no-cache                         of docker buildx build or buildah build
#   GO_IMAGE= NODE_IMAGE= BASE_IMAGE= GOPROXY=     other build and base images, another module proxy
#   PREVIOUS=ghcr.io/fledge/fledge/web:1.2.2       of web: the version whose open pages must go on working
set -euo pipefail
cd "$(dirname "$0")/../.."

registry=${REGISTRY:-fledge.test/fledge} version=${VERSION:-dev}
revision=${REVISION:-$(git rev-parse HEAD 2>/dev/null || true)}
# The time in the image and of its files is the commit's, so that two builds of one commit are equal.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
all=$(echo gateway $(basename -a services/*/cmd/*) web kratos standins)
if [ "${1:-}" = --list ]; then echo "$all"; exit; fi

engine=${ENGINE:-}
if [ -z "$engine" ]; then
  if docker info >/dev/null 2>&1; then engine=docker
  elif command -v buildah >/dev/null; then engine=buildah
  else echo "error: images need Docker (https://docs.docker.com/engine/install) or buildah: neither is here" >&2; exit 1
  fi
fi

build() { # name dockerfile [build-arg…]
  local name=$1 file=deploy/images/$2.Dockerfile arguments=() argument
  shift 2
  for argument in "$@" "VERSION=$version" "REVISION=$revision"; do arguments+=(--build-arg "$argument"); done
  for argument in GO_IMAGE NODE_IMAGE BASE_IMAGE GOPROXY; do
    [ -z "${!argument:-}" ] || arguments+=(--build-arg "$argument=${!argument}")
  done
  echo "image $registry/$name:$version"
  if [ "$engine" = buildah ]; then
    buildah build ${BUILD_FLAGS:-} --timestamp "$SOURCE_DATE_EPOCH" ${PLATFORMS:+--platform "$PLATFORMS"} "${arguments[@]}" -f "$file" -t "$registry/$name:$version" .
    [ -z "${PUSH:-}" ] || buildah push "$registry/$name:$version"
  else
    # An engine that unpacks what it loads cannot rewrite the times of files.
    local result=--load attest=--provenance=false
    [ -z "${PUSH:-}" ] || result=--output=type=registry,rewrite-timestamp=true
    [ -z "${SBOM:-}" ] || attest="--sbom=true --provenance=true"
    docker buildx build ${BUILD_FLAGS:-} $result $attest ${PLATFORMS:+--platform "$PLATFORMS"} "${arguments[@]}" -f "$file" -t "$registry/$name:$version" .
  fi
  [ -z "${SBOM:-}" ] || [ "$engine" != buildah ] || bill "$name"
}

bill() { # name
  local name=$1 container root program programs
  programs=$(mktemp -d)
  container=$(buildah from --pull-never "$registry/$name:$version")
  root=$(buildah mount "$container")
  case $name in
    web) program=caddy ;;
    kratos) program=kratos ;;
    *) program=fledge ;;
  esac
  # SBOMs are named after their programs.
  cp "$root/$program" "$programs/${program/fledge/$name}"
  buildah rm "$container" >/dev/null
  go run ./deploy/images/sbom "${SBOM_DIR:-.local/sbom}" "$programs"/*
  [ "$name" != web ] || npm --prefix web sbom --package-lock-only --omit dev --sbom-format spdx >"${SBOM_DIR:-.local/sbom}/web.spdx.json"
  rm -r "$programs"
}

for name in ${*:-$all}; do
  case $name in
    web) build web web ${PREVIOUS:+"PREVIOUS=$PREVIOUS"} ;;
    kratos) build kratos kratos ;;
    gateway) build gateway go SOURCE=gateway PACKAGE=./gateway/cmd/gateway ;;
    standins) build standins go SOURCE=deploy/standins PACKAGE=./deploy/standins/cmd/standins ;;
    traffic) build traffic go SOURCE=deploy PACKAGE=./deploy/test/harness/cmd/traffic ;;
    probe) build probe go SOURCE=deploy/cluster/cmd/probe PACKAGE=./deploy/cluster/cmd/probe ;;
    *) # a service
      [ -d "services/$name" ] || { echo "error: no image $name: there are $all, traffic and probe" >&2; exit 1; }
      build "$name" go "SOURCE=services/$name" "PACKAGE=./services/$name/cmd/$name" ;;
  esac
done
