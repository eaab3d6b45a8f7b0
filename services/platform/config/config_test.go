package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
)

type nested struct {
	Addr string `env:"ADDR" envDefault:"127.0.0.1:0"`
}

type settings struct {
	Nested nested        `envPrefix:"MAIL_"`
	Wait   time.Duration `env:"WAIT" envDefault:"3s"`
	Key    config.Secret `env:"KEY"`
}

func (s settings) Validate() error {
	if len(s.Key.Reveal()) < 4 {
		return errors.New("KEY: needs at least 4 characters")
	}
	return nil
}

func TestLoadTakesDefaultsValuesAndFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	errtest.None(t, os.WriteFile(file, []byte("hunter22\n"), 0o600))
	got, err := config.Load[settings]([]string{"KEY_FILE=" + file, "MAIL_ADDR=localhost:25"})
	errtest.None(t, err)
	if got.Nested.Addr != "localhost:25" || got.Wait != 3*time.Second || got.Key.Reveal() != "hunter22" {
		t.Fatalf("got %+v with key %q", got, got.Key.Reveal())
	}
}

func TestLoadNamesTheKeyThatIsWrong(t *testing.T) {
	for name, tc := range map[string]struct {
		environ []string
		want    string
	}{
		"not a duration":   {[]string{"KEY=long enough", "WAIT=soon"}, "Wait"},
		"fails validation": {[]string{"KEY=abc"}, "KEY"},
		"file is missing":  {[]string{"KEY_FILE=/does/not/exist"}, "KEY_FILE"},
		"value and file":   {[]string{"KEY=abcd", "KEY_FILE=/x"}, "both KEY and KEY_FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load[settings](tc.environ)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want it to name %q", err, tc.want)
			}
		})
	}
}

func TestSecretsNeverPrint(t *testing.T) {
	s := settings{Key: "hunter22"}
	var out bytes.Buffer
	errtest.None(t, config.Print(&out, s))
	asJSON, err := json.Marshal(s)
	errtest.None(t, err)
	for _, text := range []string{out.String(), string(asJSON), fmt.Sprintf("%v %+v %#v", s, s, s.Key)} {
		if strings.Contains(text, "hunter22") {
			t.Errorf("secret shown in %s", text)
		}
	}
	if !strings.Contains(out.String(), "MAIL_ADDR=") || !strings.Contains(out.String(), "KEY=[redacted]") {
		t.Errorf("got %s", out.String())
	}
}
