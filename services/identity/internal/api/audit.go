package api

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/auditlog"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/text"
)

// ListAuditEntries implements IdentityService.
func (s *Server) ListAuditEntries(ctx context.Context, req *identityv1.ListAuditEntriesRequest) (*identityv1.ListAuditEntriesResponse, error) {
	filter, after, limit, err := decodeAudit(req)
	if err != nil {
		return nil, err
	}
	page, err := s.Store.AuditEntries(ctx, filter, after, limit)
	if err != nil {
		return nil, err
	}
	resp := &identityv1.ListAuditEntriesResponse{Entries: make([]*identityv1.AuditEntry, len(page.Entries))}
	for i, e := range page.Entries {
		resp.Entries[i] = &identityv1.AuditEntry{
			Id: e.ID.String(), At: timestamppb.New(e.At), ActorId: e.ActorID.String(), ActorEmail: e.ActorEmail, Action: e.Action,
			Subject: e.Subject, SubjectLabel: e.Label, Before: e.Before, After: e.After,
			ClientIp: e.ClientIP, UserAgent: e.UserAgent, RequestId: e.RequestID, Reason: e.Reason,
		}
	}
	if page.Next != nil {
		resp.NextCursor = store.AuditCursor.Encode(*page.Next)
	}
	return resp, nil
}

func decodeAudit(req *identityv1.ListAuditEntriesRequest) (filter auditlog.Filter, after *store.Cursor, limit int, err error) {
	filter.Action = req.GetAction()
	for name, line := range map[string]struct {
		typed string
		to    *string
	}{"search": {req.GetSearch(), &filter.Search}, "actor": {req.GetActor(), &filter.Actor}, "about": {req.GetAbout(), &filter.About}} {
		if *line.to, err = decodeLine(name, line.typed); err != nil {
			return filter, nil, 0, err
		}
	}
	if action := req.GetAction(); action != "" && !slices.Contains(auditlog.Actions(), action) {
		return filter, nil, 0, fault.InvalidField("action", "The action must be one that the log records.")
	}
	if filter.About != "" && (filter.Actor != "" || filter.Search != "") {
		return filter, nil, 0, fault.InvalidField("about", "What is about somebody cannot be searched further.")
	}
	for name, bound := range map[string]struct {
		at *timestamppb.Timestamp
		to *time.Time
	}{"from": {req.GetFrom(), &filter.From}, "to": {req.GetTo(), &filter.To}} {
		if bound.at == nil {
			continue
		}
		if err := bound.at.CheckValid(); err != nil {
			return filter, nil, 0, fault.InvalidField(name, "The time is not valid.")
		}
		*bound.to = bound.at.AsTime()
	}
	if limit, err = keyset.Limit(req.GetLimit(), store.MaxPage, store.MaxPage); err != nil {
		return filter, nil, 0, err
	}
	after, err = store.AuditCursor.After(req.GetCursor())
	return filter, after, limit, err
}

// decodeLine takes what was typed or pasted as a line that PostgreSQL can compare with.
func decodeLine(name, typed string) (string, error) {
	line := text.Line(typed)
	if utf8.RuneCountInString(line) > maxSearch {
		return "", fault.InvalidField(name, "The value of "+name+" must not be longer than 254 characters.")
	}
	return line, nil
}
