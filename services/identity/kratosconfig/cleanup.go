package kratosconfig

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/config"
)

// KeepErrors is how long Kratos' rows of failed sign-ins are kept: the error page reads its own
// right away.
const KeepErrors = 24 * time.Hour

// Of rows that one statement removes there are few enough for it to end soon.
const removeErrors = `DELETE FROM selfservice_errors WHERE id IN (
	SELECT id FROM selfservice_errors WHERE created_at < (now() AT TIME ZONE 'UTC') - $1::interval LIMIT 10000)`

// RemoveErrors removes from Kratos' database the rows of failed sign-ins that are older than
// KeepErrors, which its own clean-up leaves, and returns how many there were.
func RemoveErrors(ctx context.Context, database config.Secret) (removed int64, err error) {
	conn, err := pgx.Connect(ctx, database.Reveal())
	if err != nil {
		return 0, fmt.Errorf("kratos' database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for {
		tag, err := conn.Exec(ctx, removeErrors, KeepErrors)
		if err != nil {
			return removed, fmt.Errorf("kratos' database: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return removed, nil
		}
		removed += tag.RowsAffected()
	}
}
