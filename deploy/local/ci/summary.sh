#!/usr/bin/env bash
# Runs the given make targets one after the other, all of them even when one
# fails, and ends with a table. Exits with 0 only when all passed.
set -u
passed=0 failed=0 rows=()
for target in "$@"; do
  printf '\n── %s ──\n' "$target"
  start=$SECONDS
  if make "$target"; then
    passed=$((passed + 1)) state=passed
  else
    failed=$((failed + 1)) state=FAILED
  fi
  rows+=("$(printf '%-10s %-7s %4d s' "$target" "$state" $((SECONDS - start)))")
done
printf '\n── summary ──\n'
printf '%s\n' "${rows[@]}"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
