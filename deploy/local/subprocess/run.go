package subprocess

import (
	"os/exec"
	"runtime"
	"syscall"
)

// Run runs a command to its end. Like a child of Start it leads a process group
// and, on Linux, ends with the runner; when the command's context ends, the
// whole group is asked to.
func Run(cmd *exec.Cmd) error {
	cmd.SysProcAttr = attributes(Spec{StopSignal: syscall.SIGTERM})
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
		cmd.WaitDelay = defaultStopTimeout
	}
	outcome := make(chan error)
	go func() {
		// See Process.run.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		outcome <- cmd.Run()
	}()
	return <-outcome
}
