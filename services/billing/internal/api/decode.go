package api

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/text"
)

const (
	maxAmount      = 10_000_000
	maxDescription = 200
	maxKey         = 255

	defaultLifetime = 15 * time.Minute
	maxLifetime     = 24 * time.Hour

	defaultPage = 50
)

// spending is what a spend and a hold have in common.
type spending interface {
	GetAmount() int64
	GetDescription() string
	GetIdempotencyKey() string
}

// decodeSpend names every field that is wrong; the reason and the message are the first one's.
func decodeSpend(userID uuid.UUID, req spending) (ledger.Spend, error) {
	var bad *fault.Error
	refuse := func(field, message string) {
		if bad == nil {
			bad = fault.InvalidField(field, message)
		} else {
			bad = bad.Field(field, message)
		}
	}
	if req.GetAmount() < 1 || req.GetAmount() > maxAmount {
		refuse("amount", "The amount must be between 0.01 and 100,000 credits.")
	}
	if !isText(req.GetDescription()) {
		refuse("description", "The description must have 1 to 200 characters and no control characters.")
	}
	if !isKey(req.GetIdempotencyKey()) {
		refuse("idempotency_key", "The idempotency key must have 1 to 255 printable ASCII characters.")
	}
	if bad != nil {
		return ledger.Spend{}, bad
	}
	return ledger.Spend{UserID: userID, Key: req.GetIdempotencyKey(), Amount: req.GetAmount(), Description: req.GetDescription()}, nil
}

func isText(s string) bool {
	return utf8.ValidString(s) && strings.TrimSpace(s) != "" && utf8.RuneCountInString(s) <= maxDescription && !strings.ContainsFunc(s, unicode.IsControl)
}

func isKey(s string) bool {
	return s != "" && len(s) <= maxKey && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func decodeLifetime(seconds int32) (time.Duration, error) {
	lifetime := time.Duration(seconds) * time.Second
	if lifetime == 0 {
		lifetime = defaultLifetime
	}
	if lifetime < time.Second || lifetime > maxLifetime {
		return 0, fault.InvalidField("lifetime_seconds", "The lifetime must be between 1 and 86,400 seconds.")
	}
	return lifetime, nil
}

func decodeUser(s string) (uuid.UUID, error) {
	id, ok := text.UUID(s)
	if !ok {
		return uuid.Nil, fault.InvalidField("user_id", "The user id must be a UUID.")
	}
	return id, nil
}

func decodeSettle(req *billingv1.SettleCreditsRequest) (hold uuid.UUID, cost int64, err error) {
	hold, ok := text.UUID(req.GetHoldId())
	if !ok {
		return uuid.Nil, 0, fault.InvalidField("hold_id", "The hold's id must be a UUID.")
	}
	if req.GetAmount() < 0 || req.GetAmount() > maxAmount {
		return uuid.Nil, 0, fault.InvalidField("amount", "The amount must be between 0 and what the hold has set aside.")
	}
	return hold, req.GetAmount(), nil
}

// paged is a request for one page of a ledger.
type paged interface {
	GetCursor() string
	GetLimit() int32
}

func decodePage(req paged) (from ledger.Cursor, limit int, err error) {
	if limit, err = keyset.Limit(req.GetLimit(), defaultPage, ledger.MaxPage); err != nil {
		return 0, 0, err
	}
	from, err = ledger.DecodeCursor(req.GetCursor())
	if err != nil {
		return 0, 0, fault.InvalidField("cursor", "The cursor is not valid.")
	}
	return from, limit, nil
}
