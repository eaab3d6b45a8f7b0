package announce_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/protobuf/proto"

	billingv1 "fledge.dev/proto/gen/go/fledge/events/billing/v1"
	"fledge.dev/services/billing/internal/announce"
	"fledge.dev/services/billing/internal/store"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

func TestOthersAreToldOfEveryPlan(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), pgtest.New(t, "billing", store.Migrate))
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	user := uuid.New()
	exec(`INSERT INTO customers (user_id, created_at) VALUES ($1, now())`, user)
	subscribe := func(id, plan, status string) {
		t.Helper()
		exec(`INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, created_at, updated_at)
			VALUES ($1, $2, $3, $3, $4, 'price_1', now(), now() + interval '1 month', now(), now())
			ON CONFLICT (id) DO UPDATE SET status = EXCLUDED.status, plan_id = EXCLUDED.plan_id`, id, user, status, plan)
	}
	read := 0
	told := func() (list []string) {
		t.Helper()
		a := announce.New(pool)
		for range 2 { // nothing is told twice
			errtest.None(t, a.Run(t.Context()))
		}
		rows, _ := pool.Query(t.Context(), `SELECT payload FROM outbox WHERE type = $1 AND subject = $2 ORDER BY seq OFFSET $3`, announce.PlanChanged, user.String(), read)
		payloads, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		errtest.None(t, err)
		for _, payload := range payloads {
			var e billingv1.UserPlanChanged
			errtest.None(t, proto.Unmarshal(payload, &e))
			word := e.GetPlanId()
			if e.GetPrioritySupport() {
				word += " with priority"
			}
			list = append(list, word)
		}
		read += len(list)
		return list
	}
	expect := func(what string, want ...string) {
		t.Helper()
		got := told()
		if len(got) != len(want) || len(want) == 1 && got[0] != want[0] {
			t.Errorf("%s: told %q, want %q", what, got, want)
		}
	}
	expect("nothing bought")
	subscribe("sub_1", "pro", "active")
	expect("bought", "pro with priority")
	subscribe("sub_1", "pro", "past_due")
	expect("the payment is late")
	subscribe("sub_1", "pro", "paused")
	expect("its payments are not collected")
	subscribe("sub_1", "business", "active")
	expect("moved up", "business with priority")
	subscribe("sub_1", "business", "free")
	expect("ended", "free")
	subscribe("sub_2", "pro", "active")
	expect("bought again", "pro with priority")
	state := func(state string) {
		t.Helper()
		exec(`INSERT INTO account_states (user_id, state, since) VALUES ($1, $2, now()) ON CONFLICT (user_id) DO UPDATE SET state = EXCLUDED.state`, user, state)
	}
	state("disabled")
	subscribe("sub_2", "pro", "free")
	expect("disabled")
	state("active")
	expect("enabled again", "free")
	subscribe("sub_3", "pro", "active")
	expect("bought once more", "pro with priority")
	state("erased")
	subscribe("sub_3", "pro", "free")
	expect("erased")
}
