package api

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
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
	return &waitlistv1.WaitlistUser{
		Id:        e.ID.String(),
		Email:     e.Email.String(),
		Status:    encodeStatus(e.Status),
		Source:    encodeSource(e.Source),
		CreatedAt: timestamppb.New(e.CreatedAt),
	}
}

func encodeStatus(s entry.Status) waitlistv1.Status {
	switch s {
	case entry.Pending:
		return waitlistv1.Status_STATUS_PENDING
	case entry.Approved:
		return waitlistv1.Status_STATUS_APPROVED
	case entry.Rejected:
		return waitlistv1.Status_STATUS_REJECTED
	default:
		return waitlistv1.Status_STATUS_UNSPECIFIED
	}
}

func encodeSource(s entry.Source) waitlistv1.Source {
	switch s {
	case entry.HeroSection:
		return waitlistv1.Source_SOURCE_HERO_SECTION
	case entry.CTASection:
		return waitlistv1.Source_SOURCE_CTA_SECTION
	case entry.Admin:
		return waitlistv1.Source_SOURCE_ADMIN
	case entry.Import:
		return waitlistv1.Source_SOURCE_IMPORT
	default:
		return waitlistv1.Source_SOURCE_UNSPECIFIED
	}
}
