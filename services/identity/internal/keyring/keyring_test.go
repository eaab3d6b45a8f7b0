package keyring_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/identity/internal/keyring"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

func newEncryptionKey(t *testing.T) string {
	t.Helper()
	raw := make([]byte, keyring.EncryptionKeySize)
	if _, err := rand.Read(raw); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func newSealer(t *testing.T) *keyring.Sealer {
	t.Helper()
	return sealerOf(t, newEncryptionKey(t))
}

// sealerOf has a list of encryption keys, the newest first.
func sealerOf(t *testing.T, keys ...string) *keyring.Sealer {
	t.Helper()
	s, err := keyring.NewSealer(config.Secret(strings.Join(keys, ",")))
	errtest.None(t, err)
	return s
}

func newPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	return pgtest.Pool(t, "identity", store.Migrate)
}

func open(t *testing.T, pool *pgxpool.Pool, sealer *keyring.Sealer) (*keyring.Ring, error) {
	t.Helper()
	ring := keyring.New(store.New(pool, nil, 5*time.Second), sealer, clock.System())
	return ring, ring.Open(t.Context())
}

func TestReplicasThatStartTogetherShareTheirKeys(t *testing.T) {
	pool, sealer := newPool(t), newSealer(t)
	rings := make([]*keyring.Ring, 8)
	var wg sync.WaitGroup
	for i := range rings {
		wg.Go(func() {
			var err error
			if rings[i], err = open(t, pool, sealer); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	kid, key := rings[0].Signing()
	someone := token.Refresh{Family: uuid.New()}
	for _, r := range rings[1:] {
		otherKid, otherKey := r.Signing()
		if otherKid != kid || !otherKey.Equal(key) || r.RefreshSecrets().New(someone) != rings[0].RefreshSecrets().New(someone) {
			t.Fatal("two replicas made keys of their own")
		}
	}
	var set jose.JSONWebKeySet
	errtest.None(t, json.Unmarshal(rings[0].JWKS(), &set))
	if len(set.Keys) != 1 || set.Keys[0].KeyID != kid || !set.Keys[0].IsPublic() || !key.Public().(ed25519.PublicKey).Equal(set.Keys[0].Key) {
		t.Errorf("published %s", rings[0].JWKS())
	}
}

func TestNoKeyIsReadableInTheDatabase(t *testing.T) {
	pool, sealer := newPool(t), newSealer(t)
	if _, err := open(t, pool, sealer); err != nil {
		t.Fatal(err)
	}
	keys, err := store.New(pool, nil, 5*time.Second).Keys(t.Context())
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	for _, k := range keys {
		secret, err := sealer.Open(k)
		if err != nil || len(secret) != 32 {
			t.Fatalf("%d bytes, %v", len(secret), err)
		}
		var row string
		errtest.None(t, pool.QueryRow(t.Context(), "SELECT row_to_json(keys)::text FROM keys WHERE id = $1", k.ID).Scan(&row))
		for _, shown := range []string{hex.EncodeToString(secret), base64.StdEncoding.EncodeToString(secret), string(secret)} {
			if strings.Contains(row, shown) {
				t.Fatal("a key lies open in the database")
			}
		}
	}
}

func TestAnotherEncryptionKeyRefusesToStart(t *testing.T) {
	pool := newPool(t)
	if _, err := open(t, pool, newSealer(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, pool, newSealer(t)); err == nil || !strings.Contains(err.Error(), "KEY_ENCRYPTION_KEY") {
		t.Fatalf("got %v", err)
	}
}

// TestTheEncryptionKeyIsReplaced: two replicas that are restarted one after the other, from each setting to the next,
// go on with the same keys, and at the end the old one opens none.
func TestTheEncryptionKeyIsReplaced(t *testing.T) {
	pool, before, after := newPool(t), newEncryptionKey(t), newEncryptionKey(t)
	settings := []*keyring.Sealer{sealerOf(t, before), sealerOf(t, before, after), sealerOf(t, after, before), sealerOf(t, after)}
	other, err := open(t, pool, settings[0])
	errtest.None(t, err)
	kid, _ := other.Signing()
	for i, sealer := range settings[1:] {
		one, err := open(t, pool, sealer)
		if err != nil {
			t.Fatalf("the setting %d: %v", i+1, err)
		}
		if err := other.Open(t.Context()); err != nil {
			t.Errorf("a replica with the setting %d beside the next: %v", i, err)
		}
		if got, _ := one.Signing(); got != kid {
			t.Errorf("the setting %d made another key", i+1)
		}
		if other, err = open(t, pool, sealer); err != nil {
			t.Fatal(err)
		}
	}
	keys, err := store.New(pool, nil, 5*time.Second).Keys(t.Context())
	if err != nil || len(keys) != 2 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	for _, k := range keys {
		if _, err := settings[0].Open(k); err == nil {
			t.Error("the old encryption key still opens a key")
		}
	}
}

// TestAReplicaWithTheOldEncryptionKeyAlone, which nobody was to leave when another seals under a new one: it goes on with the keys
// that it has opened, says what is missing, and opens them again once it has both.
func TestAReplicaWithTheOldEncryptionKeyAlone(t *testing.T) {
	pool, before, after := newPool(t), newEncryptionKey(t), newEncryptionKey(t)
	left, err := open(t, pool, sealerOf(t, before))
	errtest.None(t, err)
	kid, _ := left.Signing()
	// As people write lists: a Secret's value has line breaks, and blanks beside the commas.
	ahead, err := keyring.NewSealer(config.Secret("\n" + after + " ,\n\t" + before + ",\n"))
	errtest.None(t, err)
	one, err := open(t, pool, ahead)
	errtest.None(t, err)
	if err := left.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "KEY_ENCRYPTION_KEY") {
		t.Errorf("the replica that was left reloads: %v", err)
	}
	if got, _ := left.Signing(); got != kid || string(left.JWKS()) != string(one.JWKS()) {
		t.Errorf("it signs with %s, and published %s", got, left.JWKS())
	}
	if _, err := open(t, pool, sealerOf(t, before)); err == nil {
		t.Error("it starts again without the new key")
	}
	if again, err := open(t, pool, sealerOf(t, before, after)); err != nil || string(again.JWKS()) != string(one.JWKS()) {
		t.Errorf("with both: %v", err)
	}
}

func TestReloadingWritesNothing(t *testing.T) {
	pool := newPool(t)
	ring, err := open(t, pool, sealerOf(t, newEncryptionKey(t), newEncryptionKey(t)))
	errtest.None(t, err)
	versions := func() (all string) {
		errtest.None(t, pool.QueryRow(t.Context(), "SELECT string_agg(xmin::text, ' ' ORDER BY id) FROM keys").Scan(&all))
		return all
	}
	before := versions()
	if err := ring.Open(t.Context()); err != nil || versions() != before {
		t.Errorf("rows %s, before %s: %v", versions(), before, err)
	}
}

func TestSealedKeysCannotBeSwapped(t *testing.T) {
	pool, sealer := newPool(t), newSealer(t)
	if _, err := open(t, pool, sealer); err != nil {
		t.Fatal(err)
	}
	swap := `UPDATE keys k SET sealed = o.sealed FROM keys o WHERE o.id <> k.id`
	if _, err := pool.Exec(t.Context(), swap); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, pool, sealer); err == nil {
		t.Fatal("a key opened in another's place")
	}
}

func TestEncryptionKeyMustBeStrong(t *testing.T) {
	for _, bad := range []config.Secret{"", ",", "changeme", config.Secret(newEncryptionKey(t) + ",changeme"), config.Secret(base64.StdEncoding.EncodeToString(make([]byte, 16)))} {
		if _, err := keyring.NewSealer(bad); err == nil {
			t.Errorf("accepted %d characters", len(bad))
		}
	}
}
