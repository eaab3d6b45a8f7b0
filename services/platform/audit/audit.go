// Package audit records changes by staff: who changed what, from which value to which,
// when and from where. A service appends a record to its outbox in the transaction
// of the change, so that neither exists without the other; the identity service
// collects the records of all services in its audit log.
//
//	const approved audit.Name = "waitlist.approved"
//
//	var staff = audit.For(auditv1.Publisher_PUBLISHER_WAITLIST, audit.Terms{
//		Actions: []audit.Name{approved},
//		Fields:  []string{"status"},
//	})
//
//	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
//		// … change the row …
//		return staff.Record(ctx, tx, audit.Action{
//			Name:    approved,
//			Subject: entry.ID.String(),
//			Label:   entry.Email.String(),
//			Before:  audit.State{"status": "pending"},
//			After:   audit.State{"status": "approved"},
//		})
//	})
//
// A change that is a single statement inserts the outbox row in a CTE instead:
// [Log.Event] and [bus.Encode] make it.
//
// Person, client and request are taken from the context that package rpc gives a handler:
// the person of the verified token, and the client as the gateway saw it; [WithActor] puts there who
// has no account. A call that
// is repeated or changes nothing leaves no record.
package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/clientinfo"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/obs"
)

// Name is what was done: "<what>.<what was done to it>". Identity's list of all names, by which
// the log can be filtered, is auditlog.Actions.
type Name string

// Terms are the words that a service's records consist of. Others cannot be recorded, so
// that nothing gets into the log that nobody thought about: no message of a customer, no
// token, no address.
type Terms struct {
	Actions []Name
	// Fields are the keys of states.
	Fields []string
}

// Action is one change.
type Action struct {
	// Name is one of the service's Terms.
	Name Name
	// Subject is the id of what was changed.
	Subject string
	// Label is what people call the subject, such as an address or a ticket's
	// number; may be "".
	Label string
	// Before and After hold what was changed, and nothing else; may be nil.
	Before, After State
	// Reason is why, in the words of who acts, see ParseReason; "" where none is asked for.
	Reason string
}

// Log is one service's way into the audit log.
type Log struct {
	service string
	terms   Terms
}

// For returns the log for what the service's staff does.
func For(service auditv1.Publisher, terms Terms) Log { return Log{enum.Name(service), terms} }

// WithActor returns ctx in which somebody acts who has no account: an operator at the command line, or
// the service by itself. Their records have this name, and neither an id nor a client.
func WithActor(ctx context.Context, name string) context.Context {
	return authn.WithPrincipal(clientinfo.With(ctx, clientinfo.Info{}), authn.Principal{UserID: uuid.Nil.String(), Email: name})
}

// errNobody is a mistake in the program: only methods for staff are recorded, and
// no such method runs without a person.
var errNobody = errors.New("audit: nobody acts in this context")

// Record appends the action to the outbox in the caller's transaction.
func (l Log) Record(ctx context.Context, tx bus.DBTX, action Action) error {
	ev, err := l.Event(ctx, action)
	if err != nil {
		return err
	}
	return bus.Append(ctx, tx, ev)
}

// Event makes the action's event: fledge.<service>.v1.staff.action.
func (l Log) Event(ctx context.Context, action Action) (bus.Event, error) {
	person, ok := authn.FromContext(ctx)
	if !ok {
		return bus.Event{}, errNobody
	}
	if !slices.Contains(l.terms.Actions, action.Name) {
		return bus.Event{}, fmt.Errorf("audit: %q is not among the actions of %s", action.Name, l.service)
	}
	before, err := l.encode(action.Before)
	if err != nil {
		return bus.Event{}, err
	}
	after, err := l.encode(action.After)
	if err != nil {
		return bus.Event{}, err
	}
	client := clientinfo.FromContext(ctx)
	return bus.Event{
		Type:    "fledge." + l.service + ".v1.staff.action",
		Subject: action.Subject,
		Payload: &auditv1.StaffAction{
			ActorId: person.UserID, ActorEmail: person.Email,
			Action: string(action.Name), Subject: action.Subject, SubjectLabel: action.Label, Before: before, After: after,
			ClientIp: client.IP, UserAgent: client.UserAgent, RequestId: obs.RequestID(ctx),
			Reason: action.Reason,
		},
	}, nil
}
