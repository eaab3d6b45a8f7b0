package bus

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// MaxPayload is the largest payload in bytes. With its headers a message stays
// below the server's max_payload of 256 KiB.
const MaxPayload = 240 << 10

// Event is one thing that happened, with its envelope.
type Event struct {
	// ID names the event for good; deduplication goes by it. Append makes a
	// version 7 UUID when it is zero.
	ID uuid.UUID
	// Type is fledge.<service>.v<N>.<entity>.<verb>.
	Type string
	// Time is when it happened. Append takes the transaction's time when it is zero.
	Time time.Time
	// Source is who says so. Append takes the type's service when it is empty.
	Source string
	// Subject is the ID of the entity that the event is about. Required.
	Subject string
	// Version counts the entity's changes, from 1; 0 means not versioned.
	Version int64
	// Payload is the message that the type names.
	Payload proto.Message
}

var typePattern = regexp.MustCompile(`^fledge\.([a-z]+)\.(v[1-9][0-9]*)\.([a-z]+(?:_[a-z]+)*)\.([a-z]+(?:_[a-z]+)*)$`)

// eventType is a Type taken apart.
type eventType struct{ service, version, entity, verb string }

func parseType(name string) (eventType, error) {
	m := typePattern.FindStringSubmatch(name)
	if m == nil {
		return eventType{}, fmt.Errorf("bus: %q is not of the form fledge.<service>.v<N>.<entity>.<verb>", name)
	}
	return eventType{service: m[1], version: m[2], entity: m[3], verb: m[4]}, nil
}

// shared are the events that mean the same whichever service tells of them, by the
// package of their one message.
var shared = map[string]string{"staff.action": "audit", "user.erased": "erasure"}

// message is the full name of the payload's proto message.
func (t eventType) message() protoreflect.FullName {
	owner := t.service
	if pkg, ok := shared[t.entity+"."+t.verb]; ok {
		owner = pkg
	}
	return protoreflect.FullName("fledge.events." + owner + "." + t.version + "." + camel(t.entity) + camel(t.verb))
}

func camel(snake string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(snake, "_") {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

// validate checks what both ends rely on and returns the type's parts.
func (e Event) validate() (eventType, error) {
	t, err := parseType(e.Type)
	switch {
	case err != nil:
		return t, err
	case e.Subject == "" || len(e.Subject) > 255 || !isLine(e.Subject):
		return t, fmt.Errorf("bus: %s needs a subject of 1 to 255 characters on one line", e.Type)
	case !isLine(e.Source):
		return t, fmt.Errorf("bus: %s has the source %q", e.Type, e.Source)
	case e.Version < 0:
		return t, fmt.Errorf("bus: %s has the negative version %d", e.Type, e.Version)
	case e.Payload == nil:
		return t, fmt.Errorf("bus: %s has no payload", e.Type)
	}
	if got, want := e.Payload.ProtoReflect().Descriptor().FullName(), t.message(); got != want {
		return t, fmt.Errorf("bus: %s carries %s, not %s", e.Type, want, got)
	}
	return t, nil
}

// isLine reports whether s is a line of text that headers and PostgreSQL can hold.
func isLine(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) }

// On makes a ConsumerSpec.Handle for events that carry a P, such as *auditv1.StaffAction.
func On[P proto.Message](handle func(ctx context.Context, tx pgx.Tx, ev Event, payload P) error) func(context.Context, pgx.Tx, Event) error {
	return func(ctx context.Context, tx pgx.Tx, ev Event) error {
		payload, ok := ev.Payload.(P)
		if !ok {
			return Poison(fmt.Errorf("bus: %s carries a %T", ev.Type, ev.Payload))
		}
		return handle(ctx, tx, ev, payload)
	}
}

// AccountID reads the id of an account in an event. An error is poison: the event never gets a better one.
func AccountID(s string) (uuid.UUID, error) {
	id, err := uuid.Parse(s)
	if err != nil {
		return uuid.Nil, Poison(fmt.Errorf("bus: account: %w", err))
	}
	return id, nil
}
