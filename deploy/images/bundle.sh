#!/usr/bin/env bash
# Everything for a cluster without the internet in one file, fledge-<version>.tar in .local/bundle or BUNDLE_DIR
# (`make bundle`):
#
#   fledge-1.2.3.tgz    the chart
#   images/*.tar        an OCI archive of each image, for skopeo and ctr
#   images.txt          its name and digest; the images of others as they are in their registries
#   SHA256SUMS          of all of these
#
# The version is the chart's; the settings are those of build.sh. OURS=1 leaves out PostgreSQL and NATS, which only
# `local.postgres` and `local.nats` of the chart start. deploy/docs/other-clusters.md says how to install it.
set -euo pipefail
cd "$(dirname "$0")/../.."

export VERSION REGISTRY=${REGISTRY:-fledge.test/fledge}
VERSION=$(sed -n 's/^version: //p' helm/fledge/Chart.yaml)
export ENGINE=buildah # docker writes no OCI archive everywhere
command -v buildah >/dev/null || { echo "error: a bundle needs buildah, which is not here" >&2; exit 1; }
tar --version | grep -q GNU || { echo "error: a bundle needs GNU tar" >&2; exit 1; }
others=$(sed -n 's/^    image: \(.*:.*\)$/\1/p' helm/fledge/values.yaml)
[ -z "${OURS:-}" ] || others=

dir=${BUNDLE_DIR:-.local/bundle} out=${BUNDLE_DIR:-.local/bundle}/fledge-$VERSION
rm -rf "$out" && mkdir -p "$out/images"

archive() { # image
  local file digest
  file=${1##*/}
  file=images/${file%%:*}.tar
  buildah push --quiet "$1" "oci-archive:$out/$file:$1"
  digest=$(buildah inspect --type image --format '{{.FromImageDigest}}' "$1")
  echo "$1@$digest $file" >>"$out/images.txt"
}

for name in ${*:-$(deploy/images/build.sh --list)}; do
  deploy/images/build.sh "$name"
  archive "$REGISTRY/$name:$VERSION"
done
for image in $others; do
  buildah pull --quiet --policy missing ${PLATFORMS:+--platform "$PLATFORMS"} "$image"
  archive "$image"
done

# As `helm package`, but two bundles of a commit have the same.
tar --create --sort=name --mode=u=rwX,go=rX --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" -C helm fledge | gzip --no-name >"$out/fledge-$VERSION.tgz"
(cd "$out" && sha256sum fledge-*.tgz images.txt images/*.tar >SHA256SUMS)
tar --create --file "$out.tar" -C "$dir" "fledge-$VERSION"
rm -r "$out"
du -h "$out.tar"
