module fledge.dev/deploy/local

go 1.26.0

require (
	fledge.dev/gateway v0.0.0
	fledge.dev/proto v0.0.0
	fledge.dev/services v0.0.0
)

require (
	github.com/emersion/go-message v0.18.2 // indirect
	github.com/emersion/go-sasl v0.0.0-20241020182733-b788ff22d5a6 // indirect
	github.com/emersion/go-smtp v0.25.1 // indirect
	github.com/google/go-github/v84 v84.0.0 // indirect
	github.com/zitadel/oidc/v3 v3.45.0 // indirect
)

replace (
	fledge.dev/gateway => ../../gateway
	fledge.dev/proto => ../../proto
	fledge.dev/services => ../../services
)
