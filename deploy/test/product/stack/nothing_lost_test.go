package stack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"fledge.dev/deploy/local/procs"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services/platform/waittest"
)

const (
	signUps     = 2000
	connections = 32
	kills       = 10
)

// TestNothingAcknowledgedIsLost posts sign-ups while the waitlist service and
// NATS are killed again and again. Every acknowledged sign-up is on the waitlist, once,
// and each event had its effect, once.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	s := stacktest.Start(t, stacktest.Options(t, stack.Processes))
	ledger := procs.NewLedger()
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()

	chaos := make(chan error, 1)
	go func() { chaos <- killEvery(ctx, s, ledger) }()
	signUpAll(ctx, s.GatewayURL(), ledger)
	if err := <-chaos; err != nil {
		t.Fatal(err)
	}
	if ledger.Len() != signUps {
		t.Fatalf("%d of %d sign-ups were acknowledged", ledger.Len(), signUps)
	}

	waitlist := database(t, s)
	rows, err := waitlist.Query(ctx, "SELECT email FROM waitlist_users WHERE source = 'hero_section'")
	if err != nil {
		t.Fatal(err)
	}
	var present []string
	for rows.Next() {
		var email string
		if err := rows.Scan(&email); err != nil {
			t.Fatal(err)
		}
		present = append(present, email)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if d := ledger.Compare(present); len(d.Lost)+len(d.Repeated)+len(d.Unasked) > 0 {
		t.Errorf("lost %v, repeated %v, unasked %v", d.Lost, d.Repeated, d.Unasked)
	}

	if n := count(t, waitlist, "SELECT count(*) FROM ("+stack.SignUpsTold+") told JOIN waitlist_users u ON u.id::text = user_id WHERE u.source = 'hero_section'"); n != signUps {
		t.Errorf("events tell of %d sign-ups, there are %d", n, signUps)
	}
	const counted = "SELECT coalesce(sum(count), 0) FROM signup_daily WHERE source = 'hero_section'"
	waittest.Eventually(t, "every event has had its effect", func() bool { return count(t, waitlist, counted) >= signUps })
	waittest.Eventually(t, "nothing waits for publication", func() bool {
		return count(t, waitlist, "SELECT count(*) FROM outbox WHERE stream_seq IS NULL") == 0
	})
	if n := count(t, waitlist, counted); n != signUps {
		t.Errorf("%d sign-ups were counted %d times", signUps, n)
	}
	if n := count(t, waitlist, `SELECT count(*) FROM outbox LEFT JOIN inbox ON event_id = id AND consumer = 'waitlist-stats'
		WHERE event_id IS NULL AND type = 'fledge.waitlist.v1.users.joined'`); n != 0 {
		t.Errorf("%d events were never handled", n)
	}
	if n := count(t, waitlist, "SELECT count(*) FROM dead_letter"); n != 0 {
		t.Errorf("%d dead letters", n)
	}
}

// killEvery kills the waitlist service and NATS, in turns first, each time the
// ledger has grown by its share, and starts them again.
func killEvery(ctx context.Context, s *stack.Stack, ledger *procs.Ledger) error {
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
		for ledger.Len() < (round+1)*signUps/(kills+1) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("round %d: stuck at %d acknowledged: %w", round, ledger.Len(), ctx.Err())
			case <-ticker.C:
			}
		}
		order := []*procs.Program{waitlist, nats}
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

// signUpAll signs up everybody over a fixed number of connections, and retries each sign-up
// until it is acknowledged.
func signUpAll(ctx context.Context, gateway string, ledger *procs.Ledger) {
	people := make(chan int)
	var wg sync.WaitGroup
	for range connections {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: 10 * time.Second}
			defer client.CloseIdleConnections()
			for n := range people {
				email := fmt.Sprintf("person-%04d@fledge.test", n)
				if retry(ctx, func() error { return signUp(ctx, client, gateway, n, email) }) == nil {
					ledger.Acknowledged(email)
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
