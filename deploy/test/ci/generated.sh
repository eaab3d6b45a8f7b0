#!/usr/bin/env bash
# Fails when generating again changes anything, because the generated code is out of
# date. Uncommitted changes do not matter.
set -eu
sums() { find proto/gen services/*/internal/store/db web/src/lib/api/schema.d.ts gateway/internal/docs gateway/internal/wire helm/fledge/README.md helm/fledge/files/nats-users.conf skaffold.yaml -type f -print0 | sort -z | xargs -0 sha256sum; }
before=$(sums)
make generate
if ! difference=$(diff <(echo "$before") <(sums)); then
  printf '%s\n' "$difference" "generated code was out of date and has been regenerated: commit it"
  exit 1
fi
