// Package audittest gives tests a member of staff, and reads from the outbox which audit
// records their actions have left.
package audittest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clientinfo"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
)

// Staff is who acts in the contexts of As.
var Staff = authn.Principal{
	UserID: "0d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d1c11", Email: "admin@fledge.test", SessionID: "5b1f4f0a-7c9e-4d55-8a77-0d7c0b9e6a33",
}

// As returns ctx as a handler of rpc gets it when Staff calls through the gateway.
func As(ctx context.Context) context.Context {
	ctx = clientinfo.With(ctx, clientinfo.Info{IP: "203.0.113.7", UserAgent: "Safari/18"})
	return authn.WithPrincipal(obs.WithRequestID(ctx, "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Staff)
}

// Actions returns the records in the outbox in the order in which they were made.
func Actions(t testing.TB, pool *pgxpool.Pool) []*auditv1.StaffAction {
	t.Helper()
	rows, err := pool.Query(context.Background(), `SELECT payload FROM outbox WHERE type LIKE 'fledge.%.staff.action' ORDER BY seq`)
	errtest.None(t, err)
	payloads, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	errtest.None(t, err)
	actions := make([]*auditv1.StaffAction, len(payloads))
	for i, payload := range payloads {
		actions[i] = &auditv1.StaffAction{}
		errtest.None(t, proto.Unmarshal(payload, actions[i]))
	}
	return actions
}
