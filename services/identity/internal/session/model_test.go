package session_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"fledge.dev/services/identity/internal/handoff"
	"fledge.dev/services/identity/internal/session"
)

// modelDevice is what a browser or a Mac of one person should be.
type modelDevice struct {
	session.Session
	caller session.Caller
	cookie string // "" for a Mac
	alive  bool
}

// modelCode is a minted code and who holds it.
type modelCode struct {
	app
	code           string
	minter, device *modelDevice
	minted         time.Time
}

type model struct {
	*rig
	t       *rapid.T
	email   string
	devices []*modelDevice
	codes   []*modelCode
}

func (m *model) check(ok bool, err error, what string) {
	if ok != (err == nil) {
		m.t.Fatalf("%s: expected %v, got %v", what, ok, err)
	}
}

func (m *model) pick() *modelDevice {
	return m.devices[rapid.IntRange(0, len(m.devices)-1).Draw(m.t, "device")]
}

func (m *model) open(s session.Session, cookie string) *modelDevice {
	d := &modelDevice{Session: s, caller: m.caller(s), cookie: cookie, alive: true}
	m.devices = append(m.devices, d)
	return d
}

func (m *model) end(dead func(*modelDevice) bool) {
	for _, d := range m.devices {
		d.alive = d.alive && !dead(d)
	}
}

func (m *model) signIn() {
	cookie := m.rig.signIn(m.email)
	m.open(m.create(cookie), cookie)
}

// load is a page that asks who is signed in.
func (m *model) load() {
	d := m.pick()
	if d.cookie == "" {
		return
	}
	s, err := m.Create(context.Background(), d.cookie, session.Device{})
	m.check(d.alive, err, "loading a page")
	if d.alive && s.RefreshToken != d.RefreshToken {
		m.t.Fatal("a page got another token than the leaf")
	}
}

func (m *model) refresh() {
	d := m.pick()
	s, err := m.Refresh(context.Background(), d.RefreshToken)
	if m.check(d.alive, err, "refreshing"); d.alive {
		d.Session = s
	}
}

func (m *model) mint() {
	d, a := m.pick(), newApp()
	code, _, err := m.CreateCode(context.Background(), d.caller, callback, a.challenge)
	if m.check(d.alive && d.cookie != "", err, "minting a code"); err == nil {
		m.codes = append(m.codes, &modelCode{app: a, code: code, minter: d, minted: m.clock.Now()})
	}
}

func (m *model) trade() {
	if len(m.codes) == 0 {
		return
	}
	c := m.codes[rapid.IntRange(0, len(m.codes)-1).Draw(m.t, "code")]
	if rapid.Bool().Draw(m.t, "stranger") {
		_, err := m.exchange(c.code, newApp())
		m.check(false, err, "trading a code without its verifier")
		return
	}
	s, err := m.exchange(c.code, c.app)
	good := c.device == nil && c.minter.alive && m.clock.Now().Sub(c.minted) < handoff.Lifetime
	m.check(good, err, "trading a code")
	switch {
	case good:
		c.device = m.open(s, "")
	case c.device != nil:
		m.end(func(d *modelDevice) bool { return d == c.device })
	}
}

func (m *model) revoke() {
	by, target := m.pick(), m.pick()
	m.check(by.alive, m.RevokeDevice(context.Background(), by.caller, target.caller.Family), "revoking")
	if by.alive {
		m.end(func(d *modelDevice) bool { return d == target })
	}
}

func (m *model) signOut() {
	target := m.pick()
	m.check(true, m.SignOut(context.Background(), target.caller, target.cookie), "signing out")
	m.end(func(d *modelDevice) bool { return d == target })
}

func (m *model) signOutEverywhere() {
	m.check(true, m.SignOutEverywhere(context.Background(), m.pick().caller, ""), "signing out everywhere")
	m.end(func(*modelDevice) bool { return true })
	m.clock.Advance(time.Millisecond)
}

// agree compares the list that the person sees with the model's.
func (m *model) agree() {
	i := slices.IndexFunc(m.devices, func(d *modelDevice) bool { return d.alive })
	if i < 0 {
		return
	}
	families, err := m.Devices(context.Background(), m.devices[i].caller)
	m.check(true, err, "listing devices")
	var want []uuid.UUID
	for _, d := range m.devices {
		if d.alive {
			want = append(want, d.caller.Family)
		}
	}
	got := ids(families)
	order := func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) }
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if !slices.Equal(got, want) {
		m.t.Fatalf("%d devices are listed, %d live", len(got), len(want))
	}
}

// Whatever a person and their apps do in whatever order, exactly those devices
// live that should, each with one leaf, and nothing but sign-ins and good codes
// makes new ones.
func TestDeviceModel(t *testing.T) {
	r := newRig(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{rig: r, t: rt, email: uuid.NewString() + "@example.com"}
		m.signIn()
		steps := []func(){m.signIn, m.load, m.refresh, m.mint, m.trade, m.mint, m.trade, m.revoke, m.signOut, m.signOutEverywhere}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			r.clock.Advance(time.Duration(rapid.IntRange(0, 20).Draw(rt, "seconds")) * time.Second)
			steps[rapid.IntRange(0, len(steps)-1).Draw(rt, "step")]()
			m.agree()
		}
	})
}
