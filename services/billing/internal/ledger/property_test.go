package ledger_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"fledge.dev/services/billing/internal/ledger"
)

// sequencesVariable says how many random sequences to run; 1,000 take two minutes.
const sequencesVariable = "LEDGER_TEST_SEQUENCES"

const (
	defaultSequences = "25"
	actions          = 50
)

func TestMain(m *testing.M) {
	n := os.Getenv(sequencesVariable)
	if n == "" {
		n = defaultSequences
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", n); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// player does random things to one account and to the model of it.
type player struct {
	*fixture
	model *model
	user  uuid.UUID
	// past are operations that had their effect; each repeats itself and fails
	// unless it is answered as it was then.
	past []func(rt *rapid.T)
	// claws are the clawbacks that were made; void are facts of those that failed.
	claws []ledger.Clawback
	void  map[string]bool
	facts int
}

// TestTheLedgerBehavesLikeTheModel runs random sequences of 50 actions, and after
// each compares the account with the model and with what its entries make.
func TestTheLedgerBehavesLikeTheModel(t *testing.T) {
	t.Parallel()
	shared := newFixture(t)
	rapid.Check(t, func(rt *rapid.T) {
		p := &player{fixture: on(t, shared.pool), user: uuid.New(), model: &model{keys: map[string]bool{}}, void: map[string]bool{}}
		p.model.grant(p.base(0))
		p.grant(p.base(0))
		for range actions {
			p.act(rt)
			p.model.pass(p.clock.Now())
			p.compare(rt)
		}
	})
}

func (p *player) act(rt *rapid.T) {
	// Some things end just before the action, so that the action finds them.
	p.clock.Advance(rapid.SampledFrom([]time.Duration{0, 0, 0, 30 * time.Second, time.Hour, 3 * day}).Draw(rt, "pause"))
	p.model.pass(p.clock.Now())
	action := rapid.SampledFrom([]string{
		"spend", "spend", "spend", "hold", "hold", "settle", "settle", "release", "renew", "renew", "upgrade", "gift",
		"deduct", "clawback", "clawback", "restore", "lapse", "replay", "replay",
	}).Draw(rt, "action")
	switch action {
	case "spend":
		p.doSpend(rt, p.amount(rt))
	case "hold":
		p.doHold(rt, p.amount(rt))
	case "settle":
		p.doSettle(rt, false)
	case "release":
		p.doSettle(rt, true)
	case "renew":
		p.doGrant(rt, p.base(rapid.IntRange(0, 4).Draw(rt, "period")))
	case "upgrade":
		g := p.base(rapid.IntRange(0, 4).Draw(rt, "period"))
		g.Fact, g.Replaces = g.Fact+"/upgrade", false
		p.doGrant(rt, g)
	case "gift":
		g := p.base(0)
		g.Fact, g.Series, g.PeriodStart = p.fact("gift"), "", p.clock.Now()
		g.ExpiresAt = p.clock.Now().Add(time.Duration(rapid.IntRange(1, 60).Draw(rt, "days")) * day)
		g.PeriodEnd = g.ExpiresAt
		g.Amount = p.amount(rt)
		p.doGrant(rt, g)
	case "deduct":
		p.doDeduct(rt, p.amount(rt))
	case "clawback":
		p.doClawback(rt)
	case "restore":
		p.doRestore(rt)
	case "lapse":
		p.must(rt, p.Lapse(context.Background()))
	case "replay":
		if len(p.past) > 0 {
			rapid.SampledFrom(p.past).Draw(rt, "past")(rt)
		}
	}
}

func (p *player) amount(rt *rapid.T) int64 { return rapid.Int64Range(1, 3000).Draw(rt, "amount") }

func (p *player) fact(kind string) string {
	p.facts++
	return fmt.Sprintf("%s/%s%d", p.user, kind, p.facts)
}

func (p *player) base(period int) ledger.Grant {
	return monthly(p.user, fmt.Sprintf("base%d", period), 5000, epoch.AddDate(0, 0, 30*period))
}

func (p *player) must(rt *rapid.T, err error) {
	if err != nil {
		rt.Fatal(err)
	}
}

// spend is with a key that is new, or one of those that were used before.
func (p *player) spending(rt *rapid.T, amount int64) (_ ledger.Spend, used bool) {
	key := rapid.StringMatching(`[a-z]{1,2}`).Draw(rt, "key")
	return ledger.Spend{UserID: p.user, Key: key, Amount: amount, Description: "Screen " + p.fact("")}, p.model.keys[key]
}

func (p *player) doSpend(rt *rapid.T, amount int64) {
	s, used := p.spending(rt, amount)
	first, err := p.Consume(context.Background(), s)
	p.answered(rt, err, used, func() bool { return p.model.spend(amount) })
	if err != nil {
		return
	}
	p.model.keys[s.Key] = true
	p.past = append(p.past, func(rt *rapid.T) {
		if again, err := p.Consume(context.Background(), s); err != nil || again != first {
			rt.Fatalf("replay of %+v: %+v, %v; first %+v", s, again, err, first)
		}
	})
}

func (p *player) doHold(rt *rapid.T, amount int64) {
	s, used := p.spending(rt, amount)
	lifetime := rapid.SampledFrom([]time.Duration{30 * time.Second, time.Hour, day}).Draw(rt, "lifetime")
	first, err := p.Hold(context.Background(), s, lifetime)
	p.answered(rt, err, used, func() bool {
		h, ok := p.model.hold(amount, p.clock.Now().Add(lifetime))
		if ok {
			h.held = first
		}
		return ok
	})
	if err != nil {
		return
	}
	p.model.keys[s.Key] = true
	p.past = append(p.past, func(rt *rapid.T) {
		if again, err := p.Hold(context.Background(), s, lifetime); err != nil || again != first {
			rt.Fatalf("replay of %+v: %+v, %v; first %+v", s, again, err, first)
		}
	})
}

// answered fails unless a spend was answered as the model does, which must not be
// asked when its key was used before.
func (p *player) answered(rt *rapid.T, err error, used bool, model func() (ok bool)) {
	var want error
	if used {
		want = ledger.ErrKeyReused
	} else if !model() {
		want = ledger.ErrInsufficient
	}
	if !errors.Is(err, want) {
		rt.Fatalf("got %v, want %v", err, want)
	}
}

func (p *player) doSettle(rt *rapid.T, release bool) {
	if len(p.model.holds) == 0 {
		return
	}
	h := rapid.SampledFrom(p.model.holds).Draw(rt, "hold")
	var cost int64
	if !release {
		cost = rapid.Int64Range(0, h.amount+1).Draw(rt, "cost")
	}
	first, err := p.Settle(context.Background(), p.user, h.held.ID, cost)
	var want error
	switch {
	case h.state == "settled" && h.cost != cost:
		want = ledger.ErrHoldSettled
	case h.state == "settled":
	case cost > h.amount:
		want = ledger.ErrAboveHold
	case h.state == "expired" && cost > 0:
		want = ledger.ErrHoldExpired
	case h.state == "":
		p.model.close(h, cost, "settled")
	}
	if !errors.Is(err, want) {
		rt.Fatalf("settling %+v at %d: got %v, want %v", h, cost, err, want)
	}
	if err == nil && h.state == "settled" {
		p.past = append(p.past, func(rt *rapid.T) {
			if again, err := p.Settle(context.Background(), p.user, h.held.ID, cost); err != nil || again != first {
				rt.Fatalf("replay of a settle: %+v, %v; first %+v", again, err, first)
			}
		})
	}
}

func (p *player) doGrant(rt *rapid.T, g ledger.Grant) {
	give := func(rt *rapid.T) (isNew bool) {
		p.must(rt, p.inTx(func(tx pgx.Tx) (err error) {
			isNew, err = p.Grant(context.Background(), tx, g)
			return err
		}))
		return isNew
	}
	if got, want := give(rt), p.model.grant(g); got != want {
		rt.Fatalf("grant %s: new is %t, want %t", g.Fact, got, want)
	}
	p.past = append(p.past, func(rt *rapid.T) {
		if give(rt) {
			rt.Fatalf("%s was granted again", g.Fact)
		}
	})
}

func (p *player) doDeduct(rt *rapid.T, amount int64) {
	j := ledger.Adjustment{UserID: p.user, Fact: p.fact("ticket"), Amount: -amount, Description: "By hand"}
	deduct := func() (isNew bool, err error) {
		err = p.inTx(func(tx pgx.Tx) error {
			isNew, err = p.Adjust(context.Background(), tx, j)
			return err
		})
		return isNew, err
	}
	isNew, err := deduct()
	if ok := p.model.deduct(amount); ok != isNew || ok != (err == nil) {
		rt.Fatalf("deduct %d: %t, %v; want %t", amount, isNew, err, ok)
	}
	if isNew {
		p.past = append(p.past, func(rt *rapid.T) {
			if isNew, err := deduct(); isNew || err != nil {
				rt.Fatalf("deducted again: %t, %v", isNew, err)
			}
		})
	}
}

func (p *player) doClawback(rt *rapid.T) {
	g := rapid.SampledFrom(p.model.grants).Draw(rt, "grant")
	c := ledger.Clawback{Fact: p.fact("refund"), Grant: g.fact, Amount: rapid.Int64Range(1, 6000).Draw(rt, "refund"), Description: "Refund"}
	claw := func(rt *rapid.T) (got ledger.Clawed) {
		p.must(rt, p.inTx(func(tx pgx.Tx) (err error) {
			got, err = p.Clawback(context.Background(), tx, c)
			return err
		}))
		return got
	}
	first := claw(rt)
	if want := p.model.clawback(c); first != want {
		rt.Fatalf("clawback of %d from %+v: %+v, want %+v", c.Amount, g, first, want)
	}
	first.New = false
	p.claws = append(p.claws, c)
	p.past = append(p.past, func(rt *rapid.T) {
		want := first
		if p.void[c.Fact] {
			want = ledger.Clawed{}
		}
		if again := claw(rt); again != want {
			rt.Fatalf("clawed back again: %+v, first %+v", again, want)
		}
	})
}

// doRestore makes a clawback void that has come, or one that comes later.
func (p *player) doRestore(rt *rapid.T) {
	if len(p.claws) == 0 {
		return
	}
	c := rapid.SampledFrom(p.claws).Draw(rt, "clawback")
	if rapid.IntRange(0, 3).Draw(rt, "early") == 0 {
		c.Fact = p.fact("refund")
		p.past = append(p.past, func(rt *rapid.T) {
			p.must(rt, p.inTx(func(tx pgx.Tx) error {
				got, err := p.Clawback(context.Background(), tx, c)
				if got != (ledger.Clawed{}) {
					rt.Fatalf("what is void took %+v", got)
				}
				return err
			}))
		})
	}
	r := ledger.Restoration{Fact: c.Fact, Grant: c.Grant, Description: "Refund that failed"}
	restore := func(rt *rapid.T) (got ledger.Restored) {
		p.must(rt, p.inTx(func(tx pgx.Tx) (err error) {
			got, err = p.Restore(context.Background(), tx, r)
			return err
		}))
		return got
	}
	if p.void[r.Fact] {
		if again := restore(rt); again.New {
			rt.Fatalf("%s was restored again: %+v", r.Fact, again)
		}
		return
	}
	p.void[r.Fact] = true
	if got, want := restore(rt), p.model.restore(r, p.clock.Now()); got != want {
		rt.Fatalf("restoring %+v: %+v, want %+v", r, got, want)
	}
}

func (p *player) compare(rt *rapid.T) {
	got, _, err := p.Credits(context.Background(), p.user)
	if want := p.model.credits(); err != nil || got != want || got.Granted-got.Used-got.Held != got.Balance || got.Balance < 0 {
		rt.Fatalf("credits are %+v, %v; want %+v", got, err, want)
	}
	var balance, sum int64
	var count, keys int
	err = p.pool.QueryRow(context.Background(), `SELECT a.balance, sum(e.amount), count(*),
		(SELECT count(*) FROM credit_keys k WHERE k.user_id = a.user_id)
		FROM credit_accounts a JOIN credit_entries e USING (user_id) WHERE a.user_id = $1 GROUP BY a.user_id`, p.user).Scan(&balance, &sum, &count, &keys)
	if err != nil || balance != p.model.total || sum != p.model.total || count != p.model.count || keys != len(p.model.keys) {
		rt.Fatalf("balance %d, sum %d, %d entries, %d keys, %v; want %d, %d, %d", balance, sum, count, keys, err,
			p.model.total, p.model.count, len(p.model.keys))
	}
	p.addsUp(p.user)
	if p.t.Failed() {
		rt.Fatal("the account does not add up")
	}
}
