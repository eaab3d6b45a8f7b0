//go:build !linux

package pgtest

import "os/exec"

// dieWithParent has no kernel support here; `make test-go` brings its own server
// and stops it.
func dieWithParent(*exec.Cmd) {}
