package keyring_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/secrettoken"
)

const origin = "http://localhost:8080"

// replicas share a database and a clock.
type replicas struct {
	t      *testing.T
	pool   *pgxpool.Pool
	sealer *keyring.Sealer
	clock  *clock.Fake
	every  time.Duration
	rings  []*keyring.Ring
}

func newReplicas(t *testing.T, number int, every time.Duration) *replicas {
	t.Helper()
	r := &replicas{t: t, pool: newPool(t), sealer: newSealer(t), every: every, clock: clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	for range number {
		r.add()
	}
	return r
}

// add starts one more.
func (r *replicas) add() *keyring.Ring {
	r.t.Helper()
	ring := keyring.New(store.New(r.pool, nil, 5*time.Second), r.sealer, r.clock).Scheduled(keyring.Config{RotationInterval: r.every})
	errtest.None(r.t, ring.Open(r.t.Context()))
	r.rings = append(r.rings, ring)
	return ring
}

// pass lets time go by, with all the reloads that fall into it and one at its end.
func (r *replicas) pass(d time.Duration) {
	r.t.Helper()
	for ; d > 0; d -= keyring.ReloadInterval {
		r.clock.Advance(min(keyring.ReloadInterval, d))
		r.reload()
	}
	r.reload()
}

func (r *replicas) reload() {
	r.t.Helper()
	for _, ring := range r.rings {
		errtest.None(r.t, ring.Open(r.t.Context()))
	}
}

func (r *replicas) count(state keyring.State) int {
	r.t.Helper()
	return pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM keys WHERE purpose = 'access_token' AND state = $1`, string(state))
}

func published(t *testing.T, ring *keyring.Ring) (kids []string) {
	t.Helper()
	var set jose.JSONWebKeySet
	errtest.None(t, json.Unmarshal(ring.JWKS(), &set))
	for _, k := range set.Keys {
		kids = append(kids, k.KeyID)
	}
	return kids
}

func (r *replicas) mint(signer token.Signer) string {
	r.t.Helper()
	now := r.clock.Now()
	access, _, err := token.Access(signer, origin, token.Subject{UserID: uuid.New(), Email: "ann@example.com", SessionID: uuid.New()}, now, now.Add(time.Hour))
	errtest.None(r.t, err)
	return access
}

// httpCache holds an answer for as long as its max-age allows, whoever asks.
type httpCache struct {
	ring    *keyring.Ring
	held    []byte
	until   time.Time
	fetches int
}

func (c *httpCache) expire(now time.Time) {
	if !now.Before(c.until) {
		c.held, c.until = c.ring.JWKS(), now.Add(authn.KeysFresh)
	}
}

// JWKS is an authn.KeySource.
func (c *httpCache) JWKS(context.Context) ([]byte, error) {
	c.fetches++
	return c.held, nil
}

// leaked signs with a key from long ago.
type leaked struct {
	kid string
	key ed25519.PrivateKey
}

func (l leaked) Signing() (string, ed25519.PrivateKey) { return l.kid, l.key }

// waiting is a token that is shown to both verifiers when it is that old.
type waiting struct {
	token string
	due   time.Time
}

// TestTenRotationsRefuseNobody: two replicas sign in turn, two verifiers with
// caches of ten minutes ask one replica each, and every token is good until its
// last second.
func TestTenRotationsRefuseNobody(t *testing.T) {
	r := newReplicas(t, 2, 67*time.Minute)
	var caches []*httpCache
	var verifiers []*authn.Verifier
	for i, ring := range r.rings {
		// What the verifiers get is nearly ten minutes old, and fresh, at times.
		c := &httpCache{ring: ring, held: ring.JWKS(), until: r.clock.Now().Add(time.Duration(i*8+1) * time.Minute)}
		caches = append(caches, c)
		verifiers = append(verifiers, authn.NewVerifier(origin, authn.NewKeys(c.JWKS, r.clock), r.clock))
	}
	first := leaked{}
	first.kid, first.key = r.rings[0].Signing()
	kids := map[string]bool{}
	var outstanding []waiting
	verified := 0
	for step := 0; len(kids) <= 10; step++ {
		if step > 14*120 {
			t.Fatalf("%d rotations in fourteen hours", len(kids)-1)
		}
		for _, c := range caches {
			c.expire(r.clock.Now())
		}
		signer := r.rings[step%2]
		kid, _ := signer.Signing()
		kids[kid] = true
		for _, age := range []time.Duration{0, 5 * time.Minute, token.AccessLifetime - time.Second} {
			outstanding = append(outstanding, waiting{r.mint(signer), r.clock.Now().Add(age)})
		}
		outstanding = slices.DeleteFunc(outstanding, func(w waiting) bool {
			if r.clock.Now().Before(w.due.Add(-keyring.ReloadInterval)) {
				return false
			}
			for i, verifier := range verifiers {
				if _, err := verifier.Verify(t.Context(), w.token); err != nil {
					t.Fatalf("step %d, verifier %d refuses a good token: %v", step, i, err)
				}
				verified++
			}
			return true
		})
		r.pass(keyring.ReloadInterval)
	}
	for i, verifier := range verifiers {
		if _, err := verifier.Verify(t.Context(), r.mint(first)); err == nil {
			t.Errorf("verifier %d takes the first key still", i)
		}
	}
	if n := r.count(keyring.Retired); n > 1 {
		t.Errorf("%d retired keys are kept", n)
	}
	t.Logf("%d tokens verified, %d and %d fetches", verified, caches[0].fetches, caches[1].fetches)
}

func TestAKeyIsPublishedBeforeAndAfterItSigns(t *testing.T) {
	const every = 30 * 24 * time.Hour
	r := newReplicas(t, 1, every)
	ring := r.rings[0]
	old, _ := ring.Signing()
	r.clock.Advance(every - keyring.Lead - keyring.ReloadInterval)
	r.reload()
	if kids := published(t, ring); len(kids) != 1 {
		t.Fatalf("published %v before it is time", kids)
	}
	r.pass(keyring.ReloadInterval)
	kids := published(t, ring)
	if kid, _ := ring.Signing(); len(kids) != 2 || kid != old {
		t.Fatalf("published %v, signs with %s: want a next key beside %s", kids, kid, old)
	}
	r.pass(keyring.Lead - keyring.ReloadInterval)
	if kid, _ := ring.Signing(); kid != old {
		t.Fatal("the next key signs too early")
	}
	r.pass(keyring.ReloadInterval)
	kid, _ := ring.Signing()
	if kid == old || !slices.Contains(kids, kid) || len(published(t, ring)) != 2 {
		t.Fatalf("signs with %s, published %v: want the next key, beside the old one", kid, published(t, ring))
	}
	r.pass(keyring.KeptAccess - keyring.ReloadInterval)
	if !slices.Contains(published(t, ring), old) {
		t.Fatal("the retired key is gone too early")
	}
	r.pass(keyring.ReloadInterval)
	if kids := published(t, ring); len(kids) != 1 || kids[0] != kid || r.count(keyring.Retired) != 0 {
		t.Fatalf("published %v after the overlap, want %s alone", kids, kid)
	}
}

// The overlap must hold whatever the numbers become.
func TestOverlapCoversEveryCache(t *testing.T) {
	if keyring.Lead <= 2*authn.KeysFresh+keyring.ReloadInterval {
		t.Errorf("a key signs %s after it was published", keyring.Lead)
	}
	if keyring.KeptAccess <= token.AccessLifetime+authn.Leeway+keyring.ReloadInterval {
		t.Errorf("a retired key is dropped after %s", keyring.KeptAccess)
	}
	if keyring.KeptRefresh <= token.RefreshLifetime {
		t.Errorf("a retired secret is dropped after %s", keyring.KeptRefresh)
	}
}

func TestNothingRotatesWithoutASchedule(t *testing.T) {
	r := newReplicas(t, 1, 0)
	before, _ := r.rings[0].Signing()
	r.clock.Advance(400 * 24 * time.Hour)
	r.pass(keyring.ReloadInterval)
	if kid, _ := r.rings[0].Signing(); kid != before || len(published(t, r.rings[0])) != 1 {
		t.Error("a key rotated by itself")
	}
}

// TestAReplicaThatWasAwayPublishesFirst: while no replica ran nobody could ask
// for the next key, however old it is.
func TestAReplicaThatWasAwayPublishesFirst(t *testing.T) {
	r := newReplicas(t, 1, time.Hour)
	r.pass(time.Hour - keyring.Lead)
	old, _ := r.rings[0].Signing()
	if r.count(keyring.Next) != 1 {
		t.Fatal("no next key")
	}
	r.rings = nil
	r.clock.Advance(24 * time.Hour)
	back := r.add()
	if kid, _ := back.Signing(); kid != old {
		t.Fatal("it signs at once with a key that nobody knows")
	}
	r.pass(keyring.Lead)
	if kid, _ := back.Signing(); kid == old {
		t.Error("the next key never signs")
	}
}

func TestReplicasAgreeWhenTheyRotateTogether(t *testing.T) {
	r := newReplicas(t, 8, time.Hour)
	for range 3 {
		r.clock.Advance(keyring.Lead)
		var all sync.WaitGroup
		for _, ring := range r.rings {
			all.Go(func() {
				if err := ring.Open(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		r.reload()
		if next, active := r.count(keyring.Next), r.count(keyring.Active); next > 1 || active != 1 {
			t.Fatalf("%d next and %d active keys", next, active)
		}
	}
	r.pass(keyring.ReloadInterval)
	kid, _ := r.rings[0].Signing()
	for _, ring := range r.rings {
		if other, _ := ring.Signing(); other != kid || string(ring.JWKS()) != string(r.rings[0].JWKS()) {
			t.Error("two replicas disagree")
		}
	}
}

// TestUseDuringReloads is for the race detector.
func TestUseDuringReloads(t *testing.T) {
	r := newReplicas(t, 1, time.Hour)
	ring := r.rings[0]
	ctx, stop := context.WithCancel(t.Context())
	var users sync.WaitGroup
	for range 2 {
		users.Go(func() {
			for ctx.Err() == nil {
				kid, key := ring.Signing()
				secrets, family := ring.RefreshSecrets(), token.Refresh{Family: uuid.New()}
				if _, ok := secrets.Again(family, secrettoken.Sum(secrets.New(family))); !ok || kid == "" || len(key) == 0 || len(ring.JWKS()) == 0 {
					t.Error("half a ring")
				}
			}
		})
	}
	for range 20 {
		if err := r.operator(r.sealer).Replace(t.Context(), keyring.Purposes()...); err != nil {
			t.Error(err)
		}
		r.reload()
	}
	stop()
	users.Wait()
}
