package config_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"fledge.dev/services/platform/config"
)

// FuzzLoad: a setting arrives as it was written, and no message repeats a secret.
func FuzzLoad(f *testing.F) {
	for _, seed := range [][3]string{
		{"hunter22", "3s", "localhost:25"}, {"abc", "3s", ""}, {"long enough", "soon", "x"}, {"${HOME}", "-1h", "$x"}, {"a=b=c", "9999999h", "\x00"}, {"k\ney!", "1e3s", "%s%n"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, key, wait, addr string) {
		got, err := config.Load[settings]([]string{"KEY=" + key, "WAIT=" + wait, "MAIL_ADDR=" + addr, "UNKNOWN=x", "no equals sign"})
		if err != nil {
			if len(key) > 8 && strings.Contains(err.Error(), key) && !strings.Contains(wait, key) {
				t.Fatalf("the error tells the secret: %v", err)
			}
			return
		}
		if got.Key.Reveal() != key || addr != "" && got.Nested.Addr != addr || len(key) < 4 {
			t.Fatalf("%q and %q became %q and %q", key, addr, got.Key.Reveal(), got.Nested.Addr)
		}
	})
}

// FuzzSecret: whatever a format says, a secret does not print. For %p and %w fmt asks no
// value how it wants to be shown; `go vet` refuses both for a text.
func FuzzSecret(f *testing.F) {
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%c", "%U", "%e", "%10.3s", "%-20v|", "% x", "%!", "%[1]*v", "%T"} {
		f.Add(format)
	}
	const value = "hunter2-correct-horse"
	f.Fuzz(func(t *testing.T, format string) {
		if len(format) > 40 || strings.ContainsAny(format, "pw") {
			return // nor are widths of a million what this is about
		}
		for _, carrier := range []any{config.Secret(value), settings{Key: value}, &settings{Key: value}, []config.Secret{value}, map[string]config.Secret{"a": value}} {
			text := fmt.Sprintf(format, carrier)
			if strings.Contains(text, "hunter2") || strings.Contains(strings.ToLower(text), fmt.Sprintf("%x", "hunter2")) {
				t.Fatalf("%q prints %s", format, text)
			}
		}
		var log strings.Builder
		slog.New(slog.NewTextHandler(&log, nil)).Info(format, "secret", config.Secret(value), "all", settings{Key: value})
		if strings.Contains(log.String(), "hunter2") {
			t.Fatalf("logged: %s", log.String())
		}
	})
}
