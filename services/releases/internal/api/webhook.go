package api

import (
	"context"
	"errors"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/github"
)

var (
	errNoWebhook    = fault.New(fault.NotFound, "no_webhook", "This installation takes no events from GitHub.")
	errBadSignature = fault.New(fault.Invalid, "invalid_signature", "The signature is not valid.")
)

// ReceiveGitHubEvent puts on record that there is news and answers; GitHub is asked
// for it afterwards, once for any number of deliveries.
func (s *Server) ReceiveGitHubEvent(ctx context.Context, req *releasesv1.ReceiveGitHubEventRequest) (*releasesv1.ReceiveGitHubEventResponse, error) {
	relevant, err := s.parts.Webhook.Verify(req.GetPayload(), req.GetSignature(), req.GetEvent())
	s.deliveries.WithLabelValues(deliveryOutcome(relevant, err)).Inc()
	switch {
	case errors.Is(err, github.ErrNoWebhook):
		return nil, errNoWebhook
	case err != nil:
		return nil, errBadSignature
	case !relevant:
		return &releasesv1.ReceiveGitHubEventResponse{}, nil
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	return &releasesv1.ReceiveGitHubEventResponse{Relevant: true}, s.parts.Mirror.Notice(ctx)
}

func deliveryOutcome(relevant bool, err error) string {
	switch {
	case err != nil:
		return "refused"
	case relevant:
		return "relevant"
	default:
		return "ignored"
	}
}
