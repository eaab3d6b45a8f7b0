package api

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

func encodePage(page store.Page) *waitlistv1.ListUsersResponse {
	resp := &waitlistv1.ListUsersResponse{Users: make([]*waitlistv1.WaitlistUser, len(page.Entries))}
	for i, e := range page.Entries {
		resp.Users[i] = encodeEntry(e)
	}
	if page.Next != nil {
		resp.NextCursor = store.ListCursor.Encode(*page.Next)
	}
	return resp
}

func encodeEntry(e entry.Entry) *waitlistv1.WaitlistUser {
	u := &waitlistv1.WaitlistUser{
		Id:        e.ID.String(),
		Email:     e.Email.String(),
		Status:    enum.Of[waitlistv1.Status](e.Status),
		Source:    enum.Of[waitlistv1.Source](e.Source),
		CreatedAt: timestamppb.New(e.CreatedAt),

		ClaimedEmail: e.ClaimedEmail,
		Mail:         enum.Of[waitlistv1.Mail](e.Mail),
		MailReply:    e.MailReply,
		Left:         !e.LeftAt.IsZero(),
		Channel:      enum.Of[waitlistv1.Channel](e.Channel),
	}
	if !e.ExpiredAt.IsZero() {
		u.InvitationExpiredAt = timestamppb.New(e.ExpiredAt)
	}
	return u
}
