package mail

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// Undelivered is an email that has failed to be delivered, so far or for good.
type Undelivered struct {
	ID  int64
	Key string
	To  string
	Outcome
	QueuedAt time.Time
}

// Done is what an operator has done with an email that was not delivered.
type Done string

// What can be done.
const (
	Resent  Done = "resent"
	Dropped Done = "dropped"
	// Tested is a sample that was sent to the operator: Undelivered.Key names its template.
	Tested Done = "tested"
)

const commandHelp = `
  list      shows all that could not be delivered, the oldest first: number, state,
            key, recipient, since when, and what the server answered to what.
            waiting ones are still tried; bounced ones have no such recipient, readers of
            complained ones have marked an email as spam, and given_up ones waited for four
            and a half days. All are kept for 30 days.
  resend    tries them again, with a full time of patience; waiting ones at once. What the
            provider has reported of their addresses no longer counts
  drop      deletes them: they will never be sent
  preview   writes every email, with made-up values and in the words that are installed, into a
            directory: <template>-<number>.html and .txt
  test      sends you the emails of a template as they are previewed, soon
Resend and drop take your address, which the audit log keeps, and what is meant: numbers,
keys, recipients, or a state. They print what they found. All but preview need DATABASE_URL,
preview and test also take MAIL_TEMPLATES_DIR, MAIL_REPLY_TO and SITE_ORIGIN.`

// Command is the command of a service with a queue by which operators deal with emails that
// were not delivered, and look at what the service sends: builtIn. record notes in the transaction who has done what; told, which may be nil, hears as that of
// Queue.Tell that an email waits again.
func Command(builtIn func(siteOrigin string) BuiltIn, record func(ctx context.Context, tx pgx.Tx, operator string, done Done, email Undelivered) error,
	told func(ctx context.Context, tx pgx.Tx, key string, o Outcome) error,
) service.Command {
	return service.Command{
		Name: "mails", Arguments: "list | (resend | drop) <your address> <number | key | recipient | state>… | preview <directory> | test <your address> <template>",
		Summary: "show emails that were not delivered, send them again or delete them; preview and test what is sent", Help: commandHelp,
		Run: func(ctx context.Context, call service.Call) error {
			switch args := call.Args; {
			case len(args) == 2 && args[0] == "preview":
				return preview(call, builtIn, args[1])
			case len(args) == 3 && args[0] == "test" && address.Is(args[1]):
				return test(ctx, call, builtIn, record, args[1], args[2])
			}
			wanted, err := parseCommand(call.Args)
			if err != nil {
				return err
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, _ pg.Config) error {
				emails, err := wanted.run(ctx, pool, record, told)
				if err != nil {
					return err
				}
				for _, e := range emails {
					if _, err := fmt.Fprintf(call.Out, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", e.ID, e.State, e.Key, e.To, e.QueuedAt.UTC().Format(time.RFC3339), e.Reply, e.At); err != nil {
						return err
					}
				}
				_, err = fmt.Fprintf(call.Out, "%d %s\n", len(emails), wanted.outcome())
				return err
			})
		},
	}
}

// commandCall is a call of the command.
type commandCall struct {
	operator string
	done     Done
	chosen   []string
}

func parseCommand(args []string) (commandCall, error) {
	switch {
	case len(args) == 1 && args[0] == "list":
		return commandCall{}, nil
	case len(args) < 3 || !address.Is(args[1]):
	case args[0] == "resend":
		return commandCall{args[1], Resent, inBothCases(args[2:])}, nil
	case args[0] == "drop":
		return commandCall{args[1], Dropped, inBothCases(args[2:])}, nil
	}
	return commandCall{}, service.Misuse("say what to do: list, resend or drop, for the latter two with your address and which emails; or preview with a directory; or test with your address and a template")
}

// inBothCases are the words as they are, for keys, and in lower case, as recipients are compared.
func inBothCases(words []string) []string {
	all := slices.Clone(words)
	for _, word := range words {
		all = append(all, strings.ToLower(word))
	}
	return all
}

func (c commandCall) outcome() string {
	if c.done == "" {
		return "emails not delivered"
	}
	return string(c.done)
}

const (
	table = schema + ".river_job"
	// undelivered selects jobs that have an end without success, or a try, or were put off because
	// no email could be sent. One that is being delivered, or was sent and is yet to be recorded, is left alone.
	undelivered = `SELECT id, args->>'key' AS key, args->'message'->>'To' AS recipient,
			coalesce(metadata->'output'->>'state', CASE WHEN finalized_at IS NULL THEN 'waiting' ELSE 'given_up' END) AS ended,
			coalesce(metadata->'output'->>'reply', '') AS reply, coalesce(metadata->'output'->>'at', '') AS at, created_at
		FROM ` + table + ` WHERE state IN ('cancelled', 'discarded') OR state IN ('available', 'retryable', 'scheduled') AND metadata ?| ARRAY['output', 'snoozes']
			AND metadata->'output'->>'state' IS DISTINCT FROM 'sent'`
	listSQL = undelivered + ` ORDER BY created_at, id`
	// resendSQL leaves an email alone that was queued again under the same key. It keeps what became of the email
	// before, for worker.withdraw.
	resendSQL = `WITH u AS (` + undelivered + `)
		UPDATE ` + table + ` AS j SET state = 'available', created_at = now(), scheduled_at = now(), attempt = 0, errors = NULL, finalized_at = NULL,
			metadata = j.metadata - ARRAY['output', 'snoozes'] || jsonb_build_object('before', coalesce(j.metadata->'output', '{}'))
		FROM u WHERE j.id = u.id AND ARRAY[u.id::text, u.key, lower(u.recipient), u.ended] && $1::text[]
			AND NOT EXISTS (SELECT FROM ` + table + ` AS newer WHERE newer.args->>'key' = u.key AND newer.id > u.id)
		RETURNING u.*`
	dropSQL = `WITH u AS (` + undelivered + `)
		DELETE FROM ` + table + ` AS j USING u WHERE j.id = u.id AND ARRAY[u.id::text, u.key, lower(u.recipient), u.ended] && $1::text[]
		RETURNING u.*`
)

func (c commandCall) run(ctx context.Context, pool *pgxpool.Pool, record func(context.Context, pgx.Tx, string, Done, Undelivered) error,
	told func(context.Context, pgx.Tx, string, Outcome) error,
) (emails []Undelivered, err error) {
	sql, args := listSQL, []any(nil)
	switch c.done {
	case Resent:
		sql, args = resendSQL, []any{c.chosen}
	case Dropped:
		sql, args = dropSQL, []any{c.chosen}
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return fmt.Errorf("mail: mails: %w", err)
		}
		emails, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Undelivered, err error) {
			err = row.Scan(&e.ID, &e.Key, &e.To, &e.State, &e.Reply, &e.At, &e.QueuedAt)
			return e, err
		})
		if err != nil || c.done == "" {
			return err
		}
		for _, e := range emails {
			if err := record(ctx, tx, c.operator, c.done, e); err != nil {
				return err
			}
			outcome := Outcome{State: Waiting}
			switch {
			case c.done == Resent:
				if err := allow(ctx, tx, e.To); err != nil {
					return err
				}
			case e.State == Waiting:
				outcome = Outcome{State: GivenUp, Reply: e.Reply}
			default:
				continue
			}
			if told != nil {
				if err := told(ctx, tx, e.Key, outcome); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return emails, err
}
