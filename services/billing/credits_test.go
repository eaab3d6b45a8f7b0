package billing_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

func consume(key string, amount int64) *billingv1.ConsumeCreditsRequest {
	return &billingv1.ConsumeCreditsRequest{Amount: amount, Description: "Generated screen", IdempotencyKey: key}
}

func TestTheWayOfCredits(t *testing.T) {
	t.Parallel()
	began := time.Now().UTC().Format(time.DateOnly)
	r := newRig(t)
	s := r.serve()
	_, token := r.issuer.User("free@example.com")
	if resp, err := s.GetCredits(r.as(token), &billingv1.GetCreditsRequest{}); err != nil || resp.GetCredits() != nil {
		t.Errorf("an account that never had any: %v, %v", resp, err)
	}
	_, ctx := r.funded(5000)
	spent, err := s.ConsumeCredits(ctx, consume("a", 125))
	if err != nil || spent.GetEntryId() != "2" || spent.GetCredits().GetBalance() != 4875 {
		t.Fatalf("ConsumeCredits = %v, %v", spent, err)
	}
	held, err := s.HoldCredits(ctx, &billingv1.HoldCreditsRequest{Amount: 1000, Description: "New app", IdempotencyKey: "b"})
	errtest.None(t, err)
	if left := time.Until(held.GetExpiresAt().AsTime()); left < 13*time.Minute || left > 15*time.Minute+time.Second { // by the clock of PostgreSQL, which is known within milliseconds
		t.Errorf("the hold ends in %s, want the default of 15 min", left)
	}
	settled, err := s.SettleCredits(ctx, &billingv1.SettleCreditsRequest{HoldId: held.GetHoldId(), Amount: 300})
	errtest.None(t, err)
	got, err := s.GetCredits(ctx, &billingv1.GetCreditsRequest{})
	if err != nil || !proto.Equal(got.GetCredits(), settled.GetCredits()) {
		t.Errorf("GetCredits = %v, %v; after settling %v", got, err, settled)
	}
	if c := got.GetCredits(); c.GetBalance() != 4575 || c.GetGranted() != 5000 || c.GetUsed() != 425 || c.GetHeld() != 0 || c.GetPeriodEnd() == nil {
		t.Errorf("credits %v", c)
	}
	var entries []string
	cursor := ""
	for range 5 {
		page, err := s.ListCreditEntries(ctx, &billingv1.ListCreditEntriesRequest{Cursor: cursor, Limit: 2})
		errtest.None(t, err)
		for _, e := range page.GetEntries() {
			entries = append(entries, fmt.Sprintf("%s %s %d %d %s", e.GetId(), e.GetKind(), e.GetAmount(), e.GetBalanceAfter(), e.GetDescription()))
		}
		var spent int64
		days := page.GetDays()
		for _, day := range days {
			if spent += day.GetAmount(); day.GetAmount() > 0 && day.GetDay() < began {
				t.Errorf("something was spent on %s", day.GetDay())
			}
		}
		if today := time.Now().UTC().Format(time.DateOnly); len(days) != 30 || spent != 425 || days[29].GetDay() < began || days[29].GetDay() > today {
			t.Errorf("days %v", days)
		}
		if cursor = page.GetNextCursor(); cursor == "" {
			break
		}
	}
	want := []string{"3 consume -300 4575 New app", "2 consume -125 4875 Generated screen", "1 grant 5000 5000 Pro plan"}
	if !slices.Equal(entries, want) {
		t.Errorf("entries %q, want %q", entries, want)
	}
}

func TestTwoInstancesNeverSpendMoreThanThereIs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	instances := []instance{r.serve(), r.serve()}
	for round := range 20 {
		id, ctx := r.funded(5000)
		var mu sync.Mutex
		outcomes := map[string]int{}
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				outcome := "spent"
				if _, err := instances[i%2].ConsumeCredits(ctx, consume(fmt.Sprint(i), 100)); err != nil {
					outcome = fault.Of(err).Reason
				}
				mu.Lock()
				defer mu.Unlock()
				outcomes[outcome]++
			})
		}
		wg.Wait()
		if outcomes["spent"] != 50 || outcomes["insufficient_credits"] != 50 {
			t.Fatalf("round %d: %v, want 50 spent and 50 refused", round, outcomes)
		}
		if n := r.count("SELECT balance FROM credit_accounts WHERE user_id = $1", id); n != 0 {
			t.Fatalf("round %d: %d left", round, n)
		}
	}
}

func TestOneKeyOverTwoInstancesHasOneEffectAndOneAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	instances := []instance{r.serve(), r.serve()}
	id, ctx := r.funded(5000)
	answers := make([]*billingv1.ConsumeCreditsResponse, 50)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			var err error
			if answers[i], err = instances[i%2].ConsumeCredits(ctx, consume("k", 700)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i, answer := range answers {
		if !proto.Equal(answer, answers[0]) {
			t.Errorf("answer %d is %v, the first is %v", i, answer, answers[0])
		}
	}
	if n := r.count("SELECT count(*) FROM credit_entries WHERE user_id = $1 AND kind = 'consume'", id); n != 1 {
		t.Errorf("%d entries", n)
	}
}

// TestAcknowledgedSpendsSurviveAKillAndHappenOnce kills the service while callers
// spend, and lets them repeat with the same keys what they have no answer for.
func TestAcknowledgedSpendsSurviveAKillAndHappenOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.spawn()
	id, ctx := r.funded(10_000_000)
	var mu sync.Mutex
	var tried, acknowledged []string
	var wg sync.WaitGroup
	for caller := range 16 {
		wg.Go(func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("%d-%d", caller, n)
				mu.Lock()
				tried = append(tried, key)
				mu.Unlock()
				if _, err := s.ConsumeCredits(ctx, consume(key, 3)); err != nil {
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, key)
				mu.Unlock()
			}
		})
	}
	waittest.Eventually(t, "300 spends are acknowledged", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(acknowledged) >= 300
	})
	s.kill()
	wg.Wait()
	if n := r.count("SELECT count(*) FROM credit_keys WHERE user_id = $1 AND key = ANY ($2)", id, acknowledged); n != len(acknowledged) {
		t.Errorf("%d spends were acknowledged, %d are there", len(acknowledged), n)
	}
	again := r.serve()
	for _, key := range tried {
		if _, err := again.ConsumeCredits(ctx, consume(key, 3)); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.count("SELECT balance FROM credit_accounts WHERE user_id = $1", id); n != 10_000_000-3*len(tried) {
		t.Errorf("%d left after %d spends of 3", n, len(tried))
	}
	if n := r.count("SELECT count(*) FROM credit_entries WHERE user_id = $1 AND kind = 'consume'", id); n != len(tried) {
		t.Errorf("%d entries for %d spends", n, len(tried))
	}
}

func TestRefusalsKeepTheirReasons(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	_, ctx := r.funded(100)
	_, stranger := r.funded(100)
	held, err := s.HoldCredits(ctx, &billingv1.HoldCreditsRequest{Amount: 50, Description: "x", IdempotencyKey: "h"})
	errtest.None(t, err)
	settle := func(ctx context.Context, id string, amount int64) error {
		_, err := s.SettleCredits(ctx, &billingv1.SettleCreditsRequest{HoldId: id, Amount: amount})
		return err
	}
	_, tooMuch := s.ConsumeCredits(ctx, consume("a", 51))
	_, reused := s.ConsumeCredits(ctx, consume("h", 50))
	for name, tc := range map[string]struct {
		err    error
		kind   fault.Kind
		reason string
	}{
		"more than is free":   {tooMuch, fault.Conflict, "insufficient_credits"},
		"a hold's key":        {reused, fault.Conflict, "idempotency_key_reused"},
		"a stranger's hold":   {settle(stranger, held.GetHoldId(), 0), fault.NotFound, "hold_not_found"},
		"no hold":             {settle(ctx, uuid.NewString(), 0), fault.NotFound, "hold_not_found"},
		"above the hold":      {settle(ctx, held.GetHoldId(), 51), fault.Invalid, "amount_above_hold"},
		"settling":            {settle(ctx, held.GetHoldId(), 20), "", ""},
		"settling once more":  {settle(ctx, held.GetHoldId(), 20), "", ""},
		"settling otherwise":  {settle(ctx, held.GetHoldId(), 21), fault.Conflict, "hold_settled"},
		"releasing afterward": {settle(ctx, held.GetHoldId(), 0), fault.Conflict, "hold_settled"},
	} {
		if tc.reason == "" && tc.err != nil || tc.reason != "" && (!errors.Is(tc.err, tc.kind) || fault.Of(tc.err).Reason != tc.reason) {
			t.Errorf("%s: %v, want %s", name, tc.err, tc.reason)
		}
	}
}

func TestBadRequestsNameTheirFieldsAndHaveNoEffect(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.serve()
	id, ctx := r.funded(5000)
	good := func() *billingv1.HoldCreditsRequest {
		return &billingv1.HoldCreditsRequest{Amount: 1, Description: "x", IdempotencyKey: "k"}
	}
	for name, tc := range map[string]struct {
		change func(*billingv1.HoldCreditsRequest)
		fields []string
	}{
		"no amount":             {func(q *billingv1.HoldCreditsRequest) { q.Amount = 0 }, []string{"amount"}},
		"negative amount":       {func(q *billingv1.HoldCreditsRequest) { q.Amount = -1 }, []string{"amount"}},
		"enormous amount":       {func(q *billingv1.HoldCreditsRequest) { q.Amount = 10_000_001 }, []string{"amount"}},
		"overflow":              {func(q *billingv1.HoldCreditsRequest) { q.Amount = 1<<63 - 1 }, []string{"amount"}},
		"no description":        {func(q *billingv1.HoldCreditsRequest) { q.Description = "" }, []string{"description"}},
		"blank description":     {func(q *billingv1.HoldCreditsRequest) { q.Description = "  " }, []string{"description"}},
		"long description":      {func(q *billingv1.HoldCreditsRequest) { q.Description = strings.Repeat("ä", 201) }, []string{"description"}},
		"control character":     {func(q *billingv1.HoldCreditsRequest) { q.Description = "a\x00b" }, []string{"description"}},
		"no key":                {func(q *billingv1.HoldCreditsRequest) { q.IdempotencyKey = "" }, []string{"idempotency_key"}},
		"long key":              {func(q *billingv1.HoldCreditsRequest) { q.IdempotencyKey = strings.Repeat("k", 256) }, []string{"idempotency_key"}},
		"key with a line break": {func(q *billingv1.HoldCreditsRequest) { q.IdempotencyKey = "a\nb" }, []string{"idempotency_key"}},
		"key beyond ASCII":      {func(q *billingv1.HoldCreditsRequest) { q.IdempotencyKey = "clé" }, []string{"idempotency_key"}},
		"everything": {func(q *billingv1.HoldCreditsRequest) { q.Amount, q.Description, q.IdempotencyKey = 0, "", "" },
			[]string{"amount", "description", "idempotency_key"}},
		"negative lifetime": {func(q *billingv1.HoldCreditsRequest) { q.LifetimeSeconds = -1 }, []string{"lifetime_seconds"}},
		"long lifetime":     {func(q *billingv1.HoldCreditsRequest) { q.LifetimeSeconds = 86_401 }, []string{"lifetime_seconds"}},
	} {
		req := good()
		tc.change(req)
		_, err := s.HoldCredits(ctx, req)
		expectFields(t, name, err, tc.fields...)
		if req.GetLifetimeSeconds() == 0 {
			_, err = s.ConsumeCredits(ctx, &billingv1.ConsumeCreditsRequest{
				Amount: req.GetAmount(), Description: req.GetDescription(), IdempotencyKey: req.GetIdempotencyKey(),
			})
			expectFields(t, name, err, tc.fields...)
		}
	}
	for _, hold := range []string{"", "42", "urn:uuid:" + uuid.NewString(), "{" + uuid.NewString() + "}", "' OR 1=1--"} {
		_, err := s.SettleCredits(ctx, &billingv1.SettleCreditsRequest{HoldId: hold})
		expectFields(t, "hold "+hold, err, "hold_id")
	}
	_, err := s.SettleCredits(ctx, &billingv1.SettleCreditsRequest{HoldId: uuid.NewString(), Amount: -1})
	expectFields(t, "negative cost", err, "amount")
	for _, limit := range []int32{-1, 101, 1 << 30} {
		_, err := s.ListCreditEntries(ctx, &billingv1.ListCreditEntriesRequest{Limit: limit})
		expectFields(t, fmt.Sprint("limit ", limit), err, "limit")
	}
	_, err = s.ListCreditEntries(ctx, &billingv1.ListCreditEntriesRequest{Cursor: "nonsense"})
	expectFields(t, "cursor", err, "cursor")
	if n := r.count("SELECT entries FROM credit_accounts WHERE user_id = $1", id); n != 1 {
		t.Errorf("%d entries", n)
	}
}

func expectFields(t *testing.T, name string, err error, want ...string) {
	t.Helper()
	var got []string
	f := fault.Of(err)
	if f != nil {
		for _, field := range f.Fields {
			got = append(got, field.Name)
		}
	}
	if f == nil || f.Kind != fault.Invalid || !slices.Equal(got, want) {
		t.Errorf("%s: %v, want the fields %v", name, err, want)
	}
}
