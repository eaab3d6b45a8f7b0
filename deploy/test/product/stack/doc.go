// Package stack starts the product in both of its forms and as `make dev` does, kills and restarts it, and looks for
// anything that was acknowledged and is not there.
package stack
