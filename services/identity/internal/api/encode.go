package api

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
)

// Lengths beyond which a client's description of itself is cut.
const (
	maxDeviceName = 64 // characters
	maxUserAgent  = 512
	maxIPAddress  = 64
)

// described is what both a browser's and an app's request say of it.
type described interface {
	GetUserAgent() string
	GetIpAddress() string
}

func decodeDevice(d described) session.Device {
	return session.Device{UserAgent: clip(d.GetUserAgent(), maxUserAgent), IPAddress: clip(d.GetIpAddress(), maxIPAddress)}
}

func decodeApp(d *identityv1.Device) session.Device {
	out := decodeDevice(d)
	out.Name = deviceName(d.GetName())
	return out
}

// decodeNamed is decodeApp for apps that choose the name; it refuses one that would have to be cut.
func decodeNamed(d *identityv1.Device) (session.Device, error) {
	if name := d.GetName(); strings.ContainsFunc(name, unicode.IsControl) || utf8.RuneCountInString(name) > maxDeviceName {
		return session.Device{}, fault.InvalidField("device_name", "The value of device_name must be a line of at most 64 characters.")
	}
	return decodeApp(d), nil
}

// deviceName keeps what can be read: one line without control characters.
func deviceName(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))), " ")
	if runes := []rune(s); len(runes) > maxDeviceName {
		s = strings.TrimSpace(string(runes[:maxDeviceName]))
	}
	return s
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

func encodeRoles(in []account.Role) []identityv1.Role {
	out := make([]identityv1.Role, 0, len(in))
	for _, r := range in {
		out = append(out, enum.Of[identityv1.Role](r))
	}
	return out
}
