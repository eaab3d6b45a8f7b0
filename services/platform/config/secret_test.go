package config_test

import (
	"bytes"
	"testing"

	"fledge.dev/services/platform/config"
)

func TestSecretsHaveCommasBetween(t *testing.T) {
	for list, want := range map[config.Secret]string{
		"": "", " ,, ": "", "one": "one", "one,two": "one|two", " one ,\ttwo\n,": "one|two",
	} {
		if got := bytes.Join(list.Split(), []byte("|")); string(got) != want {
			t.Errorf("%q is %q, want %q", list.Reveal(), got, want)
		}
	}
}

func TestAListOfSecretsWhileOneIsReplaced(t *testing.T) {
	list := config.Secret("new-secret, old-secret")
	for given, want := range map[string]bool{
		"new-secret": true, "old-secret": true, "": false, "new-secret, old-secret": false, "new-secre": false, ",": false, " old-secret": false,
	} {
		if list.Has(given) != want {
			t.Errorf("%q: %v", given, !want)
		}
	}
	if none := config.Secret(" , "); none.Has("") || none.First() != "" || !none.Shorter(1) {
		t.Error("a list of nothing has a secret")
	}
	if list.First() != "new-secret" || list.Shorter(10) || !list.Shorter(11) || !config.Secret("long-enough,short").Shorter(10) {
		t.Error("the first secret, or the shortest, is another one")
	}
}
