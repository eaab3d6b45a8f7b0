// Package progress shows in a terminal what is being done and how long it takes. Without a
// terminal it writes plain lines.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

const (
	liveInterval  = 200 * time.Millisecond
	plainInterval = 20 * time.Second
)

// Printer reports steps, which may run at the same time. Close ends it.
type Printer struct {
	out  io.Writer
	live bool
	stop chan struct{}
	done chan struct{}

	mu      sync.Mutex
	running []*Step
}

// New returns a Printer. On a terminal a last line shows what is under way.
func New(out io.Writer) *Printer {
	p := &Printer{out: out, live: isTerminal(out), stop: make(chan struct{}), done: make(chan struct{})}
	go p.tick()
	return p
}

// Step is one thing under way.
type Step struct {
	printer *Printer
	name    string
	began   time.Time
}

// Begin reports the start of a step. note says what to expect, such as how long
// it usually takes; it may be "".
func (p *Printer) Begin(name, note string) *Step {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &Step{printer: p, name: name, began: time.Now()}
	p.running = append(p.running, s)
	if !p.live {
		_, _ = fmt.Fprintf(p.out, "  .. %s%s\n", name, parenthesised(note))
	}
	return s
}

// End reports how the step ended and how long it took.
func (s *Step) End(err error) {
	p := s.printer
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.running {
		if other == s {
			p.running = append(p.running[:i], p.running[i+1:]...)
			break
		}
	}
	mark := "ok"
	if err != nil {
		mark = "!!"
	}
	p.clear()
	_, _ = fmt.Fprintf(p.out, "  %s %-44s %6.1f s\n", mark, s.name, time.Since(s.began).Seconds())
}

// Print writes text between the steps.
func (p *Printer) Print(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	_, _ = io.WriteString(p.out, text)
}

// Close ends the live line.
func (p *Printer) Close() {
	close(p.stop)
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Printer) tick() {
	defer close(p.done)
	interval := plainInterval
	if p.live {
		interval = liveInterval
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ticker.C:
			p.showRunning()
		}
	}
}

func (p *Printer) showRunning() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.running) == 0 {
		return
	}
	var parts []string
	for _, s := range p.running {
		parts = append(parts, fmt.Sprintf("%s %.0f s", s.name, time.Since(s.began).Seconds()))
	}
	line := "  .. " + strings.Join(parts, ", ")
	if !p.live {
		_, _ = fmt.Fprintln(p.out, line)
		return
	}
	const width = 78 // a longer line would wrap and could not be cleared
	if len(line) > width {
		line = line[:width]
	}
	p.clear()
	_, _ = io.WriteString(p.out, line)
}

// clear removes the live line: carriage return, erase to the end (ECMA-48 EL).
func (p *Printer) clear() {
	if p.live {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
}

func parenthesised(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
