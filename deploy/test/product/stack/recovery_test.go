package stack_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/progress"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
)

// scratchEnv turns the test binary into a runner with its state in that folder.
const scratchEnv = "STACK_TEST_RUNNER"

func TestMain(m *testing.M) {
	if scratch := os.Getenv(scratchEnv); scratch != "" {
		if err := playRunner(scratch); err != nil {
			_, _ = fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// playRunner starts a stack, tells where its site and Stripe are, and waits to be killed.
func playRunner(scratch string) error {
	ctx := context.Background()
	opts, err := stacktest.Prepared(ctx, scratch, stack.InProcess, progress.New(io.Discard))
	if err != nil {
		return err
	}
	running, err := stack.Start(ctx, opts)
	if err != nil {
		return err
	}
	fmt.Println(running.URLs().Site, running.URLs().Stripe)
	return running.Wait(ctx)
}

func TestAfterAKilledRunnerTheNextStartRecoversAndHasLostNothing(t *testing.T) {
	scratch := t.TempDir()
	runner := exec.Command(os.Args[0])
	runner.Env = append(os.Environ(), scratchEnv+"="+scratch)
	runner.Stderr = t.Output()
	out, err := runner.StdoutPipe()
	errtest.None(t, err)
	errtest.None(t, runner.Start())
	t.Cleanup(func() { _ = runner.Process.Kill() })
	var site, stripe string
	if _, err := fmt.Fscanln(out, &site, &stripe); err != nil {
		t.Fatal(err)
	}
	const people = 15 // one address may sign up 20 in a row
	visitor := person.New(site)
	for n := range people {
		join := map[string]string{"email": fmt.Sprintf("person-%d@fledge.test", n), "source": "cta_section"}
		errtest.None(t, visitor.Call(t.Context(), http.MethodPost, "/api/add-waitlist-user", join, nil))
	}
	const buyer = "buyer@fledge.test"
	shopper := person.New(site)
	errtest.None(t, errors.Join(shopper.SignIn(t.Context(), buyer), stacktest.Buy(t.Context(), shopper, site, stripe)))
	errtest.None(t, runner.Process.Kill())
	_ = runner.Wait()

	printer := progress.New(t.Output())
	t.Cleanup(printer.Close)
	opts, err := stacktest.Prepared(t.Context(), scratch, stack.InProcess, printer)
	errtest.None(t, err)
	s := stacktest.Start(t, opts)
	if n := count(t, database(t, s, "waitlist"), "SELECT count(*) FROM waitlist_users WHERE source = 'cta_section'"); n != people {
		t.Errorf("%d of %d acknowledged sign-ups are there", n, people)
	}
	hasCredits(t, s.URLs().Site, buyer, 50)
}
