package webhook

import (
	"context"

	"fledge.dev/services/platform/jobs"
)

// Migrate creates the queue's tables or brings them up to date. It comes after
// store.Migrate.
func Migrate(ctx context.Context, url string) error { return jobs.Migrate(ctx, url, schema) }
