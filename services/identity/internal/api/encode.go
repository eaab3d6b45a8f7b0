package api

import (
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/session"
)

// Lengths beyond which a client's description of itself is cut.
const (
	maxUserAgent = 512
	maxIPAddress = 64
)

func client(req *identityv1.CreateSessionRequest) session.Client {
	return session.Client{UserAgent: clip(req.GetUserAgent(), maxUserAgent), IPAddress: clip(req.GetIpAddress(), maxIPAddress)}
}

// clip cuts at a rune's border and drops what PostgreSQL does not store.
func clip(s string, limit int) string {
	s = strings.ReplaceAll(s, "\x00", "")
	if len(s) <= limit {
		return s
	}
	s = s[:limit]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}

func encodeSession(s session.Session) *identityv1.Session {
	return &identityv1.Session{
		AccessToken: s.AccessToken, RefreshToken: s.RefreshToken,
		ExpiresAt: timestamppb.New(s.ExpiresAt), ExpiresIn: int64(s.ExpiresIn / time.Second),
		User: encodeUser(s.User),
	}
}

func encodeUser(u account.User) *identityv1.User {
	return &identityv1.User{
		Id: u.ID.String(), Email: u.Email, Provider: u.Provider, Identities: u.Identities,
		CreatedAt: timestamppb.New(u.CreatedAt), LastSignInAt: timestamppb.New(u.LastSignInAt),
		EmailConfirmedAt: timestamppb.New(u.EmailConfirmedAt),
	}
}

var roles = map[account.Role]identityv1.Role{
	account.RoleUser:      identityv1.Role_ROLE_USER,
	account.RoleModerator: identityv1.Role_ROLE_MODERATOR,
	account.RoleAdmin:     identityv1.Role_ROLE_ADMIN,
}

func encodeRoles(in []account.Role) []identityv1.Role {
	out := make([]identityv1.Role, 0, len(in))
	for _, r := range in {
		out = append(out, roles[r])
	}
	return out
}
