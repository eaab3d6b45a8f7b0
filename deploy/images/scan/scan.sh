#!/usr/bin/env bash
# Secrets in the tree, in every commit and in the built site; licences against
# NOTICE; SBOMs; known vulnerabilities, if VULNDB names a database (https://vuln.go.dev, or
# file:// and a copy of it). Runs all of it, and fails if anything was found.
set -u
failed=()
part() { # name command…
  printf '\n── %s ──\n' "$1"
  "${@:2}" || failed+=("$1")
}
tool() { GOWORK=off go -C deploy/images/scan build -o "$PWD/.local/scan/" "$1" && "$PWD/.local/scan/$(basename "${1%/v8}")" "${@:2}"; }
gitleaks() { tool github.com/zricethezav/gitleaks/v8 "$@" --no-banner --redact=80 --config .gitleaks.toml; }
tree() { # what is committed or about to be, and nothing that is built or installed
  local files=.local/scan/tree
  rm -rf "$files" && mkdir -p "$files"
  git ls-files -z --cached --others --exclude-standard | xargs -0 --no-run-if-empty cp --parents --no-dereference --target-directory "$files" 2>/dev/null
  gitleaks dir "$files"
}
bundle() { gitleaks dir web/out; }
licences() { go test -count=1 -run 'TestNotice' ./deploy/test/repo; }
vulnerabilities() {
  [ -n "${VULNDB:-}" ] || { echo "not looked for: say VULNDB=https://vuln.go.dev, or file:///where/a/copy/is"; return; }
  local found=0
  for module in proto services gateway deploy; do known "$module" ./... || found=1; done
  # Third-party programs, built as in deploy/local/prepare and for the images.
  GOWORK=off known deploy/caddy -tags nobadger,nomysql,nopgx . || found=1
  GOWORK=off GOFLAGS=-mod=mod known deploy/tools/kratos github.com/ory/kratos || found=1
  return "$found"
}
known() { # module words…
  echo "$1"
  tool golang.org/x/vuln/cmd/govulncheck -C "$1" -db "$VULNDB" "${@:2}"
}
mkdir -p .local/scan
part "secrets in the tree" tree
part "secrets in the commits" gitleaks git .
part "secrets in the site" bundle
part "licences" licences
part "bills of materials" make sbom
part "known vulnerabilities" vulnerabilities
printf '\n── summary ──\n'
[ ${#failed[@]} -eq 0 ] || { printf 'found something: %s\n' "${failed[@]}"; exit 1; }
echo "nothing found"
