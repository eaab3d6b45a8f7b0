package webhook

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/errtest"
)

// process is a program with a connection of its own to the database. It stops before
// each statement and each question to Stripe, and after each commit and answer, and
// goes on when it is told to. A killed one runs to the end of its round without
// reaching anything: what it had begun is rolled back, what it would do is refused.
type process struct {
	name  string
	pool  *pgxpool.Pool
	round func(ctx context.Context, p *process)

	resume chan order
	parked chan string // the step that it stands before
	told   order
	// stands is the step that it stands before, or stood before when it began to wait for a lock.
	stands string
	// pid is the connection that it used last, other the one before that.
	pid, other atomic.Uint32
	// blocked is one that waits for a lock that another holds.
	blocked bool
	// rests is how many steps of others pass before it takes one, as one that was
	// frozen does, or one whose answer is long on its way.
	rests int
}

// order is how a process goes on: dead or alive, with an answer of Stripe's or none,
// and with a number for what it chooses itself.
type order struct {
	dead, outage bool
	dice         int
}

// point is the border between two steps.
func (p *process) point(step string) order {
	if p.told.dead {
		return p.told
	}
	p.parked <- step
	p.told = <-p.resume
	return p.told
}

// live runs rounds until resume is closed, and then closes parked.
func (p *process) live() {
	defer close(p.parked)
	for {
		p.parked <- "idle"
		o, more := <-p.resume
		if !more {
			return
		}
		if p.told = o; !o.dead {
			p.round(context.Background(), p)
		}
		p.told = order{}
	}
}

// outside are statements that are no step of ours: the end of what was begun, and what
// River asks once, or only at times.
var outside = regexp.MustCompile(`^(rollback$|-- ping)|pg_notify|PGGetProductAndVersion`)

func (p *process) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	p.uses(conn)
	if outside.MatchString(q.SQL) {
		return ctx
	}
	return p.before(context.WithValue(ctx, statement{}, q.SQL), conn, q.SQL)
}

type statement struct{}

func (p *process) uses(conn *pgx.Conn) {
	if pid := conn.PgConn().PID(); pid != p.pid.Load() {
		p.other.Store(p.pid.Swap(pid))
	}
}

func (p *process) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	if q.Err == nil && ctx.Value(statement{}) == "commit" {
		p.point("committed")
	}
}

func (p *process) TraceBatchStart(ctx context.Context, conn *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	p.uses(conn)
	return p.before(ctx, conn, "batch")
}

func (*process) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (p *process) TraceBatchEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceBatchEndData) {
	if q.Err == nil {
		p.point("committed")
	}
}

// before stops in front of a statement. Of a dead process the database hears no more
// than that its connection is gone.
func (p *process) before(ctx context.Context, conn *pgx.Conn, sql string) context.Context {
	if !p.point(title(sql)).dead {
		return ctx
	}
	if conn.PgConn().TxStatus() != 'I' {
		_, _ = conn.Exec(ctx, "rollback")
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}

// title is the name of a query, or its first words.
func title(sql string) string {
	if rest, named := strings.CutPrefix(sql, "-- name: "); named {
		return strings.Fields(rest)[0]
	}
	words := strings.Fields(sql)
	return strings.Join(words[:min(4, len(words))], " ")
}

// lockAccount is the query after which what was read of Stripe is applied, and nobody else may do that. The few steps
// from there to the commit would hardly ever be met otherwise.
const lockAccount = "LockAccount"

// longestRest lets the others do several events meanwhile.
const longestRest = 150

// scheduler lets one process at a time take a step, as a seed says. Those that wait
// for a lock go on by themselves when it is given up, to their next step.
type scheduler struct {
	t     *testing.T
	rng   *rand.Rand
	procs []*process
	admin *pgxpool.Pool
	calm  bool
	kills int
	mu    sync.Mutex
	steps []string
}

func (s *scheduler) chance(n int) bool { return !s.calm && s.rng.IntN(n) == 0 }

func (s *scheduler) note(who, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, who+": "+what)
}

// start brings all to their first border.
func (s *scheduler) start() {
	for _, p := range s.procs {
		p.resume, p.parked, p.told, p.blocked, p.rests, p.stands = make(chan order), make(chan string), order{}, false, 0, ""
		go p.live()
		<-p.parked
	}
}

// stop lets all run to their ends at once, for they may hold locks of each other's.
func (s *scheduler) stop() {
	var running sync.WaitGroup
	for _, p := range s.procs {
		close(p.resume)
		running.Go(func() {
			for range p.parked {
			}
		})
	}
	running.Wait()
}

// step lets one process go on, and reports whether something was committed.
func (s *scheduler) step() (committed bool) {
	p := s.next()
	o := order{dead: s.chance(30), outage: s.chance(15), dice: s.rng.IntN(1 << 20)}
	if o.dead {
		s.kills++
		s.note(p.name, "KILLED")
	}
	done := p.stands
	p.resume <- o
	at := s.wait(p)
	if s.chance(100) || strings.HasPrefix(at, "hear of") && s.chance(6) || done == lockAccount && at != "" && s.chance(2) {
		p.rests = s.rng.IntN(longestRest)
		s.note(p.name, fmt.Sprintf("RESTS for %d steps", p.rests))
	}
	committed = at == "committed"
	for _, waiting := range s.procs {
		if waiting.blocked {
			committed = s.wait(waiting) == "committed" || committed
		}
	}
	return committed
}

// next is who takes the next step: one that does not rest, if there is any.
func (s *scheduler) next() *process {
	var awake, ready []*process
	for _, p := range s.procs {
		if p.blocked {
			continue
		}
		ready = append(ready, p)
		if p.rests == 0 {
			awake = append(awake, p)
		}
		p.rests = max(0, p.rests-1)
	}
	if len(awake) == 0 {
		awake = ready
	}
	return awake[s.rng.IntN(len(awake))]
}

// wait returns when the process stands before its next step, or waits for a lock that
// another one of ours holds. Who gives up a lock has done so before it stands still.
func (s *scheduler) wait(p *process) (step string) {
	for waited := false; ; waited = true {
		if (waited || p.blocked) && s.locked(p) {
			if !p.blocked {
				s.note(p.name, "waits for a lock")
			}
			p.blocked = true
			return ""
		}
		patience := time.NewTimer(3 * time.Millisecond)
		select {
		case step = <-p.parked:
			patience.Stop()
			p.blocked, p.stands = false, step
			s.note(p.name, step)
			return step
		case <-patience.C:
		}
	}
}

// locked asks the database whether a process waits for another.
func (s *scheduler) locked(p *process) (waits bool) {
	var all []int32
	for _, q := range s.procs {
		all = append(all, int32(q.pid.Load()), int32(q.other.Load()))
	}
	errtest.None(s.t, s.admin.QueryRow(context.Background(), "SELECT pg_blocking_pids($1) && $2::int[]", int32(p.pid.Load()), all).Scan(&waits))
	return waits
}

// fingerprint tells runs apart.
func (s *scheduler) fingerprint() uint64 {
	h := fnv.New64a()
	for _, step := range s.steps {
		_, _ = fmt.Fprintln(h, step)
	}
	return h.Sum64()
}

// last is the end of the run, for whoever has to find out why.
func (s *scheduler) last(n int) string {
	return strings.Join(s.steps[max(0, len(s.steps)-n):], "\n")
}
