#!/usr/bin/env bash
# Runs the tests of the given Go packages, with -short in front of them only the faster ones; in the
# environment of `local testdb`. With RACE=-race=false it looks for no data races.
#
# Tests run on shared machines here and in CI, where a process sometimes gets no CPU
# for seconds. That must not fail a correct change, so a few failed tests are retried:
# Go's here, the browser's in playwright.config.ts. A test that needed a
# retry has a defect and is named in the summary at the end: fix it. Data races, panics
# and failed builds are not retried, nor are more than five failures, which are no
# coincidence.
set -u
short=()
if [ "${1:-}" = -short ]; then short=(-short) && shift; fi
log=$PWD/.local/log
mkdir -p "$log" && rm -f "$log/retried-go" # written only when there is something to say
# Packages spend more than half of their time waiting, so PER_PROCESSOR of them, by default two, run at once
# for each processor.
packages=$((${PER_PROCESSOR:-2} * $(getconf _NPROCESSORS_ONLN)))
# Vet is a part of `make lint`. Nobody debugs these programs: without DWARF each is linked in four fifths of the time.
gotestsum --format pkgname --format-hide-empty-pkg --format-icons text --jsonfile "$log/test-go.json" \
  --rerun-fails=2 --rerun-fails-max-failures=5 --rerun-fails-abort-on-data-race --rerun-fails-run-root-test \
  --rerun-fails-report "$log/retried-go" --packages "$*" -- "${RACE:--race}" -vet=off -ldflags=-w "${short[@]}" -p "$packages" -timeout 30m
status=$?
# A package can fail though none of its tests did, by its TestMain. The second run, of no test then, would
# hide that.
for package in $(sed -n 's/.*"Action":"fail","Package":"\([^"]*\)","Elapsed".*/\1/p' "$log/test-go.json" | sort -u); do
  if ! grep -q "\"Action\":\"fail\",\"Package\":\"$package\",\"Test\"" "$log/test-go.json"; then
    echo "FAIL: $package, outside of its tests" && status=1
  fi
done
[ "$status" -ne 0 ] || [ -z "${FLEDGE_RETRIED:-}" ] || [ ! -f "$log/retried-go" ] || sed '/^$/d; s/^/go  /' "$log/retried-go" >>"$FLEDGE_RETRIED"
exit "$status"
