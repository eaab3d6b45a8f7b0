package bus

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// DeadLetter is an event that a consumer could not handle.
type DeadLetter struct {
	Consumer string
	EventID  uuid.UUID
	Type     string
	// Reason is the handler's last error.
	Reason string
	DiedAt time.Time
}

// LetterOutcome is what an operator has done with a dead letter.
type LetterOutcome string

// What can be done.
const (
	Redriven LetterOutcome = "redriven"
	Dropped  LetterOutcome = "dropped"
)

const deadLettersHelp = `
  list      shows all, the oldest first: consumer, event, type, since when, why
  redrive   hands them to their consumer again; a running service does so within
            seconds. Those that fail again stay, with the new reason.
  drop      deletes them: their events will never have an effect
Redrive and drop take your address, which the audit log keeps, and what is meant:
the name of a consumer, or events. They print what they found. Needs DATABASE_URL only.`

// DeadLettersCommand is the command of a service with consumers by which operators deal with
// dead letters. record notes in the transaction who has done what.
func DeadLettersCommand(record func(ctx context.Context, tx pgx.Tx, operator string, done LetterOutcome, letter DeadLetter) error) service.Command {
	return service.Command{
		Name: "dead-letters", Arguments: "list | (redrive | drop) <your address> <consumer | event>…",
		Summary: "show events that could not be handled, hand them out again or delete them", Help: deadLettersHelp,
		Run: func(ctx context.Context, call service.Call) error {
			statement, err := parseDeadLetters(call.Args)
			if err != nil {
				return err
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, _ pg.Config) error {
				letters, err := statement.run(ctx, pool, record)
				if err != nil {
					return err
				}
				for _, l := range letters {
					if _, err := fmt.Fprintf(call.Out, "%s\t%s\t%s\t%s\t%s\n", l.Consumer, l.EventID, l.Type, l.DiedAt.UTC().Format(time.RFC3339), l.Reason); err != nil {
						return err
					}
				}
				_, err = fmt.Fprintf(call.Out, "%d %s\n", len(letters), statement.outcome())
				return err
			})
		},
	}
}

// deadLettersCall is a call of the command.
type deadLettersCall struct {
	sql, operator string
	done          LetterOutcome
	chosen        []string
}

func parseDeadLetters(args []string) (deadLettersCall, error) {
	const columns = " consumer, event_id, type, reason, died_at"
	switch {
	case len(args) == 1 && args[0] == "list":
		return deadLettersCall{sql: "SELECT" + columns + " FROM dead_letter ORDER BY died_at"}, nil
	case len(args) >= 3 && args[0] == "redrive":
		return deadLettersCall{"UPDATE dead_letter SET redrive_at = now() WHERE consumer = ANY ($1) OR event_id::text = ANY ($1) RETURNING" + columns, args[1], Redriven, lower(args[2:])}, nil
	case len(args) >= 3 && args[0] == "drop":
		return deadLettersCall{"DELETE FROM dead_letter WHERE consumer = ANY ($1) OR event_id::text = ANY ($1) RETURNING" + columns, args[1], Dropped, lower(args[2:])}, nil
	}
	return deadLettersCall{}, service.Misuse("say what to do: list, redrive or drop, and for the latter two who you are and which events")
}

// lower are the words as consumers and ids are written.
func lower(words []string) []string {
	return strings.Split(strings.ToLower(strings.Join(words, "\n")), "\n")
}

func (c deadLettersCall) outcome() string {
	if c.done == "" {
		return "dead letters"
	}
	return string(c.done)
}

func (c deadLettersCall) run(ctx context.Context, pool *pgxpool.Pool, record func(context.Context, pgx.Tx, string, LetterOutcome, DeadLetter) error) (letters []DeadLetter, err error) {
	var args []any
	if c.done != "" {
		args = append(args, c.chosen)
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, c.sql, args...)
		if err != nil {
			return fmt.Errorf("bus: dead letters: %w", err)
		}
		if letters, err = pgx.CollectRows(rows, pgx.RowToStructByPos[DeadLetter]); err != nil || c.done == "" {
			return err
		}
		for _, l := range letters {
			if err := record(ctx, tx, c.operator, c.done, l); err != nil {
				return err
			}
		}
		return nil
	})
	return letters, err
}
