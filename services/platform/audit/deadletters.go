package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/text"
)

// What operators do with dead letters.
const (
	deadLetterRedriven Name = "dead_letter.redriven"
	deadLetterDropped  Name = "dead_letter.dropped"
)

const deadLettersHelp = `
  list      shows all, the oldest first: consumer, event, type, since when, why
  redrive   hands them to their consumer again; a running service does so within
            seconds. Those that fail again stay, with the new reason.
  drop      deletes them: their events will never have an effect
Redrive and drop take your address, which the audit log keeps, and what is meant:
the name of a consumer, or events. They print what they found. Needs DATABASE_URL only.`

// DeadLetters is a service's command dead-letters, by which operators deal with events that a consumer could not
// handle. Records keep the beginning of a reason; its list shows all of it.
func DeadLetters(publisher auditv1.Publisher) service.Command {
	log := For(publisher, Terms{Actions: []Name{deadLetterRedriven, deadLetterDropped}, Fields: []string{"type", "reason"}})
	return service.Command{
		Name: "dead-letters", Arguments: "list | (redrive | drop) <your address> <consumer | event>…",
		Summary: "show events that could not be handled, hand them out again or delete them", Help: deadLettersHelp,
		Run: func(ctx context.Context, call service.Call) error {
			statement, err := parseDeadLetters(call.Args)
			if err != nil {
				return err
			}
			return pg.OnDatabase(ctx, call, func(pool *pgxpool.Pool, _ pg.Config) error {
				letters, err := statement.run(ctx, pool, log)
				if err != nil {
					return err
				}
				for _, l := range letters {
					if _, err := fmt.Fprintf(call.Out, "%s\t%s\t%s\t%s\t%s\n", l.Consumer, l.EventID, l.Type, l.DiedAt.UTC().Format(time.RFC3339), text.Line(l.Reason)); err != nil {
						return err
					}
				}
				_, err = fmt.Fprintf(call.Out, "%d %s\n", len(letters), statement.outcome)
				return err
			})
		},
	}
}

// deadLetter is an event that a consumer could not handle.
type deadLetter struct {
	Consumer string
	EventID  uuid.UUID
	Type     string
	// Reason is the handler's last error.
	Reason string
	DiedAt time.Time
}

// deadLettersCall is a call of the command. action is empty for one that changes nothing.
type deadLettersCall struct {
	sql, operator, outcome string
	action                 Name
	chosen                 []string
}

func parseDeadLetters(args []string) (deadLettersCall, error) {
	const (
		columns = " consumer, event_id, type, reason, died_at"
		chosen  = " WHERE consumer = ANY ($1) OR event_id::text = ANY ($1) RETURNING" + columns
	)
	switch {
	case len(args) == 1 && args[0] == "list":
		return deadLettersCall{sql: "SELECT" + columns + " FROM dead_letter ORDER BY died_at", outcome: "dead letters"}, nil
	case len(args) < 3 || !address.Is(args[1]):
	case args[0] == "redrive":
		return deadLettersCall{"UPDATE dead_letter SET redrive_at = now()" + chosen, args[1], "redriven", deadLetterRedriven, lower(args[2:])}, nil
	case args[0] == "drop":
		return deadLettersCall{"DELETE FROM dead_letter" + chosen, args[1], "dropped", deadLetterDropped, lower(args[2:])}, nil
	}
	return deadLettersCall{}, service.Misuse("say what to do: list, redrive or drop, and for the latter two your address and which events")
}

// lower are the words as consumers and ids are written.
func lower(words []string) []string {
	return strings.Split(strings.ToLower(strings.Join(words, "\n")), "\n")
}

func (c deadLettersCall) run(ctx context.Context, pool *pgxpool.Pool, log Log) (letters []deadLetter, err error) {
	var args []any
	if c.action != "" {
		args = append(args, c.chosen)
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, c.sql, args...)
		if err != nil {
			return fmt.Errorf("dead letters: %w", err)
		}
		if letters, err = pgx.CollectRows(rows, pgx.RowToStructByPos[deadLetter]); err != nil || c.action == "" {
			return err
		}
		for _, l := range letters {
			if err := log.Record(WithActor(ctx, c.operator), tx, Action{
				Name: c.action, Subject: l.EventID.String(), Label: l.Consumer,
				Before: State{"type": l.Type, "reason": mail.Cut(l.Reason, maxText)},
			}); err != nil {
				return err
			}
		}
		return nil
	})
	return letters, err
}
