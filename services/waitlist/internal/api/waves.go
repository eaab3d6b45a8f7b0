package api

import (
	"context"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
	"fledge.dev/services/waitlist/internal/wave"
)

const (
	// maxPeople bounds the numbers of a wave.
	maxPeople = 1_000_000
	// maxAhead is how far from now a wave may begin.
	maxAhead = 366 * 24 * time.Hour
)

// StartWave starts a wave, or tells what it would be.
func (s *Server) StartWave(ctx context.Context, req *waitlistv1.StartWaveRequest) (*waitlistv1.StartWaveResponse, error) {
	w, err := s.decodeWave(req)
	if err != nil {
		return nil, err
	}
	if req.GetPreview() {
		w, err = s.store.PreviewWave(ctx, w)
		return &waitlistv1.StartWaveResponse{Wave: encodeWave(w, nil)}, err
	}
	w, changed, err := s.store.StartWave(ctx, w)
	if err != nil {
		return nil, err
	}
	s.traceWave(ctx, "start", w, changed)
	return &waitlistv1.StartWaveResponse{Wave: encodeWave(w, nil)}, nil
}

// ListWaves returns the latest waves, newest first.
func (s *Server) ListWaves(ctx context.Context, _ *waitlistv1.ListWavesRequest) (*waitlistv1.ListWavesResponse, error) {
	waves, failures, err := s.store.Waves(ctx)
	resp := &waitlistv1.ListWavesResponse{}
	for _, w := range waves {
		resp.Waves = append(resp.Waves, encodeWave(w, failures))
	}
	return resp, err
}

// ChangeWave does with a wave what staff wants.
func (s *Server) ChangeWave(ctx context.Context, req *waitlistv1.ChangeWaveRequest) (*waitlistv1.ChangeWaveResponse, error) {
	id, err := decodeID(req.GetId())
	if err != nil {
		return nil, err
	}
	action := wave.Action(enum.Name(req.GetAction()))
	if action == "" {
		return nil, fault.InvalidField("action", "The action must be pause, resume, cancel, undo or drop_channel.")
	}
	w, changed, err := s.store.ChangeWave(ctx, id, action)
	if err != nil {
		return nil, err
	}
	s.traceWave(ctx, string(action), w, changed)
	return &waitlistv1.ChangeWaveResponse{Wave: encodeWave(w, nil)}, nil
}

func (s *Server) decodeWave(req *waitlistv1.StartWaveRequest) (w wave.Wave, err error) {
	if w.ID, err = decodeID(req.GetId()); err != nil {
		return w, err
	}
	if w.Search, err = decodeSearch(req.GetSearch()); err != nil {
		return w, err
	}
	if email, err := entry.ParseEmail(w.Search); err == nil {
		w.Search = email.String() // in the one spelling by which it is erased
	}
	w.Source = entry.Source(enum.Name(req.GetSource()))
	if w.Source == "" && req.GetSource() != waitlistv1.Source_SOURCE_UNSPECIFIED {
		return w, fault.InvalidField("source", "The source must be hero_section, cta_section, admin or import.")
	}
	w.Channel = entry.Channel(enum.Name(req.GetChannel()))
	if w.Channel == entry.NoChannel && req.GetChannel() != waitlistv1.Channel_CHANNEL_UNSPECIFIED {
		return w, fault.InvalidField("channel", "The channel must be beta or alpha.")
	}
	if w.People = int(req.GetPeople()); w.People < 0 || w.People > maxPeople {
		return w, fault.InvalidField("people", "The number of people must be between 0 and 1,000,000.")
	}
	if w.Percent = int(req.GetPercent()); w.Percent < 0 || w.Percent > 100 || w.Percent > 0 && w.People > 0 {
		return w, fault.InvalidField("percent", "The share must be between 0 and 100 percent, and stand instead of a number of people.")
	}
	if w.PerMinute = int(req.GetPerMinute()); w.PerMinute < 0 || w.PerMinute > maxPeople {
		return w, fault.InvalidField("per_minute", "The rate must be between 0 and 1,000,000 a minute.")
	}
	if at := req.GetJoinedBefore(); at != nil {
		if at.CheckValid() != nil {
			return w, fault.InvalidField("joined_before", "The date must be a valid one.")
		}
		w.JoinedBefore = at.AsTime()
	}
	if at := req.GetStartsAt(); at != nil {
		if at.CheckValid() != nil || at.AsTime().After(s.clock.Now().Add(maxAhead)) {
			return w, fault.InvalidField("starts_at", "The start must be within a year from now.")
		}
		w.StartsAt = at.AsTime()
	}
	return w, nil
}

func encodeWave(w wave.Wave, failures map[uuid.UUID]store.Failure) *waitlistv1.Wave {
	encoded := &waitlistv1.Wave{
		Id: w.ID.String(), Search: w.Search, Source: enum.Of[waitlistv1.Source](w.Source), JoinedBefore: timestamppb.New(w.JoinedBefore),
		People: int32(w.People), StartsAt: timestamppb.New(w.StartsAt), PerMinute: int32(w.PerMinute), State: enum.Of[waitlistv1.Wave_State](w.State),
		Total: w.Total, Approved: w.Approved, Undone: w.Undone, StartedBy: w.ActorEmail, CreatedAt: timestamppb.New(w.CreatedAt),
		ChangedAt: timestamppb.New(w.ChangedAt), StarterLostRole: w.StarterLostRole, Channel: enum.Of[waitlistv1.Channel](w.Channel),
	}
	if until := w.UndoUntil(); !until.IsZero() {
		encoded.UndoUntil = timestamppb.New(until)
	}
	for _, id := range w.Failed {
		if f, ok := failures[id]; ok {
			encoded.Failures = append(encoded.Failures, &waitlistv1.WaveFailure{Id: f.ID.String(), Email: f.Email})
		}
	}
	return encoded
}

func (s *Server) traceWave(ctx context.Context, action string, w wave.Wave, changed bool) {
	if !changed {
		return
	}
	admin, _ := authn.FromContext(ctx)
	s.log.InfoContext(ctx, "wave changed", "wave", w.ID, "action", action, "state", w.State, "by", admin.UserID)
}
