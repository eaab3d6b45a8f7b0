package auditlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/enum"
)

// Log keeps entries. Writing one again changes nothing.
type Log interface {
	AppendAudit(ctx context.Context, tx pgx.Tx, e Entry) error
}

// Consumers write down the events of all services.
func Consumers(log Log) []bus.ConsumerSpec {
	var specs []bus.ConsumerSpec
	for _, service := range enum.Names[auditv1.Publisher]() {
		specs = append(specs, bus.ConsumerSpec{
			Name:   "identity-audit-" + service,
			Stream: bus.StreamOf(service),
			Type:   "fledge." + service + ".v1.staff.action",
			Handle: bus.On(func(ctx context.Context, tx pgx.Tx, ev bus.Event, action *auditv1.StaffAction) error {
				e, err := fromEvent(service, ev, action)
				if err != nil {
					return bus.Poison(err)
				}
				return log.AppendAudit(ctx, tx, e)
			}),
		})
	}
	return specs
}

func fromEvent(service string, ev bus.Event, action *auditv1.StaffAction) (Entry, error) {
	actor, err := uuid.Parse(action.GetActorId())
	if err != nil {
		return Entry{}, fmt.Errorf("auditlog: actor: %w", err)
	}
	if action.GetAction() == "" || action.GetActorEmail() == "" {
		return Entry{}, errors.New("auditlog: no action or no actor")
	}
	for _, state := range []string{action.GetBefore(), action.GetAfter()} {
		var object map[string]any
		if err := json.Unmarshal([]byte(state), &object); state != "" && err != nil {
			return Entry{}, fmt.Errorf("auditlog: state: %w", err)
		}
	}
	return Entry{
		ID: ev.ID, At: ev.Time, Service: service, ActorID: actor, ActorEmail: action.GetActorEmail(), Action: action.GetAction(),
		Subject: action.GetSubject(), Label: action.GetSubjectLabel(), Before: action.GetBefore(), After: action.GetAfter(),
		ClientIP: action.GetClientIp(), UserAgent: action.GetUserAgent(), RequestID: action.GetRequestId(),
		Reason: action.GetReason(),
	}, nil
}
