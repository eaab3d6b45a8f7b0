package subscription

import (
	"slices"
	"testing"
	"time"

	"fledge.dev/services/billing/internal/store/db"
)

func TestWhatIsToldOfASubscription(t *testing.T) {
	at := time.Unix(1000, 0)
	free := "pro"
	was := func(plan, status string) *db.GetSubscriptionRow {
		return &db.GetSubscriptionRow{PlanID: plan, Status: status}
	}
	now := func(plan, status string) db.PutSubscriptionParams {
		return db.PutSubscriptionParams{ID: "sub_1", PlanID: plan, Status: status, PeriodStart: at}
	}
	due, changing := now("pro", PastDue), now("business", Active)
	due.DueSince, due.DueAmount, due.DueCurrency = &at, 2500, "jpy"
	changing.NextPlanID, changing.NextAt, changing.NextInterval = &free, &at, "month"
	shorter := now("pro", Active)
	shorter.NextPlanID, shorter.NextAt, shorter.NextInterval, shorter.Interval, shorter.IntervalCount = &free, &at, "month", "month", 3
	longer := shorter
	longer.NextInterval, longer.IntervalCount = "", 1
	processing := due
	processing.DueProcessing = true
	for name, tc := range map[string]struct {
		old  *db.GetSubscriptionRow
		now  db.PutSubscriptionParams
		want []string
	}{
		"the first":                      {nil, now("pro", Active), nil},
		"the same":                       {was("pro", Active), now("pro", Active), nil},
		"set to end":                     {was("pro", Active), now("pro", Cancelled), nil},
		"a larger plan":                  {was("pro", Active), now("business", Active), []string{"plan/sub_1/business/1000"}},
		"overdue":                        {was("pro", Active), due, []string{"payment/sub_1/1000"}},
		"overdue when it was first seen": {nil, due, []string{"payment/sub_1/1000"}},
		"overdue, and on its way":        {was("pro", Active), processing, nil},
		"set to change":                  {was("business", Active), changing, []string{"changing/sub_1/pro/month/1000"}},
		"set to be paid more often":      {was("pro", Active), shorter, []string{"changing/sub_1/pro/month/1000"}},
		"set to be paid less often":      {was("pro", Active), longer, nil},
		"ended":                          {was("pro", Cancelled), now("pro", Free), []string{"ended/sub_1"}},
		"ended while nobody paid":        {was("pro", Paused), now("pro", Free), []string{"ended/sub_1"}},
		"its money did not come":         {was("pro", Processing), now("pro", Free), nil},
		"ended before":                   {was("pro", Free), now("pro", Free), nil},
		"never begun":                    {was("pro", "incomplete"), now("pro", Free), nil},
		"ended when it was first seen":   {nil, now("pro", Free), nil},
	} {
		var keys []string
		for _, n := range notices(tc.old, tc.now) {
			keys = append(keys, n.Key)
			if n.Says.Subscription != "sub_1" || n.Says.Plan == "" {
				t.Errorf("%s: %+v", name, n)
			}
		}
		if !slices.Equal(keys, tc.want) {
			t.Errorf("%s: %q, want %q", name, keys, tc.want)
		}
	}
	for count, want := range map[int32]string{0: "month", 1: "month", 3: "3 months"} {
		shorter.IntervalCount = count
		if got := notices(nil, shorter)[0].Says.WasInterval; got != want {
			t.Errorf("until then every %s, want %s", got, want)
		}
	}
	if says := notices(nil, due)[0].Says; says.Amount != 250_000 || says.Currency != "jpy" {
		t.Errorf("what is due is %+v", says)
	}
}
