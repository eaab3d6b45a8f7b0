// Package rulestest tests the alert and recording rules of helm/fledge/files/rules with
// Prometheus' own parser and engine.
//
// The test files are in the format of promtool, of which this understands
// input_series and promql_expr_test; an alert is looked at through the series
// ALERTS. promtool itself is not built here: it brings every cloud's service
// discovery along, which takes many minutes.
package rulestest
