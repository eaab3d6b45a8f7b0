// Command traffic sends steady traffic to a running product and says what came of it,
// see deploy/test/harness/traffic. It ends with 1 unless nothing failed and nothing was lost.
//
//	traffic -site https://fledge.test -mail https://mail.fledge.test -connect traefik.ingress:443 -rate 100 -for 5m
//
// SSL_CERT_FILE names an authority of one's own.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"fledge.dev/deploy/test/harness/traffic"
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
	opts := traffic.Options{Mark: "t" + strconv.FormatInt(time.Now().Unix(), 36)}
	flag.StringVar(&opts.Site, "site", "http://localhost:8080", "origin of the site")
	flag.StringVar(&opts.Mail, "mail", "", "page of the mail stand-in; without it nobody is approved")
	flag.StringVar(&opts.Admin, "admin", "admin@fledge.test", "address of an admin")
	flag.IntVar(&opts.Rate, "rate", 100, "requests a second")
	flag.DurationVar(&opts.For, "for", time.Minute, "how long")
	connect := flag.String("connect", "", "host:port to connect to for every name")
	flag.Parse()
	if flag.NArg() > 0 || opts.Rate < 1 || opts.Rate > 10_000 || opts.For <= 0 {
		return errors.New("-rate is from 1 to 10000, -for is positive, and there are no further words")
	}
	opts.Transport = traffic.NewTransport(*connect)
	opts.Progress = func(r traffic.Report) { _, _ = fmt.Fprintln(os.Stderr, r.Answers()) }
	report, err := traffic.Run(ctx, opts)
	encoded, encodeErr := json.MarshalIndent(report, "", "  ")
	fmt.Println(string(encoded))
	_, _ = fmt.Fprintln(os.Stderr, report)
	if err := errors.Join(err, encodeErr); err != nil {
		return err
	}
	if !report.Sound() {
		return errors.New("requests failed, or acknowledged work is lost")
	}
	return nil
}
