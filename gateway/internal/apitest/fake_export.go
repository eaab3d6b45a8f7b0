package apitest

import (
	"context"
	"strconv"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	exportv1 "fledge.dev/proto/gen/go/fledge/export/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
)

// exported is what a service tells of an account, one part a piece.
type exported []*exportv1.Part

func (e exported) piece(cursor string) (parts []*exportv1.Part, next string) {
	at, _ := strconv.Atoi(cursor)
	if at+1 < len(e) {
		next = strconv.Itoa(at + 1)
	}
	if at < len(e) {
		parts = e[at : at+1]
	}
	return parts, next
}

func (f *identityFake) ExportAccount(ctx context.Context, r *identityv1.ExportAccountRequest) (*identityv1.ExportAccountResponse, error) {
	if err := f.living(ctx); err != nil {
		return nil, err
	}
	p, _ := authn.FromContext(ctx)
	parts, next := f.Export.piece(r.GetCursor())
	return &identityv1.ExportAccountResponse{Account: &exportv1.Account{Id: p.UserID, Emails: []string{p.Email}}, Parts: parts, NextCursor: next}, f.record(ctx, r)
}

func (f *billingFake) ExportAccount(ctx context.Context, r *billingv1.ExportAccountRequest) (*billingv1.ExportAccountResponse, error) {
	parts, next := f.Export.piece(r.GetCursor())
	return &billingv1.ExportAccountResponse{Parts: parts, NextCursor: next}, f.record(ctx, r)
}

func (f *supportFake) ExportAccount(ctx context.Context, r *supportv1.ExportAccountRequest) (*supportv1.ExportAccountResponse, error) {
	parts, next := f.Export.piece(r.GetCursor())
	return &supportv1.ExportAccountResponse{Parts: parts, NextCursor: next}, f.record(ctx, r)
}

func (f *releasesFake) ExportAccount(ctx context.Context, r *releasesv1.ExportAccountRequest) (*releasesv1.ExportAccountResponse, error) {
	parts, next := f.Export.piece(r.GetCursor())
	return &releasesv1.ExportAccountResponse{Parts: parts, NextCursor: next}, f.record(ctx, r)
}

func (f *waitlistFake) ExportAccount(ctx context.Context, r *waitlistv1.ExportAccountRequest) (*waitlistv1.ExportAccountResponse, error) {
	parts, next := f.Export.piece(r.GetCursor())
	return &waitlistv1.ExportAccountResponse{Parts: parts, NextCursor: next}, f.record(ctx, r)
}
