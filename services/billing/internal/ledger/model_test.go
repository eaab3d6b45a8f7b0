package ledger_test

import (
	"slices"
	"time"

	"fledge.dev/services/billing/internal/ledger"
)

// model is one account as the README tells it, kept in memory and by other means
// than the database's.
type model struct {
	grants []*mGrant
	holds  []*mHold
	keys   map[string]bool
	// total is the sum of all entries, count how many there are.
	total int64
	count int
}

type mGrant struct {
	fact       string
	series     string
	replaces   bool
	amount     int64
	start, end time.Time
	expires    time.Time

	left, held, withdrawn, owed int64
	ended                       bool

	// asked is by fact what clawbacks that are not void ask for; staff is what was
	// taken by hand.
	asked map[string]int64
	staff int64
}

// target is what is withdrawn or owed.
func (g *mGrant) target() int64 {
	sum := g.staff
	for _, asked := range g.asked {
		sum += asked
	}
	return min(g.amount, sum)
}

type mPart struct {
	grant  *mGrant
	amount int64
}

type mHold struct {
	held    ledger.Held
	amount  int64
	parts   []mPart
	expires time.Time
	state   string // "", "settled", "expired"
	cost    int64
}

func (m *model) entry(amount int64) {
	if amount != 0 {
		m.total += amount
		m.count++
	}
}

// pass lets end what has ended at now: holds first, in the order in which they end.
func (m *model) pass(now time.Time) {
	ending := slices.SortedStableFunc(slices.Values(m.holds), func(a, b *mHold) int { return a.expires.Compare(b.expires) })
	for _, h := range ending {
		if h.state == "" && !h.expires.After(now) {
			m.close(h, 0, "expired")
		}
	}
	for _, g := range m.grants {
		if !g.ended && !g.expires.After(now) {
			m.end(g)
		}
	}
}

func (m *model) end(g *mGrant) {
	m.entry(g.held - g.left)
	g.left, g.ended = g.held, true
}

func (m *model) close(h *mHold, cost int64, state string) {
	h.state, h.cost = state, cost
	m.entry(-cost)
	for _, p := range h.parts {
		spent := min(cost, p.amount)
		cost -= spent
		back := p.amount - spent
		clawed := min(back, p.grant.owed)
		p.grant.owed -= clawed
		p.grant.withdrawn += clawed
		p.grant.held -= p.amount
		p.grant.left -= spent + clawed
		m.entry(-clawed)
		if p.grant.ended {
			p.grant.left -= back - clawed
			m.entry(clawed - back)
		}
	}
}

func (m *model) open() (list []*mGrant) {
	for _, g := range m.grants {
		if !g.ended {
			list = append(list, g)
		}
	}
	slices.SortStableFunc(list, func(a, b *mGrant) int { return a.expires.Compare(b.expires) })
	return list
}

func (m *model) credits() (c ledger.Credits) {
	for _, g := range m.open() {
		c.Granted += g.amount - g.withdrawn
		c.Used += g.amount - g.withdrawn - g.left
		c.Held += g.held
		c.Balance += g.left - g.held
		if c.PeriodEnd.IsZero() || g.end.Before(c.PeriodEnd) {
			c.PeriodEnd = g.end
		}
	}
	return c
}

// burn finds where an amount comes from; ok is false when there is not enough.
func (m *model) burn(amount int64) (parts []mPart, ok bool) {
	if amount > m.credits().Balance {
		return nil, false
	}
	for _, g := range m.open() {
		if part := min(amount, g.left-g.held); part > 0 {
			parts = append(parts, mPart{g, part})
			amount -= part
		}
	}
	return parts, true
}

func (m *model) spend(amount int64) (ok bool) {
	parts, ok := m.burn(amount)
	for _, p := range parts {
		p.grant.left -= p.amount
	}
	if ok {
		m.entry(-amount)
	}
	return ok
}

func (m *model) deduct(amount int64) (ok bool) {
	parts, ok := m.burn(amount)
	for _, p := range parts {
		p.grant.left -= p.amount
		p.grant.withdrawn += p.amount
		p.grant.staff += p.amount
	}
	if ok {
		m.entry(-amount)
	}
	return ok
}

func (m *model) hold(amount int64, expires time.Time) (h *mHold, ok bool) {
	parts, ok := m.burn(amount)
	if !ok {
		return nil, false
	}
	for _, p := range parts {
		p.grant.held += p.amount
	}
	h = &mHold{amount: amount, parts: parts, expires: expires}
	m.holds = append(m.holds, h)
	return h, true
}

func (m *model) find(fact string) *mGrant {
	for _, g := range m.grants {
		if g.fact == fact {
			return g
		}
	}
	return nil
}

func (m *model) grant(g ledger.Grant) (isNew bool) {
	if m.find(g.Fact) != nil {
		return false
	}
	expires := g.ExpiresAt
	if expires.IsZero() {
		expires = g.PeriodEnd.Add(72 * time.Hour)
	}
	m.grants = append(m.grants, &mGrant{
		asked: map[string]int64{}, fact: g.Fact, series: g.Series, replaces: g.Replaces, amount: g.Amount, left: g.Amount, start: g.PeriodStart, end: g.PeriodEnd, expires: expires,
	})
	m.entry(g.Amount)
	var newest time.Time
	for _, other := range m.grants {
		if other.series == g.Series && other.replaces && other.start.After(newest) {
			newest = other.start
		}
	}
	for _, other := range m.grants {
		if g.Series != "" && other.replaces && other.series == g.Series && !other.ended && other.start.Before(newest) {
			m.end(other)
		}
	}
	return true
}

func (m *model) clawback(c ledger.Clawback) ledger.Clawed {
	g := m.find(c.Grant)
	g.asked[c.Fact] = c.Amount
	wanted := g.target() - g.withdrawn - g.owed
	taken := min(wanted, g.left-g.held)
	g.left -= taken
	g.withdrawn += taken
	g.owed += wanted - taken
	m.entry(-taken)
	return ledger.Clawed{New: true, Taken: taken, Missing: wanted - taken}
}

// restore makes a clawback void, whether or not it has come.
func (m *model) restore(r ledger.Restoration, now time.Time) ledger.Restored {
	g := m.find(r.Grant)
	delete(g.asked, r.Fact)
	less := g.withdrawn + g.owed - g.target()
	forgiven := min(less, g.owed)
	back := less - forgiven
	g.owed -= forgiven
	g.withdrawn -= back
	switch {
	case back == 0:
	case g.ended:
		end := now.Add(g.end.Sub(g.start))
		m.grant(ledger.Grant{Fact: r.Fact + "/back", Amount: back, PeriodStart: now, PeriodEnd: end, ExpiresAt: end})
	default:
		g.left += back
		m.entry(back)
	}
	return ledger.Restored{New: true, Given: back}
}
