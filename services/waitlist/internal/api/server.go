// Package api serves the waitlist over gRPC: it reads requests, calls the store
// and writes answers. Policy says who may call what, and is enforced before
// a handler runs.
package api

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/ttlcache"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// Server implements waitlistv1.WaitlistServiceServer.
type Server struct {
	waitlistv1.UnimplementedWaitlistServiceServer
	store   *store.Store
	clock   clock.Clock
	stats   *ttlcache.Value[store.Stats]
	log     *slog.Logger
	signups *prometheus.CounterVec
}

// NewServer returns a server over store that counts sign-ups in reg and logs what
// admins change.
func NewServer(s *store.Store, clk clock.Clock, reg *prometheus.Registry, log *slog.Logger) (*Server, error) {
	signups, err := newSignupCounter(reg)
	return &Server{store: s, clock: clk, stats: ttlcache.New(clk, statsAge, s.Stats), log: log, signups: signups}, err
}

// Join signs an address up. New, known, approved and rejected addresses get the
// same answer, so that nobody can find out who is on the list.
func (s *Server) Join(ctx context.Context, req *waitlistv1.JoinRequest) (_ *waitlistv1.JoinResponse, err error) {
	outcome := known
	defer func() { s.count(ctx, outcome, err) }()
	email, source, err := decodeJoin(req)
	if err != nil {
		return nil, err
	}
	isNew, err := s.store.Join(ctx, email, source)
	if err != nil {
		return nil, err
	}
	confirm := s.store.ConfirmsSignUps()
	switch {
	case isNew && confirm:
		outcome = unconfirmed
	case isNew:
		outcome = joined
	}
	return &waitlistv1.JoinResponse{Confirm: confirm}, nil
}

// AddUser puts an address on the list for an admin.
func (s *Server) AddUser(ctx context.Context, req *waitlistv1.AddUserRequest) (*waitlistv1.AddUserResponse, error) {
	email, err := decodeEmail(req.GetEmail())
	if err != nil {
		return nil, err
	}
	added, changed, err := s.store.Add(ctx, email)
	if err != nil {
		return nil, err
	}
	s.trace(ctx, "add", added, changed)
	return &waitlistv1.AddUserResponse{User: encodeEntry(added)}, nil
}

// GetStatus looks the caller up by their own verified address and by what they have
// claimed. An address that could not have joined is not on the list.
func (s *Server) GetStatus(ctx context.Context, _ *waitlistv1.GetStatusRequest) (*waitlistv1.GetStatusResponse, error) {
	account, email, err := personOf(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.store.Status(ctx, account, email)
	resp := &waitlistv1.GetStatusResponse{Status: enum.Of[waitlistv1.Status](found.Status)}
	if found.Status == entry.Approved {
		resp.Channel = enum.Of[waitlistv1.Channel](found.Channel)
	}
	return resp, err
}

// NoteDownload notes that the caller, who was approved, has loaded the app.
func (s *Server) NoteDownload(ctx context.Context, _ *waitlistv1.NoteDownloadRequest) (*waitlistv1.NoteDownloadResponse, error) {
	account, email, err := personOf(ctx)
	if err != nil {
		return nil, err
	}
	return &waitlistv1.NoteDownloadResponse{}, s.store.Downloaded(ctx, account, email)
}

func personOf(ctx context.Context) (account uuid.UUID, email entry.Email, err error) {
	caller, err := callerOf(ctx)
	if err != nil {
		return account, email, err
	}
	if email, err = entry.ParseEmail(caller.Email); err != nil {
		email = entry.Email{}
	}
	return caller.ID, email, nil
}

// ListUsers returns one page of entries, newest first.
func (s *Server) ListUsers(ctx context.Context, req *waitlistv1.ListUsersRequest) (*waitlistv1.ListUsersResponse, error) {
	filter, after, limit, err := decodeList(req)
	if err != nil {
		return nil, err
	}
	page, err := s.store.List(ctx, filter, after, limit)
	if err != nil {
		return nil, err
	}
	resp := encodePage(page)
	for i, e := range page.Entries {
		resp.Users[i].UndoUntil = s.undoUntil(e)
	}
	if after == nil {
		if resp.Undelivered, err = s.store.Undelivered(ctx); err == nil {
			resp.Unconfirmed, err = s.store.CountUnconfirmed(ctx)
		}
	}
	return resp, err
}

// ApproveUser lets an entry in.
func (s *Server) ApproveUser(ctx context.Context, req *waitlistv1.ApproveUserRequest) (*waitlistv1.ApproveUserResponse, error) {
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	approved, changed, err := s.store.Approve(ctx, id)
	if err != nil {
		return nil, err
	}
	s.trace(ctx, "approve", approved, changed)
	user := encodeEntry(approved)
	user.UndoUntil = s.undoUntil(approved)
	return &waitlistv1.ApproveUserResponse{User: user}, nil
}

// undoUntil is by when UndoApproval works, nil when it does not.
func (s *Server) undoUntil(e entry.Entry) *timestamppb.Timestamp {
	until := s.store.UndoUntil(e)
	if until.IsZero() {
		return nil
	}
	return timestamppb.New(until)
}

// ResendApproval sends the approval email again.
func (s *Server) ResendApproval(ctx context.Context, req *waitlistv1.ResendApprovalRequest) (*waitlistv1.ResendApprovalResponse, error) {
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	reason := ""
	if req.Reason != nil {
		if reason, err = audit.ParseReason(req.GetReason()); err != nil {
			return nil, err
		}
	}
	resent, err := s.store.Resend(ctx, id, reason)
	if err != nil {
		return nil, err
	}
	s.trace(ctx, "resend", resent, true)
	return &waitlistv1.ResendApprovalResponse{User: encodeEntry(resent)}, nil
}

// UndoApproval takes an approval back whose email still waits.
func (s *Server) UndoApproval(ctx context.Context, req *waitlistv1.UndoApprovalRequest) (*waitlistv1.UndoApprovalResponse, error) {
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	undone, err := s.store.Undo(ctx, id)
	if err != nil {
		return nil, err
	}
	s.trace(ctx, "undo", undone, true)
	return &waitlistv1.UndoApprovalResponse{User: encodeEntry(undone)}, nil
}

// Leave takes off the list whoever has the link from one of its emails.
func (s *Server) Leave(ctx context.Context, req *waitlistv1.LeaveRequest) (*waitlistv1.LeaveResponse, error) {
	token, err := decodeToken(req.GetToken())
	if err != nil {
		return nil, err
	}
	left, changed, err := s.store.Leave(ctx, token)
	if err != nil {
		return nil, err
	}
	s.trace(ctx, "leave", left, changed)
	return &waitlistv1.LeaveResponse{}, nil
}

// RemoveUser takes an entry off the list.
func (s *Server) RemoveUser(ctx context.Context, req *waitlistv1.RemoveUserRequest) (*waitlistv1.RemoveUserResponse, error) {
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	removed, changed, err := s.store.Remove(ctx, id)
	if err != nil {
		return nil, err
	}
	s.trace(ctx, "remove", removed, changed)
	return &waitlistv1.RemoveUserResponse{User: encodeEntry(removed)}, nil
}

// trace logs who changed the list. The entry's id stands for the address, which
// does not belong in a log.
func (s *Server) trace(ctx context.Context, action string, e entry.Entry, changed bool) {
	if !changed {
		return
	}
	admin, _ := authn.FromContext(ctx)
	s.log.InfoContext(ctx, "waitlist changed", "entry", e.ID, "action", action, "by", admin.UserID)
}
