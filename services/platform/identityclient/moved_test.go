package identityclient_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/identityclient"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/waittest"
)

// moving is a connection to an identity that is told the answer to each question.
type moving struct {
	grpc.ClientConnInterface
	asked   chan struct{}
	answers chan string
}

func (m *moving) Invoke(_ context.Context, _ string, args, reply any, _ ...grpc.CallOption) error {
	req := args.(*identityv1.ListAddressesRequest)
	if !req.GetUndelivered() {
		return errors.New("an address to which emails do not arrive is missing")
	}
	m.asked <- struct{}{}
	resp := reply.(*identityv1.ListAddressesResponse)
	resp.Addresses = append(resp.Addresses, &identityv1.UserAddress{UserId: req.GetUserIds()[0], Email: <-m.answers})
	return nil
}

// TestMovesOfAnAccountWaitForEachOther: the second asks identity after the first has committed what it was answered.
func TestMovesOfAnAccountWaitForEachOther(t *testing.T) {
	t.Parallel()
	pool := pgtest.Open(t, pgtest.NewEmpty(t))
	conn := &moving{asked: make(chan struct{}, 2), answers: make(chan string)}
	followed := make(chan string, 2)
	movers := identityclient.AddressConsumers("test", identityclient.New(conn), func(_ context.Context, _ pgx.Tx, moved identityclient.AddressChange) error {
		followed <- moved.Email
		return nil
	})
	id := uuid.NewString()
	done := make(chan error)
	read := func(consumer int, ev bus.Event) {
		done <- pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error { return movers[consumer].Handle(t.Context(), tx, ev) })
	}
	go read(0, bus.Event{Payload: &eventsv1.UserEmailChanged{UserId: id}})
	<-conn.asked
	go read(1, bus.Event{Payload: &eventsv1.UserEnabled{UserId: id}})
	waittest.Eventually(t, "the second waits for the first", func() bool {
		var waiting bool
		err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory')`).Scan(&waiting)
		return err == nil && waiting
	})
	if len(conn.asked) != 0 {
		t.Error("it has asked already")
	}
	for _, answer := range []string{"old@example.com", "new@example.com"} {
		conn.answers <- answer
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got, want := []string{<-followed, <-followed}, []string{"old@example.com", "new@example.com"}; !slices.Equal(got, want) {
		t.Errorf("followed to %v, want %v", got, want)
	}
}
