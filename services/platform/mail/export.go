package mail

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/export"
)

const exportSQL = `SELECT id::text AS key, json_build_object(
	'to', args->'message'->>'To', 'subject', args->'message'->>'Subject', 'text', args->'message'->>'Text',
	'reason', args->>'key', 'continues', args->'message'->>'Follows', 'queued_at', created_at, 'next_try_at', CASE WHEN finalized_at IS NULL THEN scheduled_at END,
	'last_try_at', attempted_at, 'tries', attempt, 'outcome', coalesce(metadata->'output'->>'state', CASE WHEN finalized_at IS NULL THEN 'waiting'
		WHEN state = 'completed' THEN 'sent' ELSE 'failed' END), 'answer', metadata->'output'->>'reply', 'ended_at', finalized_at)::json AS fields
	FROM ` + schema + `.river_job
	WHERE lower(args->'message'->>'To') = ANY ($1) AND id > $2 ORDER BY id LIMIT $3`

// ExportTable is what a service's queue holds for an account.
func ExportTable(pool *pgxpool.Pool) export.Table {
	return export.Table{
		File: "emails", About: "The emails to you of the last day, and for a month those that could not be delivered.",
		Read: func(ctx context.Context, account export.Account, after string) ([]export.Row, error) {
			id, _ := strconv.ParseInt(after, 10, 64) // "" is 0
			addresses := make([]string, len(account.Emails))
			for i, address := range account.Emails {
				addresses[i] = strings.ToLower(address)
			}
			rows, err := pool.Query(ctx, exportSQL, addresses, id, export.PageSize)
			if err != nil {
				return nil, err
			}
			list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[export.Row])
			return list, err
		},
	}
}

const exportReportsSQL = `SELECT id::text AS key, json_build_object('id', id, 'address', address, 'kind', kind, 'reason', reason,
	'reported_at', reported_at, 'received_at', received_at, 'lifted_at', lifted_at)::json AS fields
	FROM ` + schema + `.reports WHERE address = ANY ($1) AND id > $2 ORDER BY id LIMIT $3`

// ReportsTable is what providers have reported about the addresses of an account.
func ReportsTable(pool *pgxpool.Pool) export.Table {
	return export.Table{
		File: "email-reports", About: "What mail providers reported about emails to you: that they bounced, or that they were unwanted.",
		Read: func(ctx context.Context, account export.Account, after string) ([]export.Row, error) {
			id := uuid.Nil // before all others
			if after != "" {
				var err error
				if id, err = uuid.Parse(after); err != nil {
					return nil, err
				}
			}
			addresses := make([]string, len(account.Emails))
			for i, address := range account.Emails {
				addresses[i] = reported(address)
			}
			rows, err := pool.Query(ctx, exportReportsSQL, addresses, id, export.PageSize)
			if err != nil {
				return nil, err
			}
			return pgx.CollectRows(rows, pgx.RowToStructByPos[export.Row])
		},
	}
}
