package bus

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"time"
)

// scheduler runs processes one at a time and hands over between any two of their
// steps, as a seed says: to another one, to the clock, or to the process's death.
// The same seed gives the same run.
type scheduler struct {
	rng     *rand.Rand
	procs   []*process
	running *process
	yielded chan struct{}
	// calm ends the faults.
	calm  bool
	steps []string
	kills int
}

// process is a program that can be killed between any two of its steps and is
// then started again.
type process struct {
	name   string
	run    func()
	resume chan bool // false: die
	dying  bool
	alive  bool
}

func newScheduler(seed uint64) *scheduler {
	return &scheduler{rng: rand.New(rand.NewPCG(seed, 0)), yielded: make(chan struct{})}
}

func (s *scheduler) add(name string, run func()) {
	s.procs = append(s.procs, &process{name: name, run: run})
}

// point is the border between two steps of the running process. It may not return.
func (s *scheduler) point(step string) {
	p := s.running
	if p.dying {
		return
	}
	s.note(p.name, step)
	s.yielded <- struct{}{}
	if !<-p.resume {
		p.dying = true
		runtime.Goexit()
	}
}

// turn lets the process take one step, or die before it.
func (s *scheduler) turn(p *process, survive bool) {
	s.running = p
	if !p.alive {
		p.alive, p.dying, p.resume = true, false, make(chan bool)
		go func() {
			defer func() {
				p.alive = false
				s.yielded <- struct{}{}
			}()
			if <-p.resume {
				p.run()
			}
		}()
	}
	p.resume <- survive
	<-s.yielded
}

// chance is true once in n times, unless all is calm.
func (s *scheduler) chance(n int) bool { return !s.calm && s.rng.IntN(n) == 0 }

func (s *scheduler) note(who, what string) { s.steps = append(s.steps, who+": "+what) }

// play takes n steps; disaster is called between some of them.
func (s *scheduler) play(n int, disaster func()) {
	for range n {
		switch {
		case s.chance(60):
			disaster()
		case s.chance(25), s.calm && s.rng.IntN(10) == 0:
			s.wait()
		}
		p := s.procs[s.rng.IntN(len(s.procs))]
		survives := !s.chance(40)
		if !survives {
			s.kills++
			s.note(p.name, "KILLED")
		}
		s.turn(p, survives)
	}
}

// wait lets time pass: some seconds, sometimes more than the stream's memory of ids.
func (s *scheduler) wait() {
	d := time.Duration(s.rng.IntN(8000)) * time.Millisecond
	if s.chance(5) {
		d += dedupeWindow
	}
	s.note("clock", d.String())
	<-time.After(d)
}

// end kills all.
func (s *scheduler) end() {
	for _, p := range s.procs {
		if p.alive {
			s.turn(p, false)
		}
	}
}

// last is the end of the run, for whoever has to find out why.
func (s *scheduler) last(n int) string {
	return strings.Join(s.steps[max(0, len(s.steps)-n):], "\n")
}
