package apitest

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

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

func (f *mailFake) ListMails(ctx context.Context, r *mailv1.ListMailsRequest) (*mailv1.ListMailsResponse, error) {
	at := timestamppb.New(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC))
	return &mailv1.ListMailsResponse{
		Mails: []*mailv1.Mail{{
			Id: 7, State: r.GetState(), To: "ada@example.com", Subject: "Hello", Reply: "450 4.2.1", ReplyAt: "RCPT TO", QueuedAt: at, NextTryAt: at,
		}},
		NextCursor: "7", Counts: []*mailv1.MailCount{{State: r.GetState(), Count: 3}},
	}, f.record(ctx, r)
}

func (f *mailFake) ChangeMails(ctx context.Context, r *mailv1.ChangeMailsRequest) (*mailv1.ChangeMailsResponse, error) {
	return &mailv1.ChangeMailsResponse{Ids: r.GetIds()}, f.record(ctx, r)
}
