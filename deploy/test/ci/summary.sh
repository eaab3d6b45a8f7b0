#!/usr/bin/env bash
# Runs the given make targets one after the other, all of them even if one fails, and
# ends with a table and the tests that needed a retry. Exits with 0 only if all passed.
# Targets in one word, "test-go test-web", run at the same time: Go's tests mostly wait,
# for a deadline, a disk or a process. The first target's output appears live, the others'
# when they are done.
set -u
export FLEDGE_RETRIED=$PWD/.local/log/retried
mkdir -p "${FLEDGE_RETRIED%/*}" && : >"$FLEDGE_RETRIED"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 rows=()

run() { # target: leaves its exit code and seconds in a file
  local start=$SECONDS code=0
  printf '\n── %s ──\n' "$1"
  make "$1" || code=$?
  echo "$code $((SECONDS - start))" >"$scratch/$1"
}

for word in "$@"; do
  read -ra targets <<<"$word"
  for target in "${targets[@]:1}"; do run "$target" >"$scratch/$target.log" 2>&1 & done
  run "${targets[0]}"
  wait
  for target in "${targets[@]}"; do
    [ ! -f "$scratch/$target.log" ] || cat "$scratch/$target.log"
    read -r code seconds <"$scratch/$target"
    if [ "$code" -eq 0 ]; then
      passed=$((passed + 1)) state=passed
    else
      failed=$((failed + 1)) state=FAILED
    fi
    rows+=("$(printf '%-10s %-7s %4d s' "$target" "$state" "$seconds")")
  done
done
printf '\n── summary ──\n'
printf '%s\n' "${rows[@]}"
if [ -s "$FLEDGE_RETRIED" ]; then
  printf '%d tests passed on a second or third try only, which is a defect to fix:\n' "$(wc -l <"$FLEDGE_RETRIED")"
  cat "$FLEDGE_RETRIED"
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
