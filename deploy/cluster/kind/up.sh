#!/usr/bin/env bash
# The product on a kind cluster of its own (`make cluster`): http://localhost:8080. It says at once what is missing.
# Once more, it brings a cluster that is there up to date. ARGS=--print only prints the commands.
set -euo pipefail
cd "$(dirname "$0")/../../.."
kind=deploy/cluster/kind print=
[ "${1:-}" != --print ] || print=1

missing=()
need() { # program how
  command -v "$1" >/dev/null || missing+=("$1: $2")
}
need go "Go 1.26 or newer, https://go.dev/dl"
need kind "GOWORK=off go install sigs.k8s.io/kind@v0.33.0"
need helm "GOWORK=off go install helm.sh/helm/v3/cmd/helm@v3.22.0"
need kubectl "https://kubernetes.io/docs/tasks/tools"
# kind runs its nodes with Docker or podman; podman shares its images with buildah, which builds them.
if docker info >/dev/null 2>&1; then engine=docker
elif command -v podman >/dev/null && command -v buildah >/dev/null; then engine=buildah && export KIND_EXPERIMENTAL_PROVIDER=podman
else
  engine=docker
  if command -v docker >/dev/null; then missing+=("docker: it is here, but its daemon does not answer: start it, or join its group")
  else missing+=("docker: https://docs.docker.com/engine/install, or podman with buildah"); fi
fi
if [ "${#missing[@]}" -gt 0 ]; then
  printf 'missing for a local cluster:\n' >&2
  printf '  %s\n' "${missing[@]}" >&2
  [ -n "$print" ] || exit 1
fi

run() { # command…
  echo "+ $*"
  [ -n "$print" ] || "$@"
}
apply() { # command… that prints objects
  echo "+ $* | kubectl apply -f -"
  [ -n "$print" ] || "$@" | kubectl --context kind-fledge apply -f -
}
load() { # image
  case $engine in
    docker) run kind load docker-image "$1" --name fledge ;;
    buildah)
      run mkdir -p .local
      run rm -f .local/image.tar
      run podman save --quiet --output .local/image.tar "$1"
      run kind load image-archive .local/image.tar --name fledge
      run rm -f .local/image.tar
      ;;
  esac
}

if [ -z "$print" ] && kind get clusters 2>/dev/null | grep -qx fledge; then fresh=
else
  fresh=1
  run kind create cluster --config $kind/cluster.yaml --wait 3m
fi
run kubectl --context kind-fledge apply -f $kind/traefik.yaml
run env -u PUSH -u PLATFORMS -u SBOM REGISTRY=fledge.test/fledge VERSION=dev ENGINE=$engine deploy/images/build.sh
for name in $(deploy/images/build.sh --list); do load "fledge.test/fledge/$name:dev"; done
apply kubectl create namespace fledge --dry-run=client --output yaml
# Not twice: NATS and PostgreSQL would keep the old ones.
if [ -n "$print" ] || ! kubectl --context kind-fledge --namespace fledge get secret fledge-gateway-tls >/dev/null 2>&1; then
  apply go run ./deploy/cluster/cmd/clustercerts
fi
run helm upgrade --install fledge helm/fledge --kube-context kind-fledge --namespace fledge \
  --values helm/fledge/values-local.yaml --values $kind/values-ci.yaml --wait --timeout 15m
# The images have the same names as before.
[ -n "$fresh" ] || run kubectl --context kind-fledge --namespace fledge rollout restart deployment
run kubectl --context kind-fledge --namespace fledge rollout status deployment --timeout 10m
echo "http://localhost:8080 is ready; kind delete cluster --name fledge removes it"
