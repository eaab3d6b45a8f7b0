package subprocess

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Program is a part of the product that runs as a process of its own, or does not run: tests kill, pause and
// restart it.
type Program struct {
	name  string
	start func(ctx context.Context) (*Process, error)

	mu      sync.Mutex
	current *Process
	paused  bool
}

// NewProgram returns a program that does not run. start must return when the
// program is ready.
func NewProgram(name string, start func(ctx context.Context) (*Process, error)) *Program {
	return &Program{name: name, start: start}
}

// Name is what the program is called in the stack.
func (p *Program) Name() string { return p.name }

// Start runs the program and returns when it is ready.
func (p *Program) Start(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current != nil {
		return fmt.Errorf("%s runs already", p.name)
	}
	process, err := p.start(ctx)
	if err != nil {
		return err
	}
	p.current, p.paused = process, false
	return nil
}

// Done is closed when the process that runs now has ended; nil without one.
func (p *Program) Done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return nil
	}
	return p.current.Done()
}

// PID is the process that runs now; 0 without one.
func (p *Program) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return 0
	}
	return p.current.PID()
}

// Kill ends the program as a crash does (SIGKILL): it flushes nothing and notifies
// nobody.
func (p *Program) Kill() error {
	return p.end(func(process *Process) error { return process.Kill() })
}

// Stop asks the program to end, as an operator does. A program that does not
// run is left alone.
func (p *Program) Stop(ctx context.Context) error {
	err := p.end(func(process *Process) error {
		var resume error
		if p.paused {
			resume = process.Thaw()
		}
		return errors.Join(resume, process.Stop(ctx))
	})
	if errors.Is(err, errNotRunning) {
		return nil
	}
	return err
}

// Restart kills the program and starts it again.
func (p *Program) Restart(ctx context.Context) error {
	return errors.Join(p.Kill(), p.Start(ctx))
}

// Pause freezes the program and what it has started (SIGSTOP): its connections stay,
// nothing answers.
func (p *Program) Pause() error { return p.freeze((*Process).Freeze, true) }

// Resume lets a paused program go on (SIGCONT).
func (p *Program) Resume() error { return p.freeze((*Process).Thaw, false) }

var errNotRunning = errors.New("does not run")

func (p *Program) end(how func(*Process) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return fmt.Errorf("%s %w", p.name, errNotRunning)
	}
	err := how(p.current)
	p.current, p.paused = nil, false
	return err
}

func (p *Program) freeze(how func(*Process) error, paused bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return fmt.Errorf("%s %w", p.name, errNotRunning)
	}
	p.paused = paused
	return how(p.current)
}
