package audit

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/service"
)

// What operators do with dead letters.
const (
	deadLetterRedriven Name = "dead_letter.redriven"
	deadLetterDropped  Name = "dead_letter.dropped"
)

// DeadLetters is a service's command dead-letters. Operators have no account there: a record
// has the address that they give, and no id.
func DeadLetters(publisher auditv1.Publisher) service.Command {
	return bus.DeadLettersCommand(func(ctx context.Context, tx pgx.Tx, operator string, done bus.LetterOutcome, letter bus.DeadLetter) error {
		before, err := json.Marshal(map[string]string{"type": letter.Type, "reason": letter.Reason})
		if err != nil {
			return err
		}
		action := map[bus.LetterOutcome]Name{bus.Redriven: deadLetterRedriven, bus.Dropped: deadLetterDropped}[done]
		return bus.Append(ctx, tx, bus.Event{
			Type: "fledge." + enum.Name(publisher) + ".v1.staff.action", Subject: letter.EventID.String(),
			Payload: &auditv1.StaffAction{
				ActorId: uuid.Nil.String(), ActorEmail: operator, Action: string(action),
				Subject: letter.EventID.String(), SubjectLabel: letter.Consumer, Before: string(before),
			},
		})
	})
}
