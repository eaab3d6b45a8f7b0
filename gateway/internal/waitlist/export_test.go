package waitlist

import (
	"context"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// JoinThrough signs addresses up, batched as the interface batches them.
func JoinThrough(client waitlistv1.WaitlistServiceClient) func(ctx context.Context, email string) error {
	s := &signUps{waitlist: client, timeout: SignUpTimeout}
	return func(ctx context.Context, email string) error {
		return s.join(ctx, &waitlistv1.JoinRequest{Email: email})
	}
}
