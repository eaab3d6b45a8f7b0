package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"fledge.dev/services/platform/fault"
	"fledge.dev/services/waitlist/internal/entry"
)

// model is the waitlist in its simplest form: states by address, and the versions of
// which people had an email.
type model struct {
	status  map[string]entry.Status
	emailed map[string][]int64
	ids     map[string]uuid.UUID
	moves   map[string]int64
}

func (m *model) join(address string) (isNew bool) {
	if m.status[address] != "" {
		return false
	}
	m.move(address, entry.Pending)
	return true
}

func (m *model) add(address string) {
	if m.status[address] == entry.Rejected {
		m.move(address, entry.Pending)
		return
	}
	m.join(address)
}

// approve and remove return the kind of fault, or "".
func (m *model) approve(address string) fault.Kind {
	switch m.status[address] {
	case "":
		return fault.NotFound
	case entry.Rejected:
		return fault.Conflict
	case entry.Pending:
		m.move(address, entry.Approved)
		m.emailed[address] = append(m.emailed[address], m.moves[address])
	}
	return ""
}

func (m *model) remove(address string) fault.Kind {
	switch m.status[address] {
	case "":
		return fault.NotFound
	case entry.Pending, entry.Approved:
		m.move(address, entry.Rejected)
	}
	return ""
}

func (m *model) move(address string, to entry.Status) {
	m.status[address] = to
	m.moves[address]++
}

// TestStoreBehavesLikeTheModel runs random commands against the database and
// the model, and compares every answer, state and email.
func TestStoreBehavesLikeTheModel(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	var run atomic.Int64
	rapid.Check(t, func(rt *rapid.T) {
		prefix := fmt.Sprintf("run%d", run.Add(1))
		m := &model{status: map[string]entry.Status{}, emailed: map[string][]int64{}, ids: map[string]uuid.UUID{}, moves: map[string]int64{}}
		ctx := context.Background()
		draw := func(rt *rapid.T) string {
			return fmt.Sprintf("%s-%s@example.com", prefix, rapid.SampledFrom([]string{"ada", "bob", "cyd"}).Draw(rt, "who"))
		}
		remember := func(address string) {
			if _, ok := m.ids[address]; !ok {
				m.ids[address] = f.find(address).ID
			}
		}
		id := func(address string) uuid.UUID {
			if known, ok := m.ids[address]; ok {
				return known
			}
			return uuid.New()
		}
		rt.Repeat(map[string]func(*rapid.T){
			"join": func(rt *rapid.T) {
				address := draw(rt)
				isNew, err := f.Join(ctx, email(t, address), entry.HeroSection)
				if want := m.join(address); err != nil || isNew != want {
					rt.Fatalf("Join(%s) = %t, %v; want %t", address, isNew, err, want)
				}
				remember(address)
			},
			"add": func(rt *rapid.T) {
				address := draw(rt)
				added, _, err := f.Add(f.staff(), email(t, address))
				m.add(address)
				if err != nil || added.Status != m.status[address] {
					rt.Fatalf("Add(%s) = %+v, %v; want %s", address, added, err, m.status[address])
				}
				remember(address)
			},
			"approve": func(rt *rapid.T) {
				address := draw(rt)
				got, _, err := f.Approve(f.staff(), id(address))
				compare(rt, "Approve "+address, got, err, m.approve(address), m.status[address])
			},
			"remove": func(rt *rapid.T) {
				address := draw(rt)
				got, _, err := f.Remove(f.staff(), id(address))
				compare(rt, "Remove "+address, got, err, m.remove(address), m.status[address])
			},
			"": func(rt *rapid.T) {
				for address, want := range m.status {
					if found, err := f.Status(ctx, uuid.New(), email(t, address)); err != nil || found.Status != want {
						rt.Fatalf("%s is %s, %v; want %s", address, found.Status, err, want)
					}
					if got := f.emailed(entry.Entry{ID: m.ids[address]}); !slices.Equal(got, m.emailed[address]) {
						rt.Fatalf("%s has emails %v, want %v", address, got, m.emailed[address])
					}
				}
			},
		})
	})
}

func compare(rt *rapid.T, what string, got entry.Entry, err error, wantKind fault.Kind, wantStatus entry.Status) {
	switch {
	case wantKind == "" && (err != nil || got.Status != wantStatus):
		rt.Fatalf("%s = %+v, %v; want %s", what, got, err, wantStatus)
	case wantKind != "" && !errors.Is(err, wantKind):
		rt.Fatalf("%s returned %v, want %s", what, err, wantKind)
	}
}
