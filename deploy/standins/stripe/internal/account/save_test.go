package account_test

import (
	"encoding/json"
	"path/filepath"
	"sync"
	"testing"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

func TestTheStateFileBringsEverythingBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stripe.json")
	r := open(t, func(o *account.Options) { o.StateFile = file })
	id := r.subscribe(pro)
	r.advance(1, hour)
	want := r.json(id)

	// Not closed: whoever was answered can rely on the file.
	again := open(t, func(o *account.Options) { o.StateFile = file })

	got := again.json(id)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("got …%.80s\nwant …%.80s", got[max(i-40, 0):], want[max(i-40, 0):])
		}
	}
	if got := len(again.Publish(func([]*account.Event) {})); got != 8 {
		t.Errorf("%d events are waiting to be delivered, want all", got)
	}
	again.advance(1, 4*days)
	if got := len(again.invoices()); got != 3 {
		t.Errorf("%d invoices", got)
	}
}

// json is all there is about a subscription.
func (r *rig) json(id string) (out string) {
	r.Helper()
	if err := r.Read(r.Context(), func(tx *account.Tx) {
		s := tx.Lookup(id)
		invoice := tx.Lookup(s["latest_invoice"].(string))
		payments := tx.InvoicePayments(invoice["id"].(string))
		intent := tx.Lookup(payments[0]["payment"].(account.Object)["payment_intent"].(string))
		content, err := json.Marshal([]any{s, invoice, payments, intent, tx.Lookup(intent["latest_charge"].(string)), tx.Lookup(r.customerOf(s)), tx.Lookup("prod_pro")})
		if err != nil {
			r.Error(err)
		}
		out = string(content)
	}); err != nil {
		r.Fatal(err)
	}
	return out
}

func (r *rig) customerOf(s account.Object) string { return s["customer"].(string) }

func TestWritersShareTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stripe.json")
	r := open(t, func(o *account.Options) { o.StateFile = file })
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if err := r.Update(t.Context(), account.Request{}, func(tx *account.Tx) error {
				_, err := tx.CreateCustomer(account.Details{})
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	again := open(t, func(o *account.Options) { o.StateFile = file })
	if err := again.Read(t.Context(), func(tx *account.Tx) {
		// And the one that each rig makes for itself.
		if got := len(tx.Customers.All(func(*account.Customer) bool { return true })); got != 52 {
			t.Errorf("%d customers were kept, want 52", got)
		}
	}); err != nil {
		t.Error(err)
	}
}
