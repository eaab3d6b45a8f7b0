package authn_test

import (
	"testing"

	"fledge.dev/services/platform/authntest"
)

// BenchmarkVerify checks an access token that was seen before, as nearly all are, and
// one that was not.
func BenchmarkVerify(b *testing.B) {
	issuer := authntest.New(b, nil)
	_, token := issuer.User("ada@example.test")
	b.Run("seen", func(b *testing.B) {
		verifier := issuer.Verifier()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := verifier.Verify(b.Context(), token); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("new", func(b *testing.B) {
		verifier := issuer.Verifier()
		tokens := make([]string, 1000)
		for i := range tokens {
			_, tokens[i] = issuer.User("ada@example.test")
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%len(tokens) == 0 {
				b.StopTimer()
				verifier = issuer.Verifier()
				b.StartTimer()
			}
			if _, err := verifier.Verify(b.Context(), tokens[i%len(tokens)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
