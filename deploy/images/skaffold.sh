#!/usr/bin/env bash
# Prints skaffold.yaml (`make generate`), which cannot loop over the images.
set -eu
cd "$(dirname "$0")"

artifacts() {
  for name in $(./build.sh --list); do
    echo "    - image: fledge.test/fledge/$name"
    echo "      docker:"
    case $name in
      web | kratos) echo "        dockerfile: deploy/images/$name.Dockerfile"; continue ;;
      gateway) source=gateway ;;
      standins) source=deploy/standins ;;
      *) source=services/$name ;;
    esac
    echo "        dockerfile: deploy/images/go.Dockerfile"
    echo "        buildArgs:"
    echo "          SOURCE: $source"
    echo "          PACKAGE: ./$source/cmd/$name"
  done
}

values() {
  for name in $(./build.sh --list); do
    path=services.$name
    [ "$name" != standins ] || path=local.standins
    echo "          $path.image.repository: \"{{.IMAGE_REPO_fledge_test_fledge_$name}}\""
    echo "          $path.image.tag: \"{{.IMAGE_TAG_fledge_test_fledge_$name}}\""
  done
}

cat <<END
# Made by deploy/images/skaffold.sh: change that, and run \`make generate\`.
#
# \`skaffold dev\` on the cluster of deploy/cluster/kind: everything, including stand-ins, on
# http://localhost:8080. It watches what a Dockerfile copies, so an edit of
# services/billing rebuilds only billing, in seconds: modules and compiled packages stay
# in the builder's cache. An edit of proto or services/platform rebuilds all Go programs.
#
#   skaffold dev          watch, build, install, show the logs; PostgreSQL, NATS and the
#                         gateway's metrics on local ports
#   skaffold run -p ci    once, and wait until all is healthy, as CI does; the namespace and the
#                         certificates of the workloads must be there (deploy/cluster/kind/cluster.yaml)
#   skaffold delete       remove it
apiVersion: skaffold/v4beta13
kind: Config
metadata:
  name: fledge
build:
  # By content: the same sources give the same tag, wherever they are built.
  tagPolicy:
    inputDigest: {}
  local:
    push: false
    useBuildkit: true
    concurrency: 2
  artifacts:
$(artifacts)
deploy:
  kubeContext: kind-fledge
  statusCheckDeadlineSeconds: 300
  helm:
    releases:
      - name: fledge
        chartPath: helm/fledge
        namespace: fledge
        createNamespace: true
        valuesFiles:
          - helm/fledge/values-local.yaml
        setValueTemplates:
$(values)
profiles:
  - name: dev
    activation:
      - command: dev
    portForward:
      - resourceType: service
        resourceName: fledge-postgres
        namespace: fledge
        port: 5432
        localPort: 15432
      - resourceType: service
        resourceName: fledge-nats
        namespace: fledge
        port: 4222
        localPort: 14222
      # The gateway's /metrics.
      - resourceType: deployment
        resourceName: fledge-gateway
        namespace: fledge
        port: 9090
        localPort: 19090
  - name: ci
    patches:
      # An empty machine pulls PostgreSQL and NATS first.
      - op: replace
        path: /deploy/statusCheckDeadlineSeconds
        value: 900
      - op: add
        path: /deploy/helm/releases/0/valuesFiles/1
        value: deploy/cluster/kind/values-ci.yaml
END
