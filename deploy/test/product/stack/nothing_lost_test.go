package stack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/local/subprocess"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

const (
	connections = 32
	perApproval = 20 // sign-ups
)

// scale is how much happens: with -short it takes seconds instead of minutes, which finds what fails at each
// kill. What fails once in many kills is for the night (`make test-long`).
func scale() (signUps, kills int) {
	if testing.Short() {
		return 200, 2
	}
	return 2000, 10
}

// TestNothingAcknowledgedIsLost posts sign-ups and approves some of them while the waitlist
// service and NATS are killed again and again. Every acknowledged sign-up is on the waitlist,
// once; every approval is in the audit log, which hears of it by its event, once, and has
// caused one email.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	signUps, kills := scale()
	opts := stacktest.Options(t, stack.Processes)
	opts.Settings = map[string][]string{"waitlist": {"SMTP_TIMEOUT=5s", "MAIL_RESCUE_STUCK_JOBS_AFTER=10s"}} // of killed senders
	s := stacktest.Start(t, opts)
	joined, approved := load.NewKeys(), load.NewKeys()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	admin := person.New(s.URLs().Site)
	errtest.None(t, admin.SignIn(ctx, stack.AdminEmail))

	chaos := make(chan error, 1)
	go func() { chaos <- killEvery(ctx, s, joined, signUps/(kills+1), kills) }()
	signUpAll(ctx, s.GatewayURL(), admin, signUps, joined, approved)
	errtest.None(t, <-chaos)
	if joined.Len() != signUps || approved.Len() != signUps/perApproval {
		t.Fatalf("%d of %d sign-ups and %d of %d approvals were acknowledged", joined.Len(), signUps, approved.Len(), signUps/perApproval)
	}

	waitlist, identity := database(t, s, "waitlist"), database(t, s, "identity")
	same := func(what string, ledger *load.Keys, present []string) {
		t.Helper()
		if d := ledger.Compare(present); len(d.Lost)+len(d.Repeated)+len(d.Unasked) > 0 {
			t.Errorf("%s: lost %v, repeated %v, unasked %v", what, d.Lost, d.Repeated, d.Unasked)
		}
	}
	same("sign-ups", joined, column(t, waitlist, "SELECT email FROM waitlist_users WHERE source = 'hero_section'"))
	same("approvals", approved, column(t, waitlist, "SELECT email FROM waitlist_users WHERE source = 'hero_section' AND status = 'approved'"))

	const audited = "SELECT subject_label FROM audit_log WHERE action = 'waitlist.approved' AND subject_label LIKE 'person-%'"
	waittest.Eventually(t, "every event has had its effect", func() bool { return len(column(t, identity, audited)) >= approved.Len() })
	waittest.Eventually(t, "nothing waits for publication", func() bool {
		return count(t, waitlist, "SELECT count(*) FROM outbox WHERE stream_seq IS NULL") == 0
	})
	same("the audit log", approved, column(t, identity, audited))
	if n := count(t, identity, "SELECT count(*) FROM dead_letter"); n != 0 {
		t.Errorf("%d dead letters", n)
	}

	// Copies that a killed sender leaves have one Message-ID.
	var sent []string
	waittest.Eventually(t, "every email is sent", func() bool {
		emails, err := load.Emails(ctx, nil, s.URLs().Mail)
		errtest.None(t, err)
		sent = nil
		for email, byID := range emails {
			for range byID {
				sent = append(sent, email)
			}
		}
		sent = slices.DeleteFunc(sent, func(email string) bool { return !strings.HasPrefix(email, "person-") })
		return len(sent) >= approved.Len()
	})
	same("emails", approved, sent)
}

// killEvery kills the waitlist service and NATS, in turns first, each time the
// ledger has grown by share, and starts them again.
func killEvery(ctx context.Context, s *stack.Stack, ledger *load.Keys, share, kills int) error {
	waitlist, err := s.Program("waitlist")
	if err != nil {
		return err
	}
	nats, err := s.Program("nats")
	if err != nil {
		return err
	}
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for round := range kills {
		for ledger.Len() < (round+1)*share {
			select {
			case <-ctx.Done():
				return fmt.Errorf("round %d: stuck at %d acknowledged: %w", round, ledger.Len(), ctx.Err())
			case <-ticker.C:
			}
		}
		order := []*subprocess.Program{waitlist, nats}
		if round%2 == 1 {
			order[0], order[1] = order[1], order[0]
		}
		for _, program := range order {
			if err := program.Kill(); err != nil {
				return err
			}
		}
		for _, program := range order {
			if err := program.Start(ctx); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
	}
	return nil
}

// signUpAll signs up so many people over a fixed number of connections, and has the admin
// approve some. It retries each sign-up and approval until it is acknowledged.
func signUpAll(ctx context.Context, gateway string, admin *person.Person, signUps int, joined, approved *load.Keys) {
	people := make(chan int)
	var wg sync.WaitGroup
	for range connections {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: 10 * time.Second}
			defer client.CloseIdleConnections()
			for n := range people {
				email := fmt.Sprintf("person-%04d@fledge.test", n)
				if retry(ctx, func() error { return signUp(ctx, client, gateway, n, email) }) == nil {
					joined.Add(email)
				}
				if n%perApproval == 0 && retry(ctx, func() error { return admin.Approve(ctx, email) }) == nil {
					approved.Add(email)
				}
			}
		})
	}
	for n := range signUps {
		people <- n
	}
	close(people)
	wg.Wait()
}

func retry(ctx context.Context, try func() error) error {
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-ticker.C:
		}
	}
}

// signUp comes from an address of its own, as the front door would tell it: the
// limit per address is on.
func signUp(ctx context.Context, client *http.Client, gateway string, n int, email string) error {
	body := fmt.Sprintf(`{"email":%q,"source":"hero_section"}`, email)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, gateway+"/api/add-waitlist-user", bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("10.1.%d.%d", n/250, n%250+1))
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("answer %s", resp.Status)
	}
	return nil
}
