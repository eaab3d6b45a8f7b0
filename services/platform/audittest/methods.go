package audittest

import (
	"context"
	"path"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/authn"
)

// Call is what a method for staff does to the audit log.
type Call struct {
	// Action is the one record that Do leaves; "" for a method that only reads.
	Action audit.Name
	// Do calls the method so that it changes something; nil for one that only reads.
	Do func(ctx context.Context) error
}

// Reads is a method that changes nothing.
var Reads = Call{}

// Methods calls every method that the policy keeps for staff, as Staff, and fails
// when one of them changes something without a record, or has no row by its short
// name in calls. pool is the service's database.
func Methods(t *testing.T, policy authn.Policy, pool *pgxpool.Pool, calls map[string]Call) {
	t.Helper()
	forStaff := map[string]bool{}
	for full, who := range policy {
		name := path.Base(full)
		call, ok := calls[name]
		if forStaff[name] = who == authn.Staff || who == authn.Admin || who == authn.FreshAdmin; !forStaff[name] {
			continue
		}
		if !ok {
			t.Errorf("%s is for staff: does it change something? It has no row", name)
		}
		if call.Do == nil {
			continue
		}
		before := len(Actions(t, pool))
		if err := call.Do(As(t.Context())); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		records := Actions(t, pool)[before:]
		if len(records) != 1 || records[0].GetAction() != string(call.Action) || records[0].GetActorId() != Staff.UserID {
			t.Errorf("%s left the records %v, not one %s", name, records, call.Action)
		}
	}
	for name := range calls {
		if !forStaff[name] {
			t.Errorf("%s has a row and is no method for staff", name)
		}
	}
}
