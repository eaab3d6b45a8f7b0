package audit

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/service"
)

// What operators do with emails.
const (
	mailResent  Name = "mail.resent"
	mailDropped Name = "mail.dropped"
	mailTested  Name = "mail.tested"
)

var mailActions = map[mail.Done]Name{mail.Resent: mailResent, mail.Dropped: mailDropped, mail.Tested: mailTested}

// MailRecord records what staff of a service do with an email, for mail.Queue.Record.
func MailRecord(publisher auditv1.Publisher) func(ctx context.Context, tx pgx.Tx, done mail.Done, email mail.Undelivered) error {
	log := For(publisher, Terms{Actions: []Name{mailResent, mailDropped}, Fields: []string{"state", "reply", "at"}})
	return func(ctx context.Context, tx pgx.Tx, done mail.Done, email mail.Undelivered) error {
		return log.Record(ctx, tx, Action{
			Name: mailActions[done], Subject: strconv.FormatInt(email.ID, 10), Label: email.Key,
			Before: State{"state": string(email.State), "reply": email.Reply, "at": email.At},
		})
	}
}

// Mails is a service's command mails, see mail.Command. Operators have no account there: a
// record has the address that they give, and no id. The email's key stands for its recipient.
func Mails(publisher auditv1.Publisher, builtIn func(siteOrigin string) mail.BuiltIn, told func(ctx context.Context, tx pgx.Tx, key string, o mail.Outcome) error) service.Command {
	return mail.Command(builtIn, func(ctx context.Context, tx pgx.Tx, operator string, done mail.Done, email mail.Undelivered) error {
		var before []byte
		action, id := mailActions[done], email.Key
		if done != mail.Tested {
			id = strconv.FormatInt(email.ID, 10)
			var err error
			if before, err = json.Marshal(email.Outcome); err != nil {
				return err
			}
		}
		return bus.Append(ctx, tx, bus.Event{
			Type: "fledge." + enum.Name(publisher) + ".v1.staff.action", Subject: id,
			Payload: &auditv1.StaffAction{
				ActorId: uuid.Nil.String(), ActorEmail: operator, Action: string(action),
				Subject: id, SubjectLabel: email.Key, Before: string(before),
			},
		})
	}, told)
}
