package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/stack"
)

// run serves the product until ctx ends or a part fails; dev has the pages come from
// "next dev".
func run(ctx context.Context, builder *prepare.Builder, dev bool) (err error) {
	began := time.Now()
	unlock, err := builder.State.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	port, err := ports.Site()
	if err != nil {
		return err
	}
	database := os.Getenv("DATABASE_URL")
	tools, err := builder.Tools(ctx, prepare.Wanted{PostgresGiven: database != "", Dev: dev})
	if err != nil {
		return err
	}
	if err := builder.State.RotateLogs(); err != nil {
		return err
	}
	running, err := stack.Start(ctx, stack.Options{
		Root: builder.Root, State: builder.State, Tools: tools, FirstPort: port, DatabaseURL: database, Progress: builder.Progress, Dev: dev,
		Stripe: stack.AccountAtStripe(os.Environ()), Analytics: stack.AnalyticsFrom(os.Getenv),
		Settings: map[string][]string{"billing": {"BILLING_MAILS=true", "LOW_CREDIT_MAILS=20,0", "CREDITS_ENDING_MAIL=72h"}},
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil // told to stop while starting
		}
		return err
	}
	builder.Progress.Print(table(running, builder.State.Path("log"), time.Since(began)))
	failure := running.Wait(ctx)
	builder.Progress.Print("\nStopping…\n")
	return errors.Join(failure, running.Stop(context.WithoutCancel(ctx)))
}

func table(running *stack.Stack, logs string, took time.Duration) string {
	urls := running.URLs()
	money := urls.Stripe
	if money == "" {
		money = "your account; its webhooks go to " + urls.Site + stack.StripeWebhook
	}
	return fmt.Sprintf(`
Fledge is ready after %.1f s. Ctrl-C stops everything.

  Site                  %s
  Admin                 %[2]s/admin
  API description       %[2]s/api/docs
  Health                %[2]s/api/health
  Mail that was sent    %s
  GitHub stand-in       %s
  Google and Apple      %s
  Stripe                %s
  Metrics               %s
  Logs                  %s

  Sign in with Google or Apple as any address; no password. Ready people:
    %-20s  admin
    %-20s  approved beta tester

`, took.Seconds(), urls.Site, urls.Mail, urls.GitHub, urls.Providers, money, metricsOf(running), logs, stack.AdminEmail, stack.TesterEmail)
}

// metricsOf are the addresses of the programs' metrics, one on each line of the table.
func metricsOf(running *stack.Stack) string {
	metrics := running.MetricsURLs()
	metrics["front door"] = running.FrontDoorMetricsURL()
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		lines = append(lines, fmt.Sprintf("%s  %s", metrics[name], name))
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", 24))
}
