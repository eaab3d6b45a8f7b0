package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
	"fledge.dev/services/waitlist/internal/wave"
)

// TestAClaimedEntryIsFoundByTheLettersOfItsAccount, also after the account has moved.
func TestAClaimedEntryIsFoundByTheLettersOfItsAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	e := f.joined("ada@example.com")
	f.clock.Advance(time.Second)
	account := uuid.New()
	found := func(search string, want bool) {
		t.Helper()
		for _, filter := range []store.Filter{{Search: search}, {Search: search, Status: entry.Pending}} {
			if page, err := f.List(t.Context(), filter, nil, 10); err != nil || (len(page.Entries) == 1) != want {
				t.Errorf("%+v found %v, %v", filter, addresses(page), err)
			}
		}
		if w, err := f.PreviewWave(t.Context(), wave.Wave{Who: wave.Who{Search: search}}); err != nil || (w.Total == 1) != want {
			t.Errorf("a wave of %q has %d people, %v", search, w.Total, err)
		}
	}
	follow := func(email string, former ...string) {
		t.Helper()
		err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error {
			return f.Follow(t.Context(), tx, identityclient.AddressChange{Account: account, Email: email, Former: former})
		})
		errtest.None(t, err)
	}
	follow("ada@xn--bcher-kva.example", e.Email.String())
	found("büch", true)
	found("münch", false)
	follow("ada@xn--mnchen-3ya.example")
	found("münch", true)
	found("büch", false)

	// As the previous version of the service writes it.
	if _, err := f.pool.Exec(t.Context(), "UPDATE waitlist_users SET claimed_spelled = ''"); err != nil {
		t.Fatal(err)
	}
	found("münch", false)
	errtest.None(t, f.Spelling().Run(t.Context()))
	found("münch", true)
	// And as it changes a claim: the former letters are not found, and not kept.
	if _, err := f.pool.Exec(t.Context(), "UPDATE waitlist_users SET claimed_email = 'ada@example.org'"); err != nil {
		t.Fatal(err)
	}
	errtest.None(t, f.Spelling().Run(t.Context()))
	found("münch", false)
	follow("ada@xn--mnchen-3ya.example")
	follow(e.Email.String())
	found("münch", false)
}

// TestSpellingLeavesWhatSomebodyElseIsAt for the next time: it waits for no other transaction.
func TestSpellingLeavesWhatSomebodyElseIsAt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	held := f.joined("ada@bücher.example")
	f.joined("bob@bücher.example")
	if _, err := f.pool.Exec(t.Context(), "UPDATE waitlist_users SET spelled = ''"); err != nil {
		t.Fatal(err)
	}
	err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), "SELECT FROM waitlist_users WHERE id = $1 FOR UPDATE", held.ID); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		return f.Spelling().Run(ctx)
	})
	errtest.None(t, err)
	look := func(want ...string) {
		t.Helper()
		if page, err := f.List(t.Context(), store.Filter{Search: "büch"}, nil, 10); err != nil || !slices.Equal(addresses(page), want) {
			t.Errorf("found %v, %v; want %v", addresses(page), err, want)
		}
	}
	look("bob@xn--bcher-kva.example")
	errtest.None(t, f.Spelling().Run(t.Context()))
	look("bob@xn--bcher-kva.example", "ada@xn--bcher-kva.example")
}
