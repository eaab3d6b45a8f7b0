// Package seed invents accounts, and audit entries of staff.
package seed

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"
)

//go:embed users.sql
var users string

//go:embed audit.sql
var audit string

// Accounts adds n accounts and two entries of the audit log for each. It is a
// seed.Rows.
//
// Kratos knows none of the accounts. They are marked as gone from there long ago,
// so that nobody asks it about them; lists show them like all others.
func Accounts(ctx context.Context, tx pgx.Tx, n int) ([]string, error) {
	if _, err := tx.Exec(ctx, users, n); err != nil {
		return nil, err
	}
	_, err := tx.Exec(ctx, audit, 2*n)
	return []string{"users", "user_roles", "audit_log"}, err
}
