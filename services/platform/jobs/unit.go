package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"fledge.dev/services/platform/service"
)

// Unit works the client's queue until stopped. Stopping lets jobs under way finish
// for as long as its context allows, and then cancels them.
func Unit[T any](name string, client *river.Client[T]) service.Unit {
	return service.Unit{Name: name, Start: func(ctx context.Context) (func(context.Context) error, error) {
		if err := client.Start(context.WithoutCancel(ctx)); err != nil {
			return nil, fmt.Errorf("jobs: %w", err)
		}
		return func(ctx context.Context) error {
			err := client.Stop(ctx)
			if err == nil {
				return nil
			}
			hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			return errors.Join(err, client.StopAndCancel(hard))
		}, nil
	}}
}
