package oauthclient_test

import (
	"errors"
	"strings"
	"testing"

	"fledge.dev/services/identity/internal/oauthclient"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
)

func TestAClientIsWhoKnowsOneOfItsSecrets(t *testing.T) {
	t.Parallel()
	first, word, err := oauthclient.New("builder")
	errtest.None(t, err)
	second, next, err := oauthclient.New("builder")
	errtest.None(t, err)
	other, others, err := oauthclient.New("another")
	errtest.None(t, err)
	clients, err := oauthclient.Parse(config.Secret(word + "\n" + next + " " + others))
	errtest.None(t, err)
	for _, secret := range []string{first, second} {
		if err := clients.Check("builder", secret); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct{ id, secret string }{
		{"builder", ""}, {"builder", other}, {"builder", first + "A"}, {"builder", strings.SplitN(word, ":", 2)[1]}, {"nobody", first}, {"", ""},
	} {
		if err := clients.Check(c.id, c.secret); !errors.Is(err, oauthclient.ErrRefused) {
			t.Errorf("%q with %q: %v", c.id, c.secret, err)
		}
	}
}

func TestOtherFormsAreRefused(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("ab", 32)
	for _, setting := range []string{"builder", "builder:", "builder:abc", "builder:" + hash + "00", "Builder:" + hash, ":" + hash, "7f0c1c2e-0f0e-4d5b-8f61-0d8f7f6c1a2b:" + hash} {
		if _, err := oauthclient.Parse(config.Secret(setting)); err == nil {
			t.Errorf("%q is taken", setting)
		}
	}
	if clients, err := oauthclient.Parse(""); err != nil || len(clients) != 0 {
		t.Errorf("%v, %v", clients, err)
	}
	if _, _, err := oauthclient.New("My server"); err == nil {
		t.Error("a client id with a space is taken")
	}
}
