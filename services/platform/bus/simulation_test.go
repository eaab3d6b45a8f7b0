package bus

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/service"
)

var simulations = flag.Int("simulations", 200, "how many runs of the simulation, one for each seed")

const (
	simAckWait = 30 * time.Second
	simSteps   = 400
)

// simulation is two writers, two relays, two replicas of a consumer and erasures, in a world
// where anything stops between any two steps: processes are killed, answers get
// lost, the stream is wiped or set back.
type simulation struct {
	*scheduler
	producer *producer
	stream   *simStream
	receiver *receiver
	conn     *Conn

	rolledBack map[uuid.UUID]bool
	poisoned   map[uuid.UUID]bool
	events     uint64
}

// mistake is a fault of the program that the simulation has to find.
type mistake int

const (
	none mistake = iota
	noInbox
	acknowledgedBeforeCommit
	publishedBeforeCommit
	markedBeforePublished
	erasedAndRefilled
	deletedUnseen
	forgottenBeforeDeleted
)

// simulate returns what is wrong after the run of a seed, or nil.
func simulate(t *testing.T, seed uint64, m mistake) (s *simulation, err error) {
	synctest.Test(t, func(t *testing.T) {
		rt := service.NewRuntime("waitlist", "test", slog.New(slog.DiscardHandler))
		sched, erasures := newScheduler(seed), map[uuid.UUID]bool{}
		s = &simulation{
			scheduler: sched, conn: Connect(Config{}, rt),
			producer: &producer{scheduler: sched, erasures: erasures, unmarked: m == erasedAndRefilled},
			stream:   &simStream{scheduler: sched, erasures: erasures},
			receiver: &receiver{scheduler: sched, inbox: map[uuid.UUID]*receiving{}, effects: map[uuid.UUID]int{},
				letters: map[uuid.UUID]int{}, forgetful: m == noInbox},
			rolledBack: map[uuid.UUID]bool{}, poisoned: map[uuid.UUID]bool{},
		}
		for i := range 2 {
			s.add(fmt.Sprint("writer ", i), func() { s.write(m) })
			s.add(fmt.Sprint("relay ", i), func() { s.relay(m) })
			s.add(fmt.Sprint("consumer ", i), func() { s.consume(m) })
		}
		s.add("eraser", s.erase)
		s.play(simSteps, s.disaster)
		if err = s.once(); err == nil {
			s.calm = true
			s.play(simSteps, nil)
			for i := 0; i < 20 && s.unsettled() != ""; i++ {
				s.play(simSteps, nil)
			}
			err = s.once()
		}
		if left := s.unsettled(); err == nil && left != "" {
			err = errors.New(left)
		}
		s.end()
	})
	return s, err
}

// disaster befalls the stream.
func (s *simulation) disaster() {
	if s.rng.IntN(2) == 0 {
		s.note("world", "THE STREAM IS WIPED")
		s.stream.exists, s.stream.messages = false, nil
		return
	}
	if n := len(s.stream.messages); n > 0 {
		keep := s.rng.IntN(n)
		s.note("world", fmt.Sprintf("THE STREAM IS SET BACK to %d", keep))
		s.stream.messages = s.stream.messages[:keep]
	}
}

// write commits events, or does not.
func (s *simulation) write(m mistake) {
	for !s.calm {
		s.point("begin")
		tx := &writing{producer: s.producer}
		var events []Event
		for range 1 + s.rng.IntN(3) {
			s.events++
			ev := Event{Type: "fledge.waitlist.v1.staff.action", Subject: fmt.Sprint("person-", s.rng.IntN(4)), Time: time.Now(), Payload: &auditv1.StaffAction{}}
			binary.BigEndian.PutUint64(ev.ID[:8], s.events<<32)
			events = append(events, ev)
		}
		if err := Append(context.Background(), tx, events...); err != nil {
			panic(err)
		}
		for _, ev := range events {
			s.rolledBack[ev.ID] = true
		}
		if m == publishedBeforeCommit && s.stream.exists {
			for _, row := range tx.rows {
				s.stream.store(row.pendingRow)
			}
		}
		s.point("written")
		if s.chance(4) {
			s.point("roll back")
			continue
		}
		tx.commit()
		for _, ev := range events {
			delete(s.rolledBack, ev.ID)
			s.poisoned[ev.ID] = s.chance(10)
		}
		s.point("committed")
	}
	for {
		s.point("nothing to write")
	}
}

// erase erases an event now and then.
func (s *simulation) erase() {
	for {
		s.point("nothing to erase")
		if s.chance(3) {
			s.producer.erase()
		}
	}
}

// relay leads while nobody else does.
func (s *simulation) relay(m mistake) {
	for {
		s.point("take the lock")
		if l := s.producer.leader; l != nil && l.alive && l != s.running {
			continue
		}
		s.producer.leader = s.running
		forward := newForwarder(s.producer, s.stream, s.conn.metrics, s.conn.rt.Log)
		switch m {
		case markedBeforePublished:
			forward.stream = optimist{s.stream}
		case deletedUnseen:
			forward.stream = blind{s.stream}
		case forgottenBeforeDeleted:
			forward.outbox = hasty{s.producer}
		}
		for {
			if _, err := forward.step(context.Background()); err != nil {
				break
			}
			s.point("published")
		}
		s.producer.leader = nil
	}
}

// optimist says that rows are in the stream before they are.
type optimist struct{ *simStream }

func (o optimist) publish(ctx context.Context, rows []pendingRow) (placed []place, err error) {
	for i, row := range rows {
		placed = append(placed, place{seq: row.seq, streamSeq: int64(len(o.messages) + i + 1)})
	}
	_, _ = o.simStream.publish(ctx, rows)
	return placed, nil
}

// blind takes any message for the one that it is asked for.
type blind struct{ *simStream }

func (b blind) holds(_ context.Context, streamSeq int64, _ uuid.UUID) (bool, error) {
	return streamSeq <= int64(len(b.messages)), nil
}

// hasty deletes rows before their messages.
type hasty struct{ *producer }

func (h hasty) erased(ctx context.Context) ([]erasedRow, error) {
	rows, err := h.producer.erased(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		err = errors.Join(err, h.forget(ctx, []int64{row.seq}))
	}
	return rows, err
}

// consume takes what the stream hands out.
func (s *simulation) consume(m mistake) {
	spec := ConsumerSpec{Name: "mail", Handle: s.handle, AckWait: simAckWait}.withDefaults()
	c := &consumer{ConsumerSpec: spec, conn: s.conn, pool: s.receiver, log: s.conn.rt.Log}
	for {
		s.point("ask for a message")
		msg := s.stream.next()
		if msg == nil {
			continue
		}
		if m == acknowledgedBeforeCommit {
			msg.acked = true
		}
		c.deliver(context.Background(), handed{simMessage: msg, s: s.scheduler})
	}
}

func (s *simulation) handle(ctx context.Context, tx pgx.Tx, ev Event) error {
	if err := s.step(ctx, "handle "+ev.ID.String()[:8]); err != nil {
		return err
	}
	if s.poisoned[ev.ID] {
		return Poison(errors.New("cannot be handled"))
	}
	t := tx.(*receiving)
	t.effects = append(t.effects, ev.ID)
	return nil
}

// once says what had an effect that it must not have.
func (s *simulation) once() error {
	if s.stream.broken != nil {
		return s.stream.broken
	}
	for _, counts := range []map[uuid.UUID]int{s.receiver.effects, s.receiver.letters} {
		for id, n := range counts {
			if n > 1 {
				return fmt.Errorf("%s had its effect %d times", id, n)
			}
			if s.rolledBack[id] {
				return fmt.Errorf("%s had an effect and was never committed", id)
			}
		}
	}
	return nil
}

// unsettled says what was committed and is not everywhere yet.
func (s *simulation) unsettled() string {
	stored := map[uuid.UUID]bool{}
	for _, m := range s.stream.messages {
		id := uuid.MustParse(m.Header.Get(headerID))
		stored[id] = stored[id] || !m.deleted
	}
	for id := range s.producer.erasures {
		// Of two copies the outbox knows the place of one.
		if stored[id] && s.stream.copies[id] == 1 {
			return fmt.Sprintf("%s was erased and is in the stream", id)
		}
	}
	for _, row := range s.producer.rows {
		done := s.receiver.effects
		if s.poisoned[row.ID] {
			done = s.receiver.letters
		}
		switch {
		case row.erased:
			return fmt.Sprintf("%s was erased and is in the outbox", row.ID)
		case done[row.ID] == 0:
			return fmt.Sprintf("%s was committed and had no effect", row.ID)
		case row.streamSeq == 0:
			return fmt.Sprintf("%s still waits for the stream", row.ID)
		case !stored[row.ID]:
			return fmt.Sprintf("%s is not in the stream", row.ID)
		}
	}
	return ""
}

func TestSimulatedFaultsLoseAndRepeatNothing(t *testing.T) {
	var events, erasures, kills int
	for seed := range uint64(*simulations) {
		s, err := simulate(t, seed, none)
		if err != nil {
			t.Fatalf("seed %d: %v; the last steps:\n%s", seed, err, s.last(100000))
		}
		events += len(s.producer.rows)
		erasures += len(s.producer.erasures)
		kills += s.kills
	}
	t.Logf("%d runs, %d events are left, %d erased, %d kills", *simulations, events, erasures, kills)
	if events < 10**simulations || erasures < 3**simulations || kills < 5**simulations {
		t.Errorf("%d events, %d erasures and %d kills in %d runs are not much of a test", events, erasures, kills, *simulations)
	}
}

func TestTheSimulationFindsMistakes(t *testing.T) {
	for name, m := range map[string]mistake{
		"no inbox": noInbox, "acknowledged before the commit": acknowledgedBeforeCommit,
		"published before the commit": publishedBeforeCommit, "marked before it is published": markedBeforePublished,
		"erased and published again": erasedAndRefilled, "deleted without a look": deletedUnseen, "forgotten before it is deleted": forgottenBeforeDeleted,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(100) {
				if _, err := simulate(t, seed, m); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Error("100 seeds did not find it")
		})
	}
}

func TestASeedGivesTheSameRun(t *testing.T) {
	for seed := range uint64(10) {
		first, _ := simulate(t, seed, none)
		second, _ := simulate(t, seed, none)
		if !slices.Equal(first.steps, second.steps) || !maps.Equal(first.receiver.effects, second.receiver.effects) {
			t.Fatalf("seed %d runs in two ways", seed)
		}
	}
}
