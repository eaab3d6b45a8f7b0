package api_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/proto/limits"
	"fledge.dev/services/platform/fault"
)

func hero(emails ...string) *waitlistv1.JoinAllRequest {
	req := &waitlistv1.JoinAllRequest{}
	for _, email := range emails {
		req.Joins = append(req.Joins, &waitlistv1.JoinRequest{Email: email, Source: waitlistv1.Source_SOURCE_HERO_SECTION})
	}
	return req
}

func TestJoinAllKeepsWhatIsWrongFromTheRest(t *testing.T) {
	server, pool := serverOn(t, slog.New(slog.DiscardHandler))
	if _, err := server.Join(t.Context(), hero("known@example.com").GetJoins()[0]); err != nil {
		t.Fatal(err)
	}
	req := hero("Ada@example.com", "no address", "known@example.com", "ada@example.com", "bob@example.com", "cyd@example.com")
	req.Joins[5].Source = waitlistv1.Source_SOURCE_ADMIN
	resp, err := server.JoinAll(t.Context(), req)
	if err != nil || !slices.Equal(resp.GetJoined(), []bool{true, false, true, true, true, false}) {
		t.Fatalf("%v, %v", resp.GetJoined(), err)
	}
	var emails []string
	var told, events int
	if err := pool.QueryRow(t.Context(), `SELECT (SELECT array_agg(email ORDER BY email) FROM waitlist_users), (SELECT count(*) FROM outbox),
		(SELECT count(*) FROM waitlist_users u JOIN outbox ON position(convert_to(u.id::text, 'UTF8') IN payload) > 0)`).Scan(&emails, &events, &told); err != nil {
		t.Fatal(err)
	}
	if want := []string{"ada@example.com", "bob@example.com", "known@example.com"}; !slices.Equal(emails, want) || told != len(want) || events != 2 {
		t.Errorf("on the list are %q, told of %d in %d events", emails, told, events)
	}
	if resp, err := server.JoinAll(t.Context(), hero("no address")); err != nil || !slices.Equal(resp.GetJoined(), []bool{false}) {
		t.Errorf("one that is wrong: %v, %v", resp.GetJoined(), err)
	}
}

func TestJoinAllHasABound(t *testing.T) {
	server := newServer(t, slog.New(slog.DiscardHandler))
	var emails []string
	for n := range limits.SignUps + 1 {
		emails = append(emails, fmt.Sprintf("p%d@example.com", n))
	}
	if _, err := server.JoinAll(t.Context(), hero(emails[1:]...)); err != nil {
		t.Errorf("%d addresses: %v", len(emails)-1, err)
	}
	if _, err := server.JoinAll(t.Context(), hero(emails...)); !errors.Is(err, fault.Invalid) {
		t.Errorf("%d addresses: %v", len(emails), err)
	}
}
