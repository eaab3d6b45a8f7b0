// Command probe tries to open a TCP connection to each address and prints a line for
// each, "open 10.0.0.1:9000" or "closed 10.0.0.1:9000 reason", in the order of the
// addresses. helm/charttest/cmd/pairs runs it inside the pods of a cluster.
//
//	probe -settle 10s -attempts 3 -timeout 2s 10.0.0.1:9000 10.0.0.2:5432
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// options say how often and how long an address is tried.
type options struct {
	attempts int
	timeout  time.Duration
}

func main() {
	var opts options
	flag.IntVar(&opts.attempts, "attempts", 3, "how often an address is tried until it counts as closed")
	flag.DurationVar(&opts.timeout, "timeout", 2*time.Second, "of one attempt, and between the beginnings of two")
	settle := flag.Duration("settle", 0, "wait before the first attempt, until policies know a new pod")
	flag.Parse()
	if opts.attempts < 1 || opts.timeout <= 0 || *settle < 0 || flag.NArg() == 0 {
		_, _ = fmt.Fprintln(os.Stderr, "error: -attempts and -timeout are positive, and there is an address at least")
		os.Exit(2)
	}
	<-time.After(*settle)
	report(os.Stdout, flag.Args(), opts)
}

// report tries all addresses at once.
func report(w io.Writer, addresses []string, opts options) {
	lines := make([]string, len(addresses))
	var group sync.WaitGroup
	for i, address := range addresses {
		group.Go(func() {
			lines[i] = "open " + address
			if err := opts.dial(address); err != nil {
				lines[i] = fmt.Sprintf("closed %s %v", address, err)
			}
		})
	}
	group.Wait()
	for _, line := range lines {
		_, _ = fmt.Fprintln(w, line)
	}
}

// dial returns nil as soon as a connection was open, and how the last attempt failed.
func (o options) dial(address string) error {
	var failed error
	for attempt := range o.attempts {
		began := time.Now()
		ctx, cancel := context.WithDeadline(context.Background(), began.Add(o.timeout))
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			cancel()
			return conn.Close()
		}
		failed = err
		if attempt < o.attempts-1 {
			<-ctx.Done() // a refusal comes at once, and what refuses may be starting
		}
		cancel()
	}
	return reason(failed)
}

// reason is the short form of a failure.
func reason(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return errors.New("timed out")
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
