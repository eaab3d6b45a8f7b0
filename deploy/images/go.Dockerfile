# One Dockerfile for all our Go programs:
#
#   docker build -f deploy/images/go.Dockerfile --build-arg SOURCE=services/billing --build-arg PACKAGE=./services/billing/cmd/billing .
#
# SOURCE is the only folder that the program needs besides proto and services/platform,
# so that a change of billing rebuilds only billing.
ARG GO_IMAGE=docker.io/library/golang:1.26-bookworm
ARG BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
WORKDIR /src
ARG GOPROXY=
ENV CGO_ENABLED=0 GOPROXY=${GOPROXY} GOFLAGS=-trimpath
COPY go.work go.work.sum ./
COPY proto/go.mod proto/go.sum proto/
COPY services/go.mod services/go.sum services/
COPY gateway/go.mod gateway/go.sum gateway/
COPY deploy/go.mod deploy/go.sum deploy/
COPY proto proto
COPY services/platform services/platform
ARG SOURCE
COPY ${SOURCE} ${SOURCE}
ARG PACKAGE VERSION=dev TARGETOS TARGETARCH
# The tags leave out gin's MessagePack codec and gRPC's trace page. Both call methods by
# name, which would keep every method of every type in the program: a third more bytes. A
# program over the limit fails the build.
ARG MAX_BYTES=40000000
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -buildvcs=false -tags nomsgpack,grpcnotrace \
      -ldflags "-s -w -X fledge.dev/services/platform/service.version=${VERSION}" -o /out/fledge ${PACKAGE} && \
    bytes=$(stat -c %s /out/fledge) && echo "${PACKAGE}: ${bytes} bytes" && \
    if [ "$bytes" -gt "${MAX_BYTES}" ]; then echo "error: more than ${MAX_BYTES}"; exit 1; fi

FROM ${BASE_IMAGE}
ARG SOURCE VERSION=dev REVISION=
LABEL org.opencontainers.image.title="fledge ${SOURCE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /out/fledge /fledge
USER 65532:65532
ENTRYPOINT ["/fledge"]
