// Package load sends requests to a gateway at a fixed rate, or as many as it answers, and
// counts what comes back.
package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// late is when people have gone.
	late = 5 * time.Second
	tick = 2 * time.Millisecond
)

// Sample is what came of one load.
type Sample struct {
	Name string
	// Wanted is in requests a second, 0 for as many as there are answers; Offered what
	// was sent.
	Wanted, Offered float64
	// Goodput are the answers of 2xx a second that came in time.
	Goodput float64
	// Good and Refused (429, 503) are what these answers took.
	Good, Refused Times
	// Wrong are other answers, and those that came late or not at all.
	Wrong int
	// Stood is the longest time in which not even the sender was given the machine.
	Stood time.Duration
	// Examples are the first of these.
	Examples []string
}

// Times are those of answers: median, p99 and the slowest.
type Times struct {
	Answers       int
	P50, P99, Max time.Duration
}

// Sender sends requests over connections of its own. net/http's client would take more
// of a small machine than what it measures.
type Sender struct {
	Addr string
	// Request returns the bytes of the n-th request there ever was.
	Request func(n int) []byte
	// Answered is told the status of each, 0 without one, by many goroutines; nil is told
	// nothing.
	Answered func(n, status int)
	sent     int
}

// tally is what came of the requests of a load.
type tally struct {
	sync.Mutex
	good, refused []time.Duration
	wrong         int
	examples      []string
}

func (t *tally) add(status int, took time.Duration, err error) {
	t.Lock()
	defer t.Unlock()
	switch {
	case err == nil && took <= late && status/100 == 2:
		t.good = append(t.good, took)
	case err == nil && took <= late && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable):
		t.refused = append(t.refused, took)
	default:
		if t.wrong++; len(t.examples) < 3 {
			t.examples = append(t.examples, fmt.Sprintf("%d after %s, %v", status, took.Round(time.Millisecond), err))
		}
	}
}

// Run sends rate requests a second, whatever comes back; with 0, clients of them wait
// for their answers.
func (s *Sender) Run(ctx context.Context, name string, rate float64, clients int, length time.Duration) Sample {
	tickets, t := make(chan int), &tally{}
	var together sync.WaitGroup
	for range clients {
		together.Go(func() { s.work(ctx, tickets, t) })
	}
	began := time.Now()
	pace := time.NewTicker(tick)
	defer pace.Stop()
	last, stood := began, time.Duration(0)
	for dealt := 0; ctx.Err() == nil && time.Since(began) < length; {
		stood, last = max(stood, time.Since(last)), time.Now()
		if rate == 0 {
			tickets <- s.sent
			s.sent++
			continue
		}
		<-pace.C
		for due := int(rate * time.Since(began).Seconds()); dealt < due; dealt++ {
			select {
			case tickets <- s.sent:
				s.sent++
			default: // all connections wait: it is not sent, and not made up for later
			}
		}
	}
	took := time.Since(began).Seconds()
	close(tickets)
	together.Wait()
	return Sample{
		Name: name, Wanted: rate, Offered: float64(len(t.good)+len(t.refused)+t.wrong) / took, Goodput: float64(len(t.good)) / took,
		Good: times(t.good), Refused: times(t.refused), Wrong: t.wrong, Stood: stood, Examples: t.examples,
	}
}

// work sends what is dealt, over one connection as long as that lasts.
func (s *Sender) work(ctx context.Context, tickets <-chan int, t *tally) {
	dialer := net.Dialer{Timeout: late}
	var conn net.Conn
	var answers *bufio.Reader
	for n := range tickets {
		began := time.Now()
		status, err := 0, error(nil)
		if conn == nil {
			if conn, err = dialer.DialContext(ctx, "tcp", s.Addr); err == nil {
				answers = bufio.NewReader(conn)
			}
		}
		keep := false
		if err == nil {
			status, keep, err = exchange(conn, answers, s.Request(n))
		}
		t.add(status, time.Since(began), err)
		if s.Answered != nil {
			s.Answered(n, status)
		}
		if conn != nil && (err != nil || !keep) {
			_ = conn.Close()
			conn = nil
		}
	}
	if conn != nil {
		_ = conn.Close()
	}
}

func exchange(conn net.Conn, answers *bufio.Reader, request []byte) (status int, keep bool, err error) {
	if err := conn.SetDeadline(time.Now().Add(2 * late)); err != nil {
		return 0, false, err
	}
	if _, err := conn.Write(request); err != nil {
		return 0, false, err
	}
	resp, err := http.ReadResponse(answers, nil)
	if err != nil {
		return 0, false, err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode, !resp.Close, err
}

func times(of []time.Duration) Times {
	if len(of) == 0 {
		return Times{}
	}
	slices.Sort(of)
	return Times{Answers: len(of), P50: of[len(of)/2], P99: of[len(of)*99/100], Max: of[len(of)-1]}
}
