package api

import (
	"context"

	"github.com/google/uuid"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/text"
	"fledge.dev/services/releases/internal/release"
)

var errNotInUse = fault.New(fault.Conflict, "account_not_in_use", "This account is disabled, about to be deleted, or unknown: it can only be put on stable or none.")

// GetOwnChannel returns the caller's channel, which their app follows, and what is offered to
// download on it.
func (s *Server) GetOwnChannel(ctx context.Context, req *releasesv1.GetOwnChannelRequest) (*releasesv1.GetOwnChannelResponse, error) {
	approvedWith := release.Channel(enum.Name(req.GetGroupChannel()))
	if approvedWith == "" && req.GetGroupChannel() != 0 {
		return nil, fault.InvalidField("group_channel", badChannel)
	}
	userID, err := authn.Account(ctx)
	if err != nil {
		return nil, err
	}
	waiting, cancel := s.parts.Interactive(ctx)
	defer cancel()
	own, err := s.parts.Store.UserChannel(waiting, userID)
	if err != nil {
		return nil, err
	}
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	channel := own.Or(approvedWith)
	offers, prerelease := release.Latest(releases, channel)
	return &releasesv1.GetOwnChannelResponse{
		Channel: enum.Of[releasesv1.Channel](channel), Downloads: encodeOffers(offers), IsPrerelease: prerelease,
	}, nil
}

// GetUserChannel returns the channel of an account.
func (s *Server) GetUserChannel(ctx context.Context, req *releasesv1.GetUserChannelRequest) (*releasesv1.GetUserChannelResponse, error) {
	userID, err := decodeUser(req.GetUserId())
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	channel, err := s.parts.Store.UserChannel(ctx, userID)
	if err != nil {
		return nil, err
	}
	return &releasesv1.GetUserChannelResponse{Channel: encodeUserChannel(channel)}, nil
}

// SetUserChannel gives an account a channel, stable included, which then counts against what the person
// was approved with on the waitlist. Only one in use can be given any, so that nothing is kept about an
// account that has been erased; of another one, stable ends what it has. No channel ends what any account has.
func (s *Server) SetUserChannel(ctx context.Context, req *releasesv1.SetUserChannelRequest) (*releasesv1.SetUserChannelResponse, error) {
	userID, err := decodeUser(req.GetUserId())
	if err != nil {
		return nil, err
	}
	channel := release.Channel(enum.Name(req.GetChannel()))
	if channel == "" && req.GetChannel() != 0 {
		return nil, fault.InvalidField("channel", "The channel must be none, stable, beta or alpha.")
	}
	reason, err := audit.ParseReason(req.GetReason())
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	active, err := s.parts.Accounts.IsActive(ctx, userID)
	if err != nil {
		return nil, err
	}
	if !active && channel != release.Stable && channel != "" {
		return nil, errNotInUse
	}
	given, changed, err := s.parts.Store.SetUserChannel(ctx, userID, channel, active, reason)
	if err != nil {
		return nil, err
	}
	if changed {
		admin, _ := authn.FromContext(ctx)
		s.parts.Log.InfoContext(ctx, "channel of an account changed", "user", userID, "channel", channel, "by", admin.UserID)
	}
	return &releasesv1.SetUserChannelResponse{Channel: encodeUserChannel(given)}, nil
}

// ExportAccount tells what an account takes along.
func (s *Server) ExportAccount(ctx context.Context, req *releasesv1.ExportAccountRequest) (*releasesv1.ExportAccountResponse, error) {
	parts, next, err := export.PieceOf(ctx, s.parts.Store.ExportTables(), req.GetAccount(), req.GetCursor())
	if err != nil {
		return nil, err
	}
	return &releasesv1.ExportAccountResponse{Parts: parts, NextCursor: next}, nil
}

func decodeUser(s string) (uuid.UUID, error) {
	id, ok := text.UUID(s)
	if !ok {
		return uuid.Nil, fault.InvalidField("user_id", "The user id must be a UUID.")
	}
	return id, nil
}
