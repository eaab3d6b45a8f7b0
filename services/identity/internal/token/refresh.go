package token

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"
)

// RefreshLifetime is how long a line of refresh tokens lives at most, however
// often it is refreshed, and with it the longest use of the secret that its
// tokens were made under.
const RefreshLifetime = 30 * 24 * time.Hour

// A refresh token is "fledge_rt_" and the base64url of family (16 bytes),
// generation (8 bytes, big endian) and HMAC-SHA256 of both under the server's
// secret. Whoever has no token cannot make one, forgeries are told without the
// database, and any token of a family can be made again, which is what lets two
// tabs that refresh at once get the same answer.
const (
	refreshPrefix = "fledge_rt_"
	bodySize      = 16 + 8
	refreshSize   = bodySize + sha256.Size
)

// ErrMalformed is returned for everything that this service never issued.
var ErrMalformed = errors.New("token: not a refresh token of ours")

// Refresh is a refresh token taken apart.
type Refresh struct {
	Family     uuid.UUID
	Generation int64
}

// String makes the token. The same arguments always make the same one.
func (r Refresh) String(secret []byte) string {
	body := r.body()
	return refreshPrefix + base64.RawURLEncoding.EncodeToString(append(body, sign(secret, body)...))
}

// ParseRefresh reads a token and checks that this service made it. That it is
// genuine does not yet mean that it is the current one of a living family.
func ParseRefresh(secret []byte, token string) (Refresh, error) {
	encoded, ok := strings.CutPrefix(token, refreshPrefix)
	if !ok || len(encoded) != base64.RawURLEncoding.EncodedLen(refreshSize) {
		return Refresh{}, ErrMalformed
	}
	// The decoder skips line breaks, so the length of what it read counts.
	raw, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || len(raw) != refreshSize || !hmac.Equal(raw[bodySize:], sign(secret, raw[:bodySize])) {
		return Refresh{}, ErrMalformed
	}
	return Refresh{
		Family:     uuid.UUID(raw[:16]),
		Generation: int64(binary.BigEndian.Uint64(raw[16:bodySize])),
	}, nil
}

func (r Refresh) body() []byte {
	body := make([]byte, 0, refreshSize)
	body = append(body, r.Family[:]...)
	return binary.BigEndian.AppendUint64(body, uint64(r.Generation))
}

func sign(secret, body []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("refresh"))
	mac.Write(body)
	return mac.Sum(nil)
}
