package identity

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/auditlog"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/service"
)

const (
	deadLetterRedriven audit.Name = "dead_letter.redriven"
	deadLetterDropped  audit.Name = "dead_letter.dropped"
)

// deadLetters records what operators do in the audit log. They have no account here: the entry
// has the address that they give, and no id.
func deadLetters() service.Command {
	log := store.New(nil, account.NewAdmins(nil), 0) // works in the command's transaction
	return bus.DeadLettersCommand(func(ctx context.Context, tx pgx.Tx, operator string, done bus.LetterOutcome, letter bus.DeadLetter) error {
		action := map[bus.LetterOutcome]audit.Name{bus.Redriven: deadLetterRedriven, bus.Dropped: deadLetterDropped}[done]
		before, err := json.Marshal(map[string]string{"type": letter.Type, "reason": letter.Reason})
		if err != nil {
			return err
		}
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		return log.AppendAudit(ctx, tx, auditlog.Entry{
			ID: id, At: time.Now(), Service: "identity", ActorEmail: operator, Action: string(action),
			Subject: letter.EventID.String(), Label: letter.Consumer, Before: string(before),
		})
	})
}
