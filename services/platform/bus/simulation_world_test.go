package bus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"fledge.dev/services/platform/fault"
)

var errOutage = fault.New(fault.Unavailable, "no_answer", "No answer.")

// step is a point, after which an ended context or, rarely, an outage is the answer.
func (s *scheduler) step(ctx context.Context, name string) error {
	s.point(name)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.chance(50) {
		s.note("world", name+" fails")
		return errOutage
	}
	return nil
}

// producer is the database of the service whose events are published.
type producer struct {
	*scheduler
	rows    []*outboxRow // committed, by seq
	seq     int64
	created time.Time
	// leader holds the relay's lock.
	leader *process
	// erasures are the events that were erased. unmarked is the fault of publishing them again.
	erasures map[uuid.UUID]bool
	unmarked bool
}

type outboxRow struct {
	pendingRow
	streamSeq int64
	published time.Time
	erased    bool
}

// writing is a transaction that appends events.
type writing struct {
	producer *producer
	rows     []*outboxRow
}

func (w *writing) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if sql != appendRows {
		return pgconn.CommandTag{}, fmt.Errorf("unexpected %s", sql)
	}
	for i, id := range args[0].([]uuid.UUID) {
		w.producer.seq++
		w.rows = append(w.rows, &outboxRow{pendingRow: pendingRow{seq: w.producer.seq, Row: Row{
			ID: id, Type: args[1].([]string)[i], Time: args[2].([]*time.Time)[i], Source: args[3].([]string)[i],
			Subject: args[4].([]string)[i], Payload: args[7].([][]byte)[i],
		}}})
	}
	return pgconn.NewCommandTag(fmt.Sprintf("INSERT 0 %d", len(w.rows))), nil
}

func (w *writing) commit() {
	p := w.producer
	p.rows = append(p.rows, w.rows...)
	slices.SortFunc(p.rows, func(a, b *outboxRow) int { return int(a.seq - b.seq) })
}

func (p *producer) pending(ctx context.Context) (rows []pendingRow, err error) {
	if err := p.step(ctx, "read what waits"); err != nil {
		return nil, err
	}
	for _, r := range p.rows {
		if r.streamSeq == 0 && len(rows) < batchSize && (p.unmarked || !r.erased) {
			rows = append(rows, r.pendingRow)
		}
	}
	return rows, nil
}

// erase is what Erase commits: it marks an event that is published.
func (p *producer) erase() {
	var published []*outboxRow
	for _, r := range p.rows {
		if r.streamSeq != 0 && !r.erased {
			published = append(published, r)
		}
	}
	if len(published) > 0 {
		r := published[p.rng.IntN(len(published))]
		p.note("world", "erase "+r.ID.String()[:8])
		r.erased, p.erasures[r.ID] = true, true
	}
}

func (p *producer) erased(ctx context.Context) (rows []erasedRow, err error) {
	for _, r := range p.rows {
		if r.erased && len(rows) < eraseBatch {
			rows = append(rows, erasedRow{seq: r.seq, streamSeq: r.streamSeq, id: r.ID})
		}
	}
	return rows, p.step(ctx, "read what is erased")
}

func (p *producer) forget(ctx context.Context, seqs []int64) error {
	if err := p.step(ctx, "delete what is erased"); err != nil {
		return err
	}
	p.rows = slices.DeleteFunc(p.rows, func(r *outboxRow) bool { return r.erased && slices.Contains(seqs, r.seq) })
	return nil
}

func (p *producer) mark(ctx context.Context, placed []place) (lost int64, err error) {
	if err := p.step(context.WithoutCancel(ctx), "mark"); err != nil {
		return 0, err
	}
	first := int64(math.MaxInt64)
	for _, at := range placed {
		if !at.duplicate {
			first = min(first, at.streamSeq)
		}
	}
	for _, r := range p.rows {
		if r.streamSeq >= first {
			r.streamSeq = 0
			lost++
		}
	}
	for _, at := range placed {
		for _, r := range p.rows {
			if at.seq == r.seq {
				r.streamSeq, r.published = at.streamSeq, time.Now()
			}
		}
	}
	return lost, nil
}

func (p *producer) streamCreated(ctx context.Context) (time.Time, error) {
	return p.created, p.step(ctx, "read the stream's state")
}

func (p *producer) remember(ctx context.Context, created time.Time) error {
	if err := p.step(ctx, "remember the stream"); err != nil {
		return err
	}
	p.created = created
	return nil
}

func (p *producer) resetAll(ctx context.Context) (int64, error) {
	return p.reset(ctx, func(*outboxRow) bool { return true })
}

func (p *producer) resetLost(ctx context.Context, first, last int64) (int64, error) {
	return p.reset(ctx, func(r *outboxRow) bool {
		return r.streamSeq > last || r.streamSeq < first && time.Since(r.published) < retention-retentionSlack
	})
}

func (p *producer) reset(ctx context.Context, lost func(*outboxRow) bool) (n int64, err error) {
	if err := p.step(ctx, "reset"); err != nil {
		return 0, err
	}
	for _, r := range p.rows {
		if r.streamSeq != 0 && lost(r) && (p.unmarked || !r.erased) {
			r.streamSeq = 0
			n++
		}
	}
	return n, nil
}

func (p *producer) newest(ctx context.Context) (id uuid.UUID, streamSeq int64, err error) {
	for _, r := range p.rows {
		if r.streamSeq > streamSeq && !r.erased {
			id, streamSeq = r.ID, r.streamSeq
		}
	}
	return id, streamSeq, p.step(ctx, "read the newest")
}

// receiver is the database of the service that consumes.
type receiver struct {
	*scheduler
	DBTX
	inbox   map[uuid.UUID]*receiving // who wrote the row; nil once committed
	effects map[uuid.UUID]int
	letters map[uuid.UUID]int
	// forgetful is the fault of having no inbox.
	forgetful bool
}

// receiving is a transaction of a consumer's.
type receiving struct {
	pgx.Tx  // what is not needed
	db      *receiver
	inbox   []uuid.UUID
	effects []uuid.UUID
	letters []uuid.UUID
}

func (r *receiver) Begin(ctx context.Context) (pgx.Tx, error) {
	return &receiving{db: r}, r.step(ctx, "begin")
}

func (t *receiving) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := t.db.step(ctx, strings.Fields(sql)[2]); err != nil {
		return pgconn.CommandTag{}, err
	}
	id := args[1].(uuid.UUID)
	switch sql {
	case insertInbox:
		if t.db.forgetful {
			break
		}
		owner, there := t.db.inbox[id]
		for there && owner != nil && owner != t {
			t.db.point("wait for the other one")
			owner, there = t.db.inbox[id]
		}
		if there {
			return pgconn.NewCommandTag("INSERT 0 0"), nil
		}
		t.db.inbox[id], t.inbox = t, append(t.inbox, id)
	case insertLetter:
		t.letters = append(t.letters, id)
	default:
		return pgconn.CommandTag{}, fmt.Errorf("unexpected %s", sql)
	}
	return pgconn.NewCommandTag("INSERT 0 1"), nil
}

func (t *receiving) Commit(ctx context.Context) error {
	if err := t.db.step(ctx, "commit"); err != nil {
		return errors.Join(err, t.Rollback(ctx))
	}
	for _, id := range t.inbox {
		t.db.inbox[id] = nil
	}
	for _, id := range t.effects {
		t.db.effects[id]++
	}
	for _, id := range t.letters {
		t.db.letters[id]++
	}
	t.inbox = nil
	if t.db.chance(40) {
		t.db.note("world", "committed, but nobody hears of it")
		return errOutage
	}
	return nil
}

func (t *receiving) Rollback(context.Context) error {
	for _, id := range t.inbox {
		delete(t.db.inbox, id)
	}
	t.inbox = nil
	return nil
}
