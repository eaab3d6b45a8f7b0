#!/usr/bin/env bash
# Runs each of Go's fuzz targets for FUZZTIME (default 60s), one after the other and
# with low priority. With arguments, only those whose name contains one of them. Go
# writes an input that fails to the package's testdata/fuzz: commit it with the fix.
set -u
status=0
while IFS=: read -r file target; do
  if [ $# -gt 0 ]; then
    chosen=0
    for word in "$@"; do [[ $target == *"$word"* ]] && chosen=1; done
    [ $chosen = 1 ] || continue
  fi
  echo "$target in ${file%/*}"
  nice -n 10 go test "./${file%/*}" -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-60s}" -parallel "${PARALLEL:-2}" || status=1
done < <(git grep -oE 'func Fuzz[A-Za-z]+' -- '*_test.go' | sed 's/func //')
exit $status
