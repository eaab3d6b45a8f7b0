package api

import (
	"context"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

// ReceiveAppleNotification implements IdentityService.
func (s *Server) ReceiveAppleNotification(ctx context.Context, req *identityv1.ReceiveAppleNotificationRequest) (*identityv1.ReceiveAppleNotificationResponse, error) {
	if err := s.Apple.Receive(ctx, req.GetBody()); err != nil {
		return nil, err
	}
	return &identityv1.ReceiveAppleNotificationResponse{}, nil
}
