#!/usr/bin/env bash
# Runs the given make targets one after the other, all of them even if one fails, and
# ends with a table and the tests that needed a retry. Exits with 0 only if all passed.
set -u
export FLEDGE_RETRIED=$PWD/.local/log/retried
mkdir -p "${FLEDGE_RETRIED%/*}" && : >"$FLEDGE_RETRIED"
passed=0 failed=0 rows=()

for target in "$@"; do
  printf '\n── %s ──\n' "$target"
  start=$SECONDS
  if make "$target"; then
    passed=$((passed + 1)) state=passed
  else
    failed=$((failed + 1)) state=FAILED
  fi
  rows+=("$(printf '%-10s %-7s %4d s' "$target" "$state" "$((SECONDS - start))")")
done
printf '\n── summary ──\n'
printf '%s\n' "${rows[@]}"
if [ -s "$FLEDGE_RETRIED" ]; then
  printf '%d tests passed on a second or third try only, which is a defect to fix:\n' "$(wc -l <"$FLEDGE_RETRIED")"
  cat "$FLEDGE_RETRIED"
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
