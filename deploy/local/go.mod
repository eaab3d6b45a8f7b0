module fledge.dev/deploy/local

go 1.26.0

require (
	fledge.dev/gateway v0.0.0
	fledge.dev/proto v0.0.0
	fledge.dev/services v0.0.0
)

replace (
	fledge.dev/gateway => ../../gateway
	fledge.dev/proto => ../../proto
	fledge.dev/services => ../../services
)
