# The site as static files, served by deploy/caddy, which fills in the installation's values as it starts.
ARG GO_IMAGE=docker.io/library/golang:1.26-bookworm
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot
# The image of the previous version: its scripts and styles stay available to pages that are open.
ARG PREVIOUS=${BASE_IMAGE}

FROM ${PREVIOUS} AS previous

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS caddy
WORKDIR /src
ARG GOPROXY=
ENV CGO_ENABLED=0 GOPROXY=${GOPROXY} GOFLAGS=-trimpath GOWORK=off
COPY deploy/caddy/go.mod deploy/caddy/go.sum deploy/caddy/main.go ./
COPY deploy/caddy/site site
COPY deploy/caddy/door door
ARG TARGETOS TARGETARCH
# The tags are those of deploy/local/prepare.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -mod=readonly -buildvcs=false -tags nobadger,nomysql,nopgx \
      -ldflags "-s -w" -o /out/caddy .

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS site
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund
COPY web ./
# The id is the checksum of the sources, so that the site of one commit is always the same.
RUN FLEDGE_BUILD_ID=$(find . -name node_modules -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-20) && \
    export FLEDGE_BUILD_ID && npm run build && mkdir -p /srv/site && mv out /srv/export
RUN --mount=type=bind,from=previous,target=/previous \
    mkdir -p /srv/previous/_next/static && if [ -d /previous/srv/export ]; then cp -r /previous/srv/export/_next/static /srv/previous/_next/; fi

FROM ${BASE_IMAGE}
ARG VERSION=dev REVISION=
LABEL org.opencontainers.image.title="fledge web" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT"
COPY --from=caddy /out/caddy /caddy
COPY deploy/caddy/Caddyfile deploy/caddy/kratos-metrics.Caddyfile /etc/caddy/
COPY deploy/images/config.json /etc/fledge/site/config.json
COPY --from=site /srv/previous /srv/previous
COPY --from=site /srv/export /srv/export
COPY --from=site --chown=65532:65532 /srv/site /srv/site
ENV FLEDGE_SITE_ADDRESS=http://:8080 FLEDGE_OPS_PORT=9090 FLEDGE_BIND= FLEDGE_CONFIG_DIR=/etc/fledge/site \
    FLEDGE_EXPORT=/srv/export FLEDGE_PREVIOUS=/srv/previous FLEDGE_WEB_ROOT=/srv/site/current \
    HOME=/tmp XDG_CONFIG_HOME=/tmp XDG_DATA_HOME=/tmp
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/caddy"]
CMD ["run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
