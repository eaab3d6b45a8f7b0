package api

import (
	netmail "net/mail"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/secrettoken"
	"fledge.dev/services/platform/text"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

func decodeJoin(req *waitlistv1.JoinRequest) (entry.Email, entry.Source, error) {
	email, err := decodeEmail(req.GetEmail())
	if err != nil {
		return entry.Email{}, "", err
	}
	source := entry.Source(enum.Name(req.GetSource()))
	if source != entry.HeroSection && source != entry.CTASection { // the others are staff's own ways in
		return entry.Email{}, "", fault.InvalidField("source", "The source must be hero_section or cta_section.")
	}
	return email, source, nil
}

func decodeEmail(typed string) (entry.Email, error) {
	email, err := entry.ParseEmail(typed)
	if err != nil {
		return entry.Email{}, fault.InvalidField("email", err.Error())
	}
	return email, nil
}

func decodeID(s string) (uuid.UUID, error) {
	id, ok := text.UUID(s)
	if !ok {
		return uuid.Nil, fault.InvalidField("id", "The id must be a UUID.")
	}
	return id, nil
}

// decodeClaim returns the hash of the token in an invitation's link.
func decodeClaim(claim string) (hash []byte, err error) {
	hash, ok := secrettoken.Hash(claim)
	if !ok {
		return nil, fault.InvalidField("claim", "This invitation link is not complete. Please open it from the email again.")
	}
	return hash, nil
}

func decodeToken(token string) (uuid.UUID, error) {
	id, ok := text.UUID(token)
	if !ok {
		return uuid.Nil, fault.InvalidField("token", "This link is not complete. Please open it from the email again.")
	}
	return id, nil
}

func decodeList(req *waitlistv1.ListUsersRequest) (filter store.Filter, after *store.Cursor, limit int, err error) {
	if limit, err = keyset.Limit(req.GetLimit(), store.MaxPage, store.MaxPage); err != nil {
		return filter, nil, 0, err
	}
	filter, after, err = decodeFilter(req)
	return filter, after, limit, err
}

// filtered is what both a page's and an export's request ask for.
type filtered interface {
	GetStatus() waitlistv1.Status
	GetSearch() string
	GetCursor() string
	GetUndelivered() bool
}

func decodeFilter(req filtered) (filter store.Filter, after *store.Cursor, err error) {
	status := entry.Status(enum.Name(req.GetStatus()))
	if status == "" && req.GetStatus() != waitlistv1.Status_STATUS_UNSPECIFIED {
		return filter, nil, fault.InvalidField("status", "The status must be pending, approved or rejected.")
	}
	search, err := decodeSearch(req.GetSearch())
	if err != nil {
		return filter, nil, err
	}
	if after, err = store.ListCursor.After(req.GetCursor()); err != nil {
		return filter, nil, err
	}
	return store.Filter{Status: status, Search: search, Undelivered: req.GetUndelivered()}, after, nil
}

func decodeSearch(typed string) (string, error) {
	search := text.Line(typed)
	if utf8.RuneCountInString(search) > entry.MaxEmailLength {
		return "", fault.InvalidField("search", "The search text must not be longer than 254 characters.")
	}
	// An address may have been copied with the name before it.
	if strings.HasSuffix(search, ">") {
		if parsed, err := netmail.ParseAddress(search); err == nil {
			search = parsed.Address
		}
	}
	return search, nil
}
