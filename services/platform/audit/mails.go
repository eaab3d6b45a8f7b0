package audit

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
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

// MailRecord records what staff of a service do with an email, for mail.Queue.Record. The email's key stands for its
// recipient.
func MailRecord(publisher auditv1.Publisher) func(ctx context.Context, tx pgx.Tx, done mail.Done, email mail.Undelivered) error {
	log := For(publisher, Terms{Actions: []Name{mailResent, mailDropped, mailTested}, Fields: []string{"state", "reply", "at"}})
	return func(ctx context.Context, tx pgx.Tx, done mail.Done, email mail.Undelivered) error {
		action := Action{Name: mailActions[done], Subject: email.Key, Label: email.Key}
		if done != mail.Tested {
			action.Subject = strconv.FormatInt(email.ID, 10)
			action.Before = State{"state": string(email.State), "reply": email.Reply, "at": email.At}
		}
		return log.Record(ctx, tx, action)
	}
}

// Mails is a service's command mails, see mail.Command.
func Mails(publisher auditv1.Publisher, builtIn func(siteOrigin string) mail.BuiltIn, told func(ctx context.Context, tx pgx.Tx, key string, o mail.Outcome) error) service.Command {
	record := MailRecord(publisher)
	return mail.Command(builtIn, func(ctx context.Context, tx pgx.Tx, operator string, done mail.Done, email mail.Undelivered) error {
		return record(WithActor(ctx, operator), tx, done, email)
	}, told)
}
