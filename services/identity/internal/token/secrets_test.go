package token_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/token"
	"fledge.dev/services/platform/secrettoken"
)

func TestSecretsReadWhatTheyMadeBefore(t *testing.T) {
	old, current, foreign := []byte("the secret of last month"), []byte("the secret of this month"), []byte("another's secret")
	before, after := token.NewSecrets(old), token.NewSecrets(current, old)
	r := token.Refresh{Family: uuid.New(), Generation: 3}
	made := before.New(r)
	hash := secrettoken.Sum(made)
	if read, err := after.Parse(made); err != nil || read != r {
		t.Errorf("read %+v, %v", read, err)
	}
	if again, ok := after.Again(r, hash); !ok || again != made {
		t.Errorf("made %q again, not %q", again, made)
	}
	if fresh := after.New(r); fresh == made || fresh != token.NewSecrets(current).New(r) {
		t.Error("a new token is made under an old secret")
	}
	dropped := token.NewSecrets(current)
	if _, ok := dropped.Again(r, hash); ok {
		t.Error("made again under a secret that is gone")
	}
	for name, tc := range map[string]struct {
		secrets token.Secrets
		token   string
	}{
		"a dropped secret": {dropped, made}, "a foreign secret": {after, r.String(foreign)}, "no secrets": {token.Secrets{}, made},
		"no secrets, signed with nothing": {token.Secrets{}, r.String(nil)},
	} {
		if _, err := tc.secrets.Parse(tc.token); !errors.Is(err, token.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if bytes.Contains([]byte(made), hash) || len(hash) != 32 {
		t.Errorf("hash of %d bytes", len(hash))
	}
}
