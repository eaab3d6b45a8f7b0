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
