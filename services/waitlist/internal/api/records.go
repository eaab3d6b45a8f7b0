package api

import (
	"errors"
	"fmt"
	"strings"
	"time"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/entry"
)

// maxConsent is the length of the longest name of words.
const maxConsent = 64

// Reasons why a line is refused, in words for people.
var (
	errConsent     = errors.New("The consent is not a name of at most 64 visible characters, with the time in consented_at.") //nolint:staticcheck // shown to people as it is
	errSuppressed  = errors.New("The suppression is not bounced, complained or unsubscribed.")                                //nolint:staticcheck // shown to people as it is
	errSuppression = errors.New("The time in suppressed_at stands without a suppression.")                                    //nolint:staticcheck // shown to people as it is
)

// encodeRecord is what a file keeps of an entry and of what was reported of its address.
func encodeRecord(e entry.Entry, r mail.Report) *waitlistv1.Record {
	return &waitlistv1.Record{
		Consent: e.Consent, ConsentedAt: timeText(e.ConsentedAt), ConfirmedAt: timeText(e.ConfirmedAt), LeftAt: timeText(e.LeftAt),
		Suppressed: string(r.State), SuppressedAt: timeText(r.At), InvitationExpiredAt: timeText(e.ExpiredAt),
	}
}

// decodeRecord reads into an entry what encodeRecord has written of it, and returns what was reported of its address,
// the zero Report if nothing was. A suppression without a time is as old as the import.
func decodeRecord(record *waitlistv1.Record, e *entry.Entry, began time.Time) (r mail.Report, err error) {
	r.Address, r.State, r.At = e.Email.String(), mail.State(strings.ToLower(record.GetSuppressed())), began
	for _, read := range []struct {
		column, text string
		into         *time.Time
	}{
		{"consented_at", record.GetConsentedAt(), &e.ConsentedAt},
		{"confirmed_at", record.GetConfirmedAt(), &e.ConfirmedAt},
		{"left_at", record.GetLeftAt(), &e.LeftAt},
		{"suppressed_at", record.GetSuppressedAt(), &r.At},
		{"invitation_expired_at", record.GetInvitationExpiredAt(), &e.ExpiredAt},
	} {
		if read.text == "" {
			continue
		}
		if *read.into, err = csvfile.ParsePast(read.text, false, began); err != nil {
			return r, fmt.Errorf("%s: %w", read.column, err)
		}
	}
	if e.Status != entry.Pending { // who was let in again, or removed
		e.ExpiredAt = time.Time{}
	}
	e.Consent = record.GetConsent()
	isHidden := func(c rune) bool { return c <= ' ' || c > '~' }
	if len(e.Consent) > maxConsent || strings.ContainsFunc(e.Consent, isHidden) || (e.Consent == "") != e.ConsentedAt.IsZero() {
		return r, errConsent
	}
	switch r.State {
	case mail.Bounced, mail.Complained, mail.Unsubscribed:
		return r, nil
	case "":
		if record.GetSuppressedAt() != "" {
			return r, errSuppression
		}
		return r, nil
	default:
		return r, errSuppressed
	}
}

// timeText is RFC 3339 in UTC, "" for the zero time.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
