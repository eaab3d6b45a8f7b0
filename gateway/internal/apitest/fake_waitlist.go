package apitest

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// RejectedID is an entry that cannot be approved.
const RejectedID = "1f7b2c8e-0c51-4a50-8f5c-9b1a6b0f4d22"

// monthOfStats counts 30 days, as the service does.
func monthOfStats() *waitlistv1.GetStatsResponse {
	stats := &waitlistv1.GetStatsResponse{
		Total: 6, Pending: 1, Approved: 2, Rejected: 3, Invitations: &waitlistv1.InvitationStats{Approved: 2, Opened: 1, SignedIn: 1, Downloaded: 1, Reminded: 1, Expired: 1},
	}
	first := time.Date(2026, 10, 23, 0, 0, 0, 0, time.UTC)
	for n := range 30 {
		stats.Days = append(stats.Days, &waitlistv1.DayStats{Day: first.AddDate(0, 0, n).Format(time.DateOnly), SignUps: int64(n), Approvals: 1})
	}
	return stats
}

type waitlistFake struct {
	waitlistv1.UnimplementedWaitlistServiceServer
	Calls
	Status waitlistv1.Status
	// Channel is what the caller was approved with.
	Channel waitlistv1.Channel
	Page    *waitlistv1.ListUsersResponse
	// UndoUntil is by when approvals can be undone, and Expired when the invitation of one that is undone had ended.
	UndoUntil, Expired *timestamppb.Timestamp
	// Confirms is whether addresses are to be confirmed.
	Confirms bool
	// SignUps are those that are yet to be confirmed.
	SignUps *waitlistv1.ListUnconfirmedResponse
	Export  exported
	// Chunks of the export by their cursors; one that is not there fails.
	Chunks map[string]*waitlistv1.ExportUsersResponse
	stats  *waitlistv1.GetStatsResponse
	// Slow delays the statistics and the export.
	Slow atomic.Bool
	// A Join waits for hold, if there is one. It reports that it came, and when
	// its caller left before.
	Hold, Came, Left chan struct{}
}

func (f *waitlistFake) Join(ctx context.Context, r *waitlistv1.JoinRequest) (*waitlistv1.JoinResponse, error) {
	if f.Hold != nil {
		f.Came <- struct{}{}
		select {
		case <-f.Hold:
		case <-ctx.Done():
			f.Left <- struct{}{}
			return nil, ctx.Err()
		}
	}
	return &waitlistv1.JoinResponse{Confirm: f.Confirms}, f.record(ctx, r)
}

func (f *waitlistFake) AddUser(ctx context.Context, r *waitlistv1.AddUserRequest) (*waitlistv1.AddUserResponse, error) {
	return &waitlistv1.AddUserResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) GetStatus(ctx context.Context, r *waitlistv1.GetStatusRequest) (*waitlistv1.GetStatusResponse, error) {
	return &waitlistv1.GetStatusResponse{Status: f.Status, Channel: f.Channel}, f.record(ctx, r)
}

func (f *waitlistFake) GetInvitation(ctx context.Context, r *waitlistv1.GetInvitationRequest) (*waitlistv1.GetInvitationResponse, error) {
	return &waitlistv1.GetInvitationResponse{Email: "invited@example.com"}, f.record(ctx, r)
}

func (f *waitlistFake) ClaimInvitation(ctx context.Context, r *waitlistv1.ClaimInvitationRequest) (*waitlistv1.ClaimInvitationResponse, error) {
	return &waitlistv1.ClaimInvitationResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) ListUsers(ctx context.Context, r *waitlistv1.ListUsersRequest) (*waitlistv1.ListUsersResponse, error) {
	return f.Page, f.record(ctx, r)
}

func (f *waitlistFake) ApproveUser(ctx context.Context, r *waitlistv1.ApproveUserRequest) (*waitlistv1.ApproveUserResponse, error) {
	return &waitlistv1.ApproveUserResponse{User: &waitlistv1.WaitlistUser{UndoUntil: f.UndoUntil}}, f.record(ctx, r)
}

func (f *waitlistFake) RemoveUser(ctx context.Context, r *waitlistv1.RemoveUserRequest) (*waitlistv1.RemoveUserResponse, error) {
	return &waitlistv1.RemoveUserResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) ResendApproval(ctx context.Context, r *waitlistv1.ResendApprovalRequest) (*waitlistv1.ResendApprovalResponse, error) {
	return &waitlistv1.ResendApprovalResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) UndoApproval(ctx context.Context, r *waitlistv1.UndoApprovalRequest) (*waitlistv1.UndoApprovalResponse, error) {
	return &waitlistv1.UndoApprovalResponse{User: &waitlistv1.WaitlistUser{InvitationExpiredAt: f.Expired}}, f.record(ctx, r)
}

func (f *waitlistFake) Confirm(ctx context.Context, r *waitlistv1.ConfirmRequest) (*waitlistv1.ConfirmResponse, error) {
	return &waitlistv1.ConfirmResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) ListUnconfirmed(ctx context.Context, r *waitlistv1.ListUnconfirmedRequest) (*waitlistv1.ListUnconfirmedResponse, error) {
	return f.SignUps, f.record(ctx, r)
}

func (f *waitlistFake) Leave(ctx context.Context, r *waitlistv1.LeaveRequest) (*waitlistv1.LeaveResponse, error) {
	return &waitlistv1.LeaveResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) BulkApproveUsers(ctx context.Context, r *waitlistv1.BulkApproveUsersRequest) (*waitlistv1.BulkApproveUsersResponse, error) {
	resp := &waitlistv1.BulkApproveUsersResponse{}
	for _, id := range r.GetIds() {
		result := &waitlistv1.BulkApproveResult{Id: id, UndoUntil: f.UndoUntil}
		if id == RejectedID {
			result.UndoUntil, result.Code, result.Error = nil, "waitlist_user_rejected", "This waitlist user was removed. Add the email address again first."
		}
		resp.Results = append(resp.Results, result)
	}
	return resp, f.record(ctx, r)
}

func (f *waitlistFake) NoteDownload(ctx context.Context, r *waitlistv1.NoteDownloadRequest) (*waitlistv1.NoteDownloadResponse, error) {
	return &waitlistv1.NoteDownloadResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) OpenInvitation(ctx context.Context, r *waitlistv1.OpenInvitationRequest) (*waitlistv1.OpenInvitationResponse, error) {
	return &waitlistv1.OpenInvitationResponse{}, f.record(ctx, r)
}

// aWave is one that has approved half of its people.
func aWave(id string) *waitlistv1.Wave {
	at := timestamppb.New(time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC))
	return &waitlistv1.Wave{
		Channel: waitlistv1.Channel_CHANNEL_BETA,
		Id:      id, JoinedBefore: at, People: 10, StartsAt: at, State: waitlistv1.Wave_STATE_RUNNING, Total: 10, Approved: 5, StartedBy: "admin@example.com", CreatedAt: at,
		ChangedAt: timestamppb.New(at.AsTime().Add(time.Minute)),
		Failures:  []*waitlistv1.WaveFailure{{Id: RejectedID, Email: "ada@example.com"}},
	}
}

func (f *waitlistFake) StartWave(ctx context.Context, r *waitlistv1.StartWaveRequest) (*waitlistv1.StartWaveResponse, error) {
	return &waitlistv1.StartWaveResponse{Wave: aWave(r.GetId())}, f.record(ctx, r)
}

func (f *waitlistFake) ListWaves(ctx context.Context, r *waitlistv1.ListWavesRequest) (*waitlistv1.ListWavesResponse, error) {
	return &waitlistv1.ListWavesResponse{Waves: []*waitlistv1.Wave{aWave(AnyID)}}, f.record(ctx, r)
}

func (f *waitlistFake) ChangeWave(ctx context.Context, r *waitlistv1.ChangeWaveRequest) (*waitlistv1.ChangeWaveResponse, error) {
	return &waitlistv1.ChangeWaveResponse{Wave: aWave(r.GetId())}, f.record(ctx, r)
}

func (f *waitlistFake) ExportUsers(ctx context.Context, r *waitlistv1.ExportUsersRequest) (*waitlistv1.ExportUsersResponse, error) {
	if f.Slow.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := f.record(ctx, r); err != nil {
		return nil, err
	}
	chunk, ok := f.Chunks[r.GetCursor()]
	if !ok && r.GetCursor() != "" {
		return nil, ErrAway
	}
	return chunk, nil
}

// ImportUsers adds what has an "@" and knows what begins with "known".
func (f *waitlistFake) ImportUsers(ctx context.Context, r *waitlistv1.ImportUsersRequest) (*waitlistv1.ImportUsersResponse, error) {
	resp := &waitlistv1.ImportUsersResponse{}
	for _, line := range r.GetLines() {
		result := &waitlistv1.ImportResult{Outcome: waitlistv1.ImportResult_OUTCOME_ADDED}
		switch {
		case strings.HasPrefix(line.GetEmail(), "known"):
			result.Outcome = waitlistv1.ImportResult_OUTCOME_KNOWN
		case !strings.Contains(line.GetEmail(), "@"):
			result.Outcome, result.Error = waitlistv1.ImportResult_OUTCOME_INVALID, "Please enter a valid email address."
		}
		if r.GetDryRun() && result.GetError() == "" {
			result.JoinedAt, result.Status, result.Source = timestamppb.New(time.Unix(0, 0)), waitlistv1.Status_STATUS_PENDING, waitlistv1.Source_SOURCE_IMPORT
		}
		resp.Results = append(resp.Results, result)
	}
	return resp, f.record(ctx, r)
}

func (f *waitlistFake) GetStats(ctx context.Context, r *waitlistv1.GetStatsRequest) (*waitlistv1.GetStatsResponse, error) {
	if f.Slow.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f.stats, f.record(ctx, r)
}
