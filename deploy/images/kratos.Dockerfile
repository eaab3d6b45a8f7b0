# Ory Kratos as pinned in deploy/tools/kratos. `identity kratos-config` writes its configuration,
# see deploy/tools/kratos/README.md.
ARG GO_IMAGE=docker.io/library/golang:1.26-bookworm
ARG BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
WORKDIR /src
ARG GOPROXY=
ENV CGO_ENABLED=0 GOPROXY=${GOPROXY} GOFLAGS=-trimpath GOWORK=off
COPY deploy/tools/kratos/go.mod deploy/tools/kratos/go.sum ./
ARG TARGETOS TARGETARCH
# Why -mod=mod: see Kratos in deploy/local/prepare.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    version=$(go list -mod=mod -m -f '{{.Version}}' github.com/ory/kratos) && \
    GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -mod=mod -buildvcs=false \
      -ldflags "-s -w -X github.com/ory/kratos/driver/config.Version=${version}" -o /out/kratos github.com/ory/kratos

FROM ${BASE_IMAGE}
ARG VERSION=dev REVISION=
LABEL org.opencontainers.image.title="fledge kratos" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/kratos /kratos
ENV HOME=/tmp
USER 65532:65532
ENTRYPOINT ["/kratos"]
CMD ["serve", "-c", "/config/kratos.yml"]
