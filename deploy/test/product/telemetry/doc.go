// Package telemetry checks the telemetry of the running product: one trace across all
// parts, and metrics by the names that rules and dashboards use.
package telemetry
