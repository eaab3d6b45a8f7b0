// Package rulestest tests the alert and recording rules of helm/fledge/files/rules with
// Prometheus' own parser and engine.
//
// The test files are in promtool's format, of which this supports input_series and
// promql_expr_test; alerts are checked through the series ALERTS. promtool itself is not
// built here, because it includes every cloud's service discovery, which takes ten minutes
// on two cores; the one that Debian packages is years behind the engine. It would not find
// alerts without a test either. Prometheus' own store for tests would save database.go, but
// brings its whole database and dozens of modules.
package rulestest
