// Command traffic sends steady traffic to a product that runs anywhere, and looks whether
// all that was acknowledged is there at the end, while pods start, stop and die. It retries
// nothing: every failure is one that a user would have seen. It ends with 1 unless nothing
// failed and nothing was lost.
//
//	traffic -site https://fledge.test -mail https://mail.fledge.test -connect traefik.ingress:443 -rate 100 -for 5m
//
// SSL_CERT_FILE names an authority of one's own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"fledge.dev/deploy/test/harness/load"
)

const (
	atOnce  = 1000
	longest = 24 * time.Hour
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	origin := flag.String("site", "http://localhost:8080", "origin of the site")
	mail := flag.String("mail", "", "page of the mail stand-in; without it nobody is approved")
	admin := flag.String("admin", "admin@fledge.test", "address of an admin")
	rate := flag.Int("rate", 100, "requests a second")
	lasts := flag.Duration("for", time.Minute, "how long")
	connect := flag.String("connect", "", "host:port to connect to for every name")
	flag.Parse()
	if flag.NArg() > 0 || *rate < 1 || *rate > 10_000 || *lasts <= 0 || *lasts > longest {
		return errors.New("-rate is from 1 to 10000, -for is positive, and there are no further words")
	}
	site, err := load.Open(ctx, *origin, *admin, load.ByWayOf(*connect))
	if err != nil {
		return err
	}
	mark := "t" + strconv.FormatInt(time.Now().Unix(), 36) // another one for each run
	g := &load.Generator{
		Mix: site.Visitors(mark, *mail != ""), Ledger: load.NewLedger(), Tell: func(s load.Sample) { fmt.Println(s) },
	}
	sending, cancel := context.WithTimeout(ctx, *lasts)
	defer cancel()
	sample := g.Run(sending, mark, float64(*rate), atOnce)
	fmt.Println(sample, sample.Failed)
	for _, example := range sample.Examples {
		fmt.Println(example)
	}
	summary, err := site.Verify(context.WithoutCancel(ctx), g.Ledger, mark, *mail)
	if err = errors.Join(ctx.Err(), err); err != nil {
		return err
	}
	fmt.Println(summary)
	if !sample.Sound() {
		return errors.New("requests failed")
	}
	return nil
}
