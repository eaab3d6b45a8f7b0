package stripe_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fledge.dev/deploy/standins/stripe/rehearsal"
	"fledge.dev/services/platform/errtest"
)

// TestRehearsalInTheStandIn shows what is compared with a sandbox. The file is what the
// stand-in shows today: a change of it is a change of what billing is tested against.
func TestRehearsalInTheStandIn(t *testing.T) {
	account, err := rehearsal.NewStandIn(t.Context(), start(t).Server)
	errtest.None(t, err)
	got, err := rehearsal.Life(t.Context(), account, func(rehearsal.Step) {})
	errtest.None(t, err)
	file := filepath.Join("rehearsal", "testdata", "standin.json")
	if os.Getenv("UPDATE") != "" {
		content, err := json.MarshalIndent(got, "", "  ")
		errtest.None(t, err)
		errtest.None(t, os.WriteFile(file, append(content, '\n'), 0o600))
	}
	content, err := os.ReadFile(file)
	errtest.None(t, err)
	var want []rehearsal.Step
	errtest.None(t, json.Unmarshal(content, &want))
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || !reflect.DeepEqual(want[i], got[i]) {
			t.Fatalf("UPDATE=1 writes the file anew; from step %d on, got\n%q\nwant\n%q", i+1, got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
		}
	}
}

// TestStripesMockAcceptsTheRehearsal, whose calls a key of a sandbox would send.
func TestStripesMockAcceptsTheRehearsal(t *testing.T) {
	account, err := rehearsal.NewSandbox(t.Context(), stripeMockKey, startMock(t), 0)
	errtest.None(t, err)
	steps, err := rehearsal.Life(t.Context(), account, func(rehearsal.Step) {})
	if err != nil {
		t.Error(err)
	}
	if len(steps) != 16 {
		t.Errorf("%d steps", len(steps))
	}
	if err := account.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

const stripeMockKey = "sk_test_123"

func TestTheRehearsalTakesKeysOfSandboxesOnly(t *testing.T) {
	for _, key := range []string{"", "sk_live_51", "rk_live_51", "pk_test_51"} {
		if _, err := rehearsal.NewSandbox(t.Context(), key, "http://127.0.0.1:1", 0); err == nil || !strings.Contains(err.Error(), "sk_test_") {
			t.Errorf("key %q: %v", key, err)
		}
	}
}

func TestTwoRehearsalsAreCompared(t *testing.T) {
	standIn := []rehearsal.Step{{Name: "bought", Facts: []string{"event invoice.paid", "event invoice.paid", "subscription is active"}}}
	sandbox := []rehearsal.Step{{Name: "bought", Facts: []string{"event invoice.finalized", "event invoice.paid", "subscription is incomplete"}}}
	want := []string{
		"bought: only Stripe has: subscription is incomplete",
		"bought: only the stand-in has: event invoice.paid",
		"bought: only the stand-in has: subscription is active",
	}
	if got := rehearsal.Compare(sandbox, standIn); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := rehearsal.Compare(sandbox, nil); len(got) != 1 {
		t.Errorf("a record of another version: %q", got)
	}
}
