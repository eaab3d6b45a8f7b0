// Package subprocess runs programs that must not outlive the program that started
// them.
//
// Each child leads a process group of its own, so that Ctrl-C in a terminal
// reaches the runner alone and parts stop in the runner's order. When the runner
// dies without stopping them (kill -9), Linux signals the child by its
// parent-death signal; everywhere, a PID file lets the next run find and end
// what was left (see EndOrphan).
package subprocess

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// defaultStopTimeout is how long a child may take to end by itself.
const defaultStopTimeout = 10 * time.Second

// Spec describes a program to run.
type Spec struct {
	// Name is used in errors.
	Name string
	// Path is the program; Args come after it.
	Path string
	Args []string
	// Dir is the working directory; "" is the runner's.
	Dir string
	// Env is the whole environment: nothing is inherited.
	Env []string
	// LogFile takes standard output and error, appended; "" discards both.
	LogFile string
	// PIDFile records the running child for EndOrphan; "" records nothing.
	PIDFile string
	// StopSignal asks the child to end. Defaults to SIGTERM. It is also sent
	// when the runner dies.
	StopSignal syscall.Signal
	// StopTimeout is how long Stop waits before it kills. Defaults to 10 s.
	StopTimeout time.Duration
	// Identity is the user that the child runs as; nil is the runner's.
	Identity *Identity
}

// Process is a running child. Its methods may be called at the same time.
type Process struct {
	spec Spec
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start runs the program. It returns when the program has been executed, which
// does not mean that it is ready for anything.
func Start(spec Spec) (*Process, error) {
	if spec.StopSignal == 0 {
		spec.StopSignal = syscall.SIGTERM
	}
	if spec.StopTimeout == 0 {
		spec.StopTimeout = defaultStopTimeout
	}
	log, err := openLog(spec.LogFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Name, err)
	}
	p := &Process{spec: spec, done: make(chan struct{})}
	p.cmd = exec.Command(spec.Path, spec.Args...)
	p.cmd.Dir, p.cmd.Env = spec.Dir, spec.Env
	if p.cmd.Env == nil {
		p.cmd.Env = []string{}
	}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = attributes(spec)

	started := make(chan error)
	go p.run(started)
	err = <-started
	if closeErr := log.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec.Name, err)
	}
	if err := writePIDFile(spec.PIDFile, p.PID()); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", spec.Name, err), p.Stop(context.Background()))
	}
	return p, nil
}

// run keeps its thread for the child's lifetime: Linux sends the parent-death
// signal when the thread that started the child ends, not the process.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.err = p.cmd.Wait()
	close(p.done)
}

// PID is the child's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended and was collected.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err tells how the child ended: nil for exit code 0. Only valid after Done.
func (p *Process) Err() error { return p.err }

// Signal sends a signal to the child alone; nil when it has ended already.
func (p *Process) Signal(sig syscall.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("%s: signal %v: %w", p.spec.Name, sig, err)
	}
	return nil
}

// Kill ends the child, its group and all that descends from it at once, as a crash
// would, and waits until they are gone.
func (p *Process) Kill() error {
	family := descendants(p.PID())
	err := killGroup(p.PID())
	for _, pid := range family {
		// PostgreSQL's backends lead groups of their own.
		err = errors.Join(err, End(pid, syscall.SIGKILL, defaultStopTimeout))
	}
	<-p.done
	return errors.Join(err, removePIDFile(p.spec.PIDFile))
}

// Freeze stops the child and all that descends from it (SIGSTOP): connections stay,
// nothing answers.
func (p *Process) Freeze() error {
	// The child first: what does not run has no more children.
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return p.signalFamily(syscall.SIGSTOP)
}

// Thaw lets what Freeze stopped go on (SIGCONT).
func (p *Process) Thaw() error {
	return errors.Join(p.signalFamily(syscall.SIGCONT), p.Signal(syscall.SIGCONT))
}

func (p *Process) signalFamily(sig syscall.Signal) error {
	for _, pid := range descendants(p.PID()) {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("%s: signal %v to process %d: %w", p.spec.Name, sig, pid, err)
		}
	}
	return nil
}

// Stop asks the child to end, waits for the stop timeout or ctx, whichever is
// first, and then kills its group. It returns when the child is gone.
func (p *Process) Stop(ctx context.Context) error {
	if err := p.Signal(p.spec.StopSignal); err != nil {
		return err
	}
	timer := time.NewTimer(p.spec.StopTimeout)
	defer timer.Stop()
	select {
	case <-p.done:
		// Processes that the child may have left running.
		return errors.Join(killGroup(p.PID()), removePIDFile(p.spec.PIDFile))
	case <-timer.C:
	case <-ctx.Done():
	}
	return errors.Join(fmt.Errorf("%s did not stop in time and was killed", p.spec.Name), p.Kill())
}

func killGroup(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) && !errors.Is(err, syscall.EPERM) {
		return fmt.Errorf("kill group %d: %w", pid, err)
	}
	return nil
}

func openLog(path string) (*os.File, error) {
	if path == "" {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
