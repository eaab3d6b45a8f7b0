package bus

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/errtest"
)

// FuzzDecode: a message is an event of its own subject and type, whole and fit for
// PostgreSQL, or it is none.
func FuzzDecode(f *testing.F) {
	const id, kind, at = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8", "fledge.waitlist.v1.staff.action", "2026-03-01T12:00:00.123456789Z"
	payload, err := proto.Marshal(&auditv1.StaffAction{})
	errtest.None(f, err)
	for _, seed := range [][6]string{
		{kind, id, at, "7", "waitlist", "entity-1"}, {kind, id, at, "", "", "x"}, {kind, "", at, "1", "waitlist", "x"}, {kind, "{" + id + "}", at, "+1", "waitlist", "x"}, {kind, id, "yesterday", "1", "a", "b"},
		{kind, id, at, "-1", "waitlist", "x"}, {kind, id, at, "9223372036854775808", "waitlist", "x"}, {"fledge.waitlist.v1.user.exploded", id, at, "1", "waitlist", "x"}, {"fledge.events.v1.a_b.c", id, at, "1", "a", "b"},
		{"fledge.billing.v1.staff.action", id, at, "1", "billing", "x"}, {kind, id, at, "1", "waitlist", "a\x00b"}, {kind, id, at, "1", "\xff", "x"}, {"$JS.API.STREAM.DELETE.x", id, at, "1", "a", "b"}, {kind, id, "0000-01-01T00:00:00Z", "1", "a", "b"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], seed[5], payload)
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], seed[5], []byte("\xff\xff"))
	}
	f.Fuzz(func(t *testing.T, kind, id, at, version, source, subject string, data []byte) {
		header := nats.Header{nats.MsgIdHdr: {id}, "Fledge-Type": {kind}, "Fledge-Time": {at}, "Fledge-Source": {source}, "Fledge-Subject": {subject}, "Fledge-Version": {version}}
		ev, err := decode(kind, header, data)
		if _, other := decode(kind+".x", header, data); other == nil {
			t.Fatalf("%q is an event of another subject", kind)
		}
		if err != nil {
			return
		}
		if ev.Type != kind || ev.Version < 0 || ev.Payload == nil || ev.Subject == "" {
			t.Fatalf("%+v", ev)
		}
		for _, text := range []string{ev.Subject, ev.Source} {
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r\n") {
				t.Fatalf("%q is no text for a database", text)
			}
		}
		if year := ev.Time.UTC().Year(); year < -1 || year > 10_000 {
			t.Fatalf("of the year %d", year)
		}
		again, err := proto.Marshal(ev.Payload)
		if err != nil {
			t.Fatalf("the payload cannot be written again: %v", err)
		}
		twin, err := decode(kind, header, again)
		if err != nil || !proto.Equal(twin.Payload, ev.Payload) || twin.ID != ev.ID {
			t.Fatalf("written again it is %+v, %v", twin, err)
		}
	})
}
