package mail

import (
	"context"

	"fledge.dev/services/platform/jobs"
)

// schema holds River's tables for emails.
const schema = "mail"

// Migrate creates the queue's tables or brings them up to date. A service calls
// it after pg.Migrate.
func Migrate(ctx context.Context, url string) error { return jobs.Migrate(ctx, url, schema) }
