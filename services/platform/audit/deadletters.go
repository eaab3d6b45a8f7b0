package audit

import (
	"context"

	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/service"
)

// What operators do with dead letters.
const (
	deadLetterRedriven Name = "dead_letter.redriven"
	deadLetterDropped  Name = "dead_letter.dropped"
)

// DeadLetters is a service's command dead-letters. Records keep the beginning of a reason; its list shows all of it.
func DeadLetters(publisher auditv1.Publisher) service.Command {
	log := For(publisher, Terms{Actions: []Name{deadLetterRedriven, deadLetterDropped}, Fields: []string{"type", "reason"}})
	actions := map[bus.LetterOutcome]Name{bus.Redriven: deadLetterRedriven, bus.Dropped: deadLetterDropped}
	return bus.DeadLettersCommand(func(ctx context.Context, tx pgx.Tx, operator string, done bus.LetterOutcome, letter bus.DeadLetter) error {
		return log.Record(WithActor(ctx, operator), tx, Action{
			Name: actions[done], Subject: letter.EventID.String(), Label: letter.Consumer,
			Before: State{"type": letter.Type, "reason": mail.Cut(letter.Reason, maxText)},
		})
	})
}
