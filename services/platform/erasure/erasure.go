// Package erasure is what a service does when an account ends for good: identity says
// user.deleted, the service erases what it holds about the account, and answers with
// user.erased, all in one transaction. Identity goes on when every service has answered.
package erasure

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	erasurev1 "fledge.dev/proto/gen/go/fledge/events/erasure/v1"
	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
)

// Deleted is the event that begins an erasure.
const Deleted = "fledge.identity.v1.user.deleted"

// ackWait gives an erasure more time than other events have: it reads much of the outbox.
const ackWait = 2 * time.Minute

// Account is one that ends.
type Account struct {
	ID uuid.UUID
	// Emails are all addresses that it has had, lower-cased.
	Emails []string
	// Deleted is when it was deleted, which may be some time ago.
	Deleted time.Time
}

// Words are what mentions the account: its id and its addresses.
func (a Account) Words() []string { return append([]string{a.ID.String()}, a.Emails...) }

// Consumer erases, by erase, what the service's own tables hold about accounts that end; nil
// is for a service that holds nothing. erase works in tx, may be called again for an account
// that it has erased, and returns an error of fault.Unavailable for what has to be tried
// again. It returns further addresses that it knew to be the account's. The emails in the
// service's queues, its dead letters and its events in the outbox behind pool are erased after
// that; the answer has the hashes of the further addresses. pool is nil where only the
// consumer's name matters. Accounts end one after the other, because each needs two connections.
func Consumer(service string, pool *pgxpool.Pool, erase func(ctx context.Context, tx pgx.Tx, account Account) (further []string, err error), queues ...*mail.Queue) bus.ConsumerSpec {
	events := NewOutboxEraser(pool)
	return bus.ConsumerSpec{
		Name: service + "-erasure", Stream: bus.StreamOf("identity"), Type: Deleted, Workers: 1, AckWait: ackWait,
		Handle: bus.On(func(ctx context.Context, tx pgx.Tx, ev bus.Event, deleted *eventsv1.UserDeleted) error {
			id, err := bus.AccountID(deleted.GetUserId())
			if err != nil {
				return err
			}
			account := Account{ID: id, Emails: deleted.GetEmails(), Deleted: ev.Time}
			answer := &erasurev1.UserErased{UserId: id.String()}
			if erase != nil {
				further, err := erase(ctx, tx, account)
				if err != nil {
					return err
				}
				for _, address := range further {
					if slices.Contains(account.Emails, address) {
						continue
					}
					hash := sha256.Sum256([]byte(address))
					account.Emails, answer.AddressHashes = append(account.Emails, address), append(answer.AddressHashes, hash[:])
				}
			}
			for _, queue := range queues {
				if err := queue.Erase(ctx, tx, account.Emails...); err != nil {
					return err
				}
			}
			if err := events.Erase(ctx, tx, ev.ID, account.Words()...); err != nil {
				return err
			}
			return bus.Append(ctx, tx, bus.Event{Type: Erased(service), Subject: id.String(), Payload: answer})
		}),
	}
}

// Erased is the type of a service's answer.
func Erased(service string) string { return "fledge." + service + ".v1.user.erased" }

// ErrErased refuses what comes after an erasure, such as a request with a session of before.
var ErrErased = fault.New(fault.Forbidden, "account_erased", "This account was deleted.")

// isErased says twice of which type the event is: PostgreSQL takes the index of answers only by the words of its own condition.
const isErased = `SELECT EXISTS (SELECT FROM outbox WHERE subject = $2 AND type = $1 AND type LIKE '%.user.erased')`

// IsErased tells whether the service has erased the account in the last days: its answer is kept for
// longer than identity's answers about an account are, of which a cached one may still call it active.
// A service that asks, and then keeps something about the account, does both in one transaction that
// its erase waits for.
func IsErased(ctx context.Context, tx pgx.Tx, service string, account uuid.UUID) (erased bool, err error) {
	err = tx.QueryRow(ctx, isErased, Erased(service), account.String()).Scan(&erased)
	return erased, err
}
