// Package notify tells members of staff by email that customers wrote, as each has chosen.
package notify

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/periodic"
)

// every is how soon an email that is due at once is queued.
const every = 5 * time.Second

// News is who is to be told of what.
type News interface {
	// StaffWithNews returns whose email is due.
	StaffWithNews(ctx context.Context) ([]uuid.UUID, error)
	// Tell queues the email to the address; "" drops it.
	Tell(ctx context.Context, member uuid.UUID, address string) error
}

// Task tells everybody whose email is due. Whoever is no longer of the staff is not told.
func Task(news News, identity *identityclient.Client) periodic.Task {
	return periodic.Task{Name: "staff_news", Every: every, Timeout: time.Minute, Exclusive: true, Run: func(ctx context.Context) error {
		due, err := news.StaffWithNews(ctx)
		if err != nil || len(due) == 0 {
			return err
		}
		addresses, err := identity.StaffAddresses(ctx, due)
		if err != nil {
			return err
		}
		var failures []error
		for _, member := range due {
			failures = append(failures, news.Tell(ctx, member, addresses[member]))
		}
		return errors.Join(failures...)
	}}
}
