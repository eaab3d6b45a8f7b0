package bus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"fledge.dev/services/platform/waittest"
)

// A stream that is restored from a backup and then grows beyond where it was,
// by messages that no relay has marked, looks whole by its numbers alone.
func TestStreamThatWasSetBackAndHasGrownIsRefilled(t *testing.T) {
	r := newRig(t)
	replica := r.replica()
	stop := replica.run(replica.conn.Relay(r.pool))
	r.append(5)
	waittest.Seen(t, "all is published", func() (bool, string) { return r.stored() == 5 && r.pending() == 0, fmt.Sprint(r.stored()) })
	backup := filepath.Join(t.TempDir(), "backup")
	r.nats.Replace(func(dir string) error { return os.CopyFS(backup, os.DirFS(dir)) })
	r.append(10)
	waittest.Seen(t, "all is published", func() (bool, string) { return r.stored() == 15 && r.pending() == 0, fmt.Sprint(r.stored()) })
	stop()

	r.nats.Replace(func(dir string) error {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		return os.CopyFS(dir, os.DirFS(backup))
	})
	for range 20 {
		msg := &nats.Msg{Subject: joined, Header: nats.Header{nats.MsgIdHdr: {uuid.NewString()}}}
		if _, err := r.nats.JetStream().PublishMsg(t.Context(), msg); err != nil {
			t.Fatal(err)
		}
	}

	again := r.replica()
	again.run(again.conn.Relay(r.pool))
	waittest.Seen(t, "the lost ones are there again", func() (bool, string) {
		n := r.stored()
		// The first five travel again, in a bundle with the others.
		return n == 5+20+15 && r.pending() == 0, fmt.Sprint(n, " events, ", r.pending(), " wait")
	})
	r.inPlace()
}
