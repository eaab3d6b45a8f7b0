package api

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// Confirm puts a sign-up on the list whose reader has the token from its email.
func (s *Server) Confirm(ctx context.Context, req *waitlistv1.ConfirmRequest) (*waitlistv1.ConfirmResponse, error) {
	token, err := decodeToken(req.GetToken())
	if err != nil {
		return nil, err
	}
	changed, err := s.store.Confirm(ctx, token)
	if err != nil {
		return nil, err
	}
	if changed {
		s.count(ctx, confirmed, nil)
	}
	return &waitlistv1.ConfirmResponse{}, nil
}

// ListUnconfirmed returns one page of the sign-ups that are yet to be confirmed, newest first.
func (s *Server) ListUnconfirmed(ctx context.Context, req *waitlistv1.ListUnconfirmedRequest) (*waitlistv1.ListUnconfirmedResponse, error) {
	limit, err := keyset.Limit(req.GetLimit(), store.MaxPage, store.MaxPage)
	if err != nil {
		return nil, err
	}
	search, err := decodeSearch(req.GetSearch())
	if err != nil {
		return nil, err
	}
	after, err := store.ListCursor.After(req.GetCursor())
	if err != nil {
		return nil, err
	}
	signUps, next, err := s.store.ListUnconfirmed(ctx, search, after, limit)
	if err != nil {
		return nil, err
	}
	resp := &waitlistv1.ListUnconfirmedResponse{}
	for _, u := range signUps {
		resp.SignUps = append(resp.SignUps, &waitlistv1.UnconfirmedSignUp{
			Email: u.Email, Source: enum.Of[waitlistv1.Source](entry.Source(u.Source)), CreatedAt: timestamppb.New(u.CreatedAt),
			Mail: enum.Of[waitlistv1.Mail](u.Mail), MailReply: u.MailReply, EndsAt: timestamppb.New(u.EndsAt),
		})
	}
	if next != nil {
		resp.NextCursor = store.ListCursor.Encode(*next)
	}
	return resp, nil
}
