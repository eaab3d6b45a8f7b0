// Package billingbench measures billing behind the gateway, as processes.
package billingbench
