package api

import (
	"context"
	"unicode/utf8"

	"github.com/google/uuid"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/text"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

const (
	maxSearch   = 254
	defaultPage = 50
	maxPage     = 200_000
	maxBulk     = 100
)

// caller is the account that acts, by its token.
func caller(ctx context.Context) (ticket.Person, error) {
	p, _ := authn.FromContext(ctx)
	id, err := authn.Account(ctx)
	return ticket.Person{ID: id, Email: p.Email}, err
}

func decodeContent(req *supportv1.CreateTicketRequest) (ticket.Content, error) {
	category := ticket.Category(enum.Name(req.GetCategory()))
	if category == "" {
		return ticket.Content{}, ticket.Invalid("category", "is not bug, feature_request, billing, technical_support or other")
	}
	priority := ticket.Medium
	if req.GetPriority() != supportv1.Priority_PRIORITY_UNSPECIFIED {
		if priority = ticket.Priority(enum.Name(req.GetPriority())); priority == "" {
			return ticket.Content{}, ticket.Invalid("priority", "is not urgent, high, medium or low")
		}
	}
	message, err := ticket.ParseText("message", req.GetMessage())
	if err != nil {
		return ticket.Content{}, err
	}
	return ticket.Content{
		Category: category, Priority: priority, Subject: req.GetSubject(), Message: message,
		AppVersion: req.GetAppVersion(), OperatingSystem: req.GetOperatingSystem(),
	}.Check()
}

func decodeID(s string) (uuid.UUID, error) { return decodeUUID("id", s) }

func decodeUUID(field, s string) (uuid.UUID, error) {
	id, ok := text.UUID(s)
	if !ok {
		return uuid.Nil, ticket.Invalid(field, "is not a UUID")
	}
	return id, nil
}

// decodeStatus reads what staff may set. Nobody opens a ticket by hand.
func decodeStatus(s supportv1.Status) (ticket.Status, error) {
	status := ticket.Status(enum.Name(s))
	if status == "" || status == ticket.Open {
		return "", ticket.Invalid("status", "is not in_progress, resolved or closed")
	}
	return status, nil
}

func decodeVersion(version int64) error {
	if version < 0 {
		return ticket.Invalid("version", "is not a positive number")
	}
	return nil
}

func decodeUpdate(req *supportv1.UpdateTicketRequest) (id uuid.UUID, u ticket.Update, err error) {
	if id, err = decodeID(req.GetId()); err != nil {
		return id, u, err
	}
	if u.Response, err = ticket.ParseOptionalText("response", req.GetResponse()); err != nil {
		return id, u, err
	}
	if u.Response == "" || req.GetStatus() != supportv1.Status_STATUS_UNSPECIFIED {
		if u.Status, err = decodeStatus(req.GetStatus()); err != nil {
			return id, u, err
		}
	}
	if u.Key = req.GetIdempotencyKey(); u.Key != "" {
		if err = ticket.CheckKey(u.Key); err != nil {
			return id, u, err
		}
	}
	u.Version = req.GetVersion()
	return id, u, decodeVersion(u.Version)
}

func decodeFilter(ctx context.Context, f *supportv1.Filter) (filter store.Filter, err error) {
	caller, err := caller(ctx)
	if err != nil {
		return filter, err
	}
	filter.Caller = caller.ID
	if filter.Queue = store.Queue(enum.Name(f.GetQueue())); filter.Queue == "" && f.GetQueue() != 0 {
		return filter, ticket.Invalid("queue", "is not waiting, mine or unassigned")
	}
	if f.GetTag() != "" {
		if filter.Tag, err = ticket.ParseTag("tag", f.GetTag()); err != nil {
			return filter, err
		}
	}
	if filter.Status = ticket.Status(enum.Name(f.GetStatus())); filter.Status == "" && f.GetStatus() != 0 {
		return filter, ticket.Invalid("status", "is not open, in_progress, resolved or closed")
	}
	if filter.Category = ticket.Category(enum.Name(f.GetCategory())); filter.Category == "" && f.GetCategory() != 0 {
		return filter, ticket.Invalid("category", "is not a category")
	}
	if filter.Priority = ticket.Priority(enum.Name(f.GetPriority())); filter.Priority == "" && f.GetPriority() != 0 {
		return filter, ticket.Invalid("priority", "is not urgent, high, medium or low")
	}
	if !utf8.ValidString(f.GetSearch()) {
		return filter, ticket.Invalid("search", "is not valid UTF-8")
	}
	if filter.Search = text.Line(f.GetSearch()); utf8.RuneCountInString(filter.Search) > maxSearch {
		return filter, ticket.Invalid("search", "is longer than 254 characters")
	}
	return filter, nil
}

// decodeCount reads a number from 1 to most; 0 stands for fallback.
func decodeCount(field string, n int32, fallback, most int) (int, error) {
	switch {
	case n == 0:
		return fallback, nil
	case n < 0 || int(n) > most:
		return 0, ticket.Invalid(field, "is out of range")
	}
	return int(n), nil
}

func decodeCursor(format keyset.Format, cursor string) (store.Cursor, error) {
	if cursor == "" {
		return keyset.Start, nil
	}
	after, err := format.Decode(cursor)
	if err != nil {
		return after, ticket.Invalid("cursor", "is not one of this list")
	}
	return after, nil
}
