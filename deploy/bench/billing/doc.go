// Package billing measures billing behind the gateway, as processes.
package billing
