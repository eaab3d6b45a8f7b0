package invitation_test

import (
	"bytes"
	"strings"
	"testing"

	"fledge.dev/services/waitlist/internal/invitation"
)

func TestATokenIsFoundByItsHash(t *testing.T) {
	token, hash, err := invitation.New()
	if err != nil {
		t.Fatal(err)
	}
	if found, ok := invitation.Hash(token); !ok || !bytes.Equal(found, hash) || bytes.Contains(hash, []byte(token)) {
		t.Errorf("%s has the hash %x, found by %x, %t", token, hash, found, ok)
	}
	other, _, err := invitation.New()
	if err != nil || other == token {
		t.Errorf("two tokens are %s and %s, %v", token, other, err)
	}
	for _, wrong := range []string{"", "x", token[1:], token + "A", token[:42] + "\n" + token[42:], token[:42] + "=", strings.Repeat("/", 43)} {
		if _, ok := invitation.Hash(wrong); ok {
			t.Errorf("%q passes for a token", wrong)
		}
	}
}
