package staff

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/periodic"
)

const (
	interval = 10 * time.Second
	timeout  = 10 * time.Minute
	batch    = 100
)

// Task tells Kratos what it could not be told when it happened. One that fails does not hold
// the others up.
func (s *Service) Task() periodic.Task {
	return periodic.Task{Name: "account_states", Every: interval, Timeout: timeout, Exclusive: true, Run: s.TellAll}
}

// TellAll is one run of the task.
func (s *Service) TellAll(ctx context.Context) error {
	var failures []error
	for after := uuid.Nil; ; {
		ids, err := s.store.UntoldStates(ctx, after, batch)
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		for _, id := range ids {
			failures = append(failures, s.tell(ctx, id))
		}
		if len(ids) < batch {
			return errors.Join(failures...)
		}
		after = ids[len(ids)-1]
	}
}

// tell brings the state of an account to Kratos. Sessions end there, too: otherwise they would
// be good again once the identity is active.
func (s *Service) tell(ctx context.Context, user uuid.UUID) error {
	return s.store.TellState(ctx, user, func(ctx context.Context, active bool) error {
		if err := s.kratos.SetActive(ctx, user, active); err != nil || active {
			return err
		}
		return s.kratos.EndSessions(ctx, user)
	})
}
