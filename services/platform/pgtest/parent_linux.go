package pgtest

import (
	"os/exec"
	"syscall"
)

// dieWithParent has the kernel stop the server when the test binary ends,
// however it ends: SIGINT is PostgreSQL's fast shutdown.
func dieWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGINT
}
