// Package telemetrytest holds the running product against what is said about it:
// one trace over all parts, and metrics by the names that rules and dashboards use.
package telemetrytest
