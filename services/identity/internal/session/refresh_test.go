package session_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/secrettoken"
)

func TestRefreshRotates(t *testing.T) {
	r := newRig(t)
	first := r.create(r.signIn("ann@example.com"))
	r.clock.Advance(time.Minute)
	second := r.refresh(first.RefreshToken)
	if second.RefreshToken == first.RefreshToken || second.AccessToken == first.AccessToken {
		t.Error("the same tokens again")
	}
	if second.User.Email != "ann@example.com" || r.verify(second.AccessToken).SessionID != r.verify(first.AccessToken).SessionID {
		t.Error("the child belongs to somebody or something else")
	}
}

func TestSimultaneousRefreshesGetTheSameChild(t *testing.T) {
	r := newRig(t)
	parent := r.create(r.signIn("ann@example.com")).RefreshToken
	children := make([]string, 20)
	var wg sync.WaitGroup
	for i := range children {
		wg.Go(func() {
			s, err := r.Refresh(context.Background(), parent)
			if err != nil {
				t.Error(err)
			}
			children[i] = s.RefreshToken
		})
	}
	wg.Wait()
	for _, c := range children {
		if c != children[0] {
			t.Fatal("two children of one parent")
		}
	}
	r.refresh(children[0])
}

func TestReuseRevokesTheFamily(t *testing.T) {
	for name, misuse := range map[string]func(r *rig, grandparent, parent string) string{
		"parent after the grace": func(r *rig, _, parent string) string {
			r.clock.Advance(session.Grace + time.Second)
			return parent
		},
		"grandparent within the grace": func(_ *rig, grandparent, _ string) string { return grandparent },
		"grandparent after the grace": func(r *rig, grandparent, _ string) string {
			r.clock.Advance(session.Grace + time.Second)
			return grandparent
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			cookie := r.signIn("ann@example.com")
			grandparent := r.create(cookie).RefreshToken
			parent := r.refresh(grandparent).RefreshToken
			leaf := r.refresh(parent).RefreshToken
			_, err := r.Refresh(t.Context(), misuse(r, grandparent, parent))
			r.refused(err, fault.Unauthenticated)
			_, err = r.Refresh(t.Context(), leaf)
			r.refused(err, fault.Unauthenticated)
			// The cookie was not stolen with the token: its owner goes on, in a new family.
			if again := r.create(cookie); again.RefreshToken == leaf {
				t.Error("the revoked family came back")
			}
		})
	}
}

func TestParentWorksToTheEndOfTheGrace(t *testing.T) {
	r := newRig(t)
	parent := r.create(r.signIn("ann@example.com")).RefreshToken
	child := r.refresh(parent).RefreshToken
	r.clock.Advance(session.Grace)
	if again := r.refresh(parent).RefreshToken; again != child {
		t.Error("a late parent did not get the same child")
	}
}

func TestForeignTokensDoNoHarm(t *testing.T) {
	r := newRig(t)
	leaf := r.create(r.signIn("ann@example.com")).RefreshToken
	secrets := r.ring.RefreshSecrets()
	read, err := secrets.Parse(leaf)
	errtest.None(t, err)
	for name, foreign := range map[string]string{
		"garbage": "x", "truncated": leaf[:len(leaf)-1],
		"unknown family":    secrets.New(token.Refresh{Family: uuid.New()}),
		"made by another":   token.Refresh{Family: read.Family, Generation: 0}.String([]byte("another secret")),
		"access as refresh": r.create(r.signIn("bob@example.com")).AccessToken,
	} {
		if _, err := r.Refresh(t.Context(), foreign); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	r.refresh(leaf)
}

// TestADatabaseThatHasGoneBackSignsNobodyOut: a replica that was behind took over, or a backup. The device has what was lost.
func TestADatabaseThatHasGoneBackSignsNobodyOut(t *testing.T) {
	r := newRig(t)
	first := r.create(r.signIn("ann@example.com")).RefreshToken
	held := r.refresh(r.refresh(first).RefreshToken).RefreshToken
	_, err := r.pool.Exec(t.Context(), "UPDATE session_families SET generation = 0, leaf_hash = $1, rotated_at = created_at", secrettoken.Sum(first))
	errtest.None(t, err)
	next := r.refresh(held).RefreshToken
	if again := r.refresh(held).RefreshToken; again != next {
		t.Error("a repeated refresh got another token")
	}
	last := r.refresh(next).RefreshToken
	_, err = r.Refresh(t.Context(), first)
	r.refused(err, fault.Unauthenticated)
	_, err = r.Refresh(t.Context(), last)
	r.refused(err, fault.Unauthenticated) // the spent one was noticed
}

func TestFamilyEndsAfterThirtyDays(t *testing.T) {
	r := newRig(t)
	s := r.create(r.signIn("ann@example.com"))
	for range 29 {
		r.clock.Advance(24 * time.Hour)
		s = r.refresh(s.RefreshToken)
	}
	r.clock.Advance(24 * time.Hour)
	_, err := r.Refresh(t.Context(), s.RefreshToken)
	r.refused(err, fault.Unauthenticated)
}

// TestAClockThatJumpsMakesNothingThatLasts: what was issued ahead of time or behind it
// ends with everything else of its sign-in.
func TestAClockThatJumpsMakesNothingThatLasts(t *testing.T) {
	for _, jump := range []time.Duration{11 * time.Minute, -11 * time.Minute} {
		r := newRig(t)
		first := r.create(r.signIn("ann@example.com"))
		r.clock.Advance(jump)
		second := r.refresh(first.RefreshToken)
		r.clock.Advance(-jump)
		if _, err := r.verifier().Verify(t.Context(), second.AccessToken); err == nil {
			t.Errorf("clock %v: who has the right time takes the token", jump)
		}
		third := r.refresh(second.RefreshToken)
		r.verify(third.AccessToken)
		r.clock.Advance(11 * time.Minute)
		if _, err := r.verifier().Verify(t.Context(), third.AccessToken); err == nil {
			t.Errorf("clock %v: a token lasts longer than others", jump)
		}
		r.clock.Advance(30 * 24 * time.Hour)
		_, err := r.Refresh(t.Context(), third.RefreshToken)
		r.refused(err, fault.Unauthenticated)
	}
}

// Whatever is presented in whatever order, a family has one live leaf or none,
// and nobody who holds the leaf or its fresh parent is locked out.
func TestRefreshModel(t *testing.T) {
	r := newRig(t)
	rapid.Check(t, func(rt *rapid.T) {
		issued := []string{r.create(r.signIn("ann@example.com")).RefreshToken}
		rotated, dead := r.clock.Now(), false
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			r.clock.Advance(time.Duration(rapid.IntRange(0, 15).Draw(rt, "seconds")) * time.Second)
			i := rapid.IntRange(0, len(issued)-1).Draw(rt, "token")
			s, err := r.Refresh(context.Background(), issued[i])
			leaf := len(issued) - 1
			switch {
			case dead:
				if err == nil {
					rt.Fatal("a dead family lives")
				}
			case i == leaf:
				if err != nil {
					rt.Fatalf("the leaf was refused: %v", err)
				}
				issued, rotated = append(issued, s.RefreshToken), r.clock.Now()
			case i == leaf-1 && r.clock.Now().Sub(rotated) <= session.Grace:
				if err != nil || s.RefreshToken != issued[leaf] {
					rt.Fatalf("the fresh parent did not get its child again: %v", err)
				}
			default:
				if err == nil {
					rt.Fatal("a spent token worked")
				}
				dead = true
			}
		}
	})
}
