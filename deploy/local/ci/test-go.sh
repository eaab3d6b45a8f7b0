#!/usr/bin/env bash
# Runs the tests of the given Go packages; in the environment of `local testdb`.
#
# Tests run on shared machines here and in CI, where now and then a process gets
# no turn for seconds. One such second in 3,000 tests must not hide whether the
# change is right, so a few failed tests get another try: Go's here, the web's in
# vitest.config.ts and playwright.config.ts. A second try is a defect of the test
# and is named at the end of `make test`: fix it. Data races, panics and builds
# that fail get none, nor do more than five failures, which are no accident.
set -u
log=$PWD/.local/log
mkdir -p "$log"
# Of the packages' time more than half is spent waiting, so there may be twice as
# many at once as there are processors.
packages=$((2 * $(getconf _NPROCESSORS_ONLN)))
gotestsum --format pkgname --format-hide-empty-pkg --format-icons text --jsonfile "$log/test-go.json" \
  --rerun-fails=2 --rerun-fails-max-failures=5 --rerun-fails-abort-on-data-race --rerun-fails-run-root-test \
  --rerun-fails-report "$log/retried-go" --packages "$*" -- -race -p "$packages" -timeout 20m
status=$?
[ "$status" -ne 0 ] || [ -z "${FLEDGE_RETRIED:-}" ] || [ ! -f "$log/retried-go" ] || sed '/^$/d; s/^/go  /' "$log/retried-go" >>"$FLEDGE_RETRIED"
exit "$status"
