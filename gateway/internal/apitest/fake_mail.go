package apitest

import (
	"context"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
)

// mailFake is the part of every service that sends emails.
type mailFake struct {
	mailv1.UnimplementedMailServiceServer
	Calls
}

func (f *mailFake) Report(ctx context.Context, r *mailv1.ReportRequest) (*mailv1.ReportResponse, error) {
	return &mailv1.ReportResponse{}, f.record(ctx, r)
}
