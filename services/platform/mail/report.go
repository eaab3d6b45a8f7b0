package mail

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
)

// Report is what the provider says of an address after it took an email.
type Report struct {
	// Address is in lower case, with the domain in ASCII.
	Address string
	// State is Bounced, Complained or Unsubscribed.
	State  State
	Reason string
	At     time.Time
}

// Policy says who may call MailService: the gateway, which verifies what providers send.
func Policy() authn.Policy {
	return authn.Policy{
		mailv1.MailService_Report_FullMethodName:      authn.Internal,
		mailv1.MailService_ListMails_FullMethodName:   authn.Internal,
		mailv1.MailService_ChangeMails_FullMethodName: authn.Internal,
	}
}

// StaffPolicy is Policy for a service whose emails admins see on a page.
func StaffPolicy() authn.Policy {
	policy := Policy()
	policy[mailv1.MailService_ListMails_FullMethodName] = authn.Admin
	policy[mailv1.MailService_ChangeMails_FullMethodName] = authn.FreshAdmin
	return policy
}

// reports serves MailService.
type reports struct {
	mailv1.UnimplementedMailServiceServer
	queue *Queue
}

// Reports is the implementation of MailService for the service's server.
func (q *Queue) Reports() mailv1.MailServiceServer { return reports{queue: q} }

// Hear has fn hear, in the transaction that notes it, what the provider has reported and was not
// known. Call it before the server's Unit starts.
func (q *Queue) Hear(fn func(ctx context.Context, tx pgx.Tx, r Report) error) { q.heard = fn }

const (
	maxEvents = 100
	maxID     = 200
	maxReason = 64
)

// Report notes what the provider reports.
func (s reports) Report(ctx context.Context, req *mailv1.ReportRequest) (*mailv1.ReportResponse, error) {
	if n := len(req.GetEvents()); n < 1 || n > maxEvents {
		return nil, fault.InvalidField("events", "There must be 1 to 100 events.")
	}
	for _, e := range req.GetEvents() {
		if err := check(e); err != nil {
			return nil, err
		}
	}
	err := pgx.BeginFunc(ctx, s.queue.worker.pool, func(tx pgx.Tx) error {
		for _, e := range req.GetEvents() {
			if err := s.queue.note(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	return &mailv1.ReportResponse{}, nil
}

func check(e *mailv1.Event) error {
	notPrintable := func(r rune) bool { return r < ' ' || r > '~' }
	switch {
	case e.GetId() == "" || len(e.GetId()) > maxID:
		return fault.InvalidField("id", "The id must be 1 to 200 bytes.")
	case !strings.Contains(e.GetAddress(), "@") || len(e.GetAddress()) > maxAddress:
		return fault.InvalidField("address", "The address must be an email address.")
	case enum.Name(e.GetKind()) == "":
		return fault.InvalidField("kind", "The kind is not known.")
	case len(e.GetReason()) > maxReason || strings.ContainsFunc(e.GetReason(), notPrintable):
		return fault.InvalidField("reason", "The reason must be at most 64 printable ASCII characters.")
	case !e.GetAt().IsValid():
		return fault.InvalidField("at", "The time is missing.")
	}
	return nil
}

// maxAddress is in octets, as of RFC 3696's erratum for RFC 5321.
const maxAddress = 320

const (
	// noteSQL leaves alone what is reported late of an address ($6, its mark) that was erased.
	noteSQL = `INSERT INTO ` + schema + `.reports (id, address, kind, reason, reported_at) SELECT $1, $2, $3, $4, $5
		WHERE NOT EXISTS (SELECT FROM ` + schema + `.reports WHERE id = $6) ON CONFLICT (id) DO NOTHING`
	// restoreSQL leaves alone what the provider has reported since.
	restoreSQL = `UPDATE ` + schema + `.reports SET lifted_at = now() WHERE address = $1 AND lifted_at IS NULL AND reported_at <= $2`
	allowSQL   = `UPDATE ` + schema + `.reports SET lifted_at = now() WHERE address = $1 AND lifted_at IS NULL`
	// suppressedSQL finds why an email may not go: to a list ($2), or at all. It ends the mark ($3) of an erasure: from now
	// on there are reports about an email to somebody who is back.
	suppressedSQL = `WITH back AS (DELETE FROM ` + schema + `.reports WHERE id = $3)
		SELECT kind, reason FROM ` + schema + `.reports WHERE address = $1 AND lifted_at IS NULL AND (kind = 'bounced' OR $2)
		ORDER BY reported_at DESC LIMIT 1`
	// overSQL has what became of emails to an address ($1, its spellings) be no trouble any more: of those that ended by $2,
	// and those that were not tried because of a report. The row of an email that arrived is deleted before theirs.
	overSQL = `UPDATE ` + schema + `.river_job SET metadata = jsonb_set(metadata, '{output,over}', 'true')
		WHERE lower(args->'message'->>'To') = ANY ($1) AND state IN ('cancelled', 'discarded') AND metadata ? 'output'
			AND (finalized_at <= $2 OR metadata->'output'->>'at' = '` + phaseReport + `')`
	// troubleSQL also looks at how the last email to the address ended that was sent from here.
	troubleSQL = `WITH last AS (
			SELECT metadata->'output'->>'state' AS kind, coalesce(metadata->'output'->>'reply', '') AS reason, finalized_at AS at
			FROM ` + schema + `.river_job WHERE lower(args->'message'->>'To') = ANY ($2) AND finalized_at IS NOT NULL
				AND metadata->'output'->>'over' IS NULL
			ORDER BY finalized_at DESC LIMIT 1)
		SELECT kind, reason, at FROM (
			SELECT kind, reason, reported_at AS at FROM ` + schema + `.reports WHERE address = $1 AND lifted_at IS NULL
			UNION ALL SELECT kind, reason, at FROM last WHERE kind IN ('bounced', 'given_up')) AS all_of_them
		ORDER BY at DESC LIMIT 1`
	eraseReportsSQL = `DELETE FROM ` + schema + `.reports WHERE address = ANY ($1)`
	// markErasedSQL keeps a row without the address, which is over at once: Cleanup deletes it after liftedRetention.
	markErasedSQL = `INSERT INTO ` + schema + `.reports (id, address, kind, reason, reported_at, lifted_at)
		SELECT DISTINCT unnest($1::uuid[]), '', 'unsubscribed', 'erased', now(), now() ON CONFLICT (id) DO UPDATE SET lifted_at = now()`
)

// erasedMark is the id of the row that tells of the erasure of an address.
func erasedMark(reported string) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("erased\x00"+reported))
}

func (q *Queue) note(ctx context.Context, tx pgx.Tx, e *mailv1.Event) error {
	r := Report{Address: reported(e.GetAddress()), State: State(enum.Name(e.GetKind())), Reason: e.GetReason(), At: e.GetAt().AsTime()}
	if e.GetKind() == mailv1.Kind_KIND_RESTORED {
		if _, err := tx.Exec(ctx, restoreSQL, r.Address, r.At); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, overSQL, spellings(r.Address), r.At)
		return err
	}
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(e.GetId()+"\x00"+r.Address))
	tag, err := tx.Exec(ctx, noteSQL, id, r.Address, string(r.State), r.Reason, r.At, erasedMark(r.Address))
	if err != nil || tag.RowsAffected() == 0 || q.heard == nil {
		return err
	}
	return q.heard(ctx, tx, r)
}

// reported is the address as reports have it.
func reported(email string) string {
	return strings.ToLower(asciiAddress(strings.TrimSpace(email)))
}

// spellings are those that the address of an email may have in the queue, in lower case.
func spellings(email string) []string {
	ascii := reported(email)
	return []string{ascii, address.Unicode(ascii)}
}

const (
	suppressionsSQL = `SELECT DISTINCT ON (address) address, kind, reason, reported_at FROM ` + schema + `.reports
		WHERE address = ANY ($1) AND lifted_at IS NULL ORDER BY address, (kind = 'bounced') DESC, reported_at DESC`
	suppressSQL = `INSERT INTO ` + schema + `.reports (id, address, kind, reason, reported_at)
		SELECT unnest($1::uuid[]), unnest($2::text[]), unnest($3::text[]), '', unnest($4::timestamptz[]) ON CONFLICT (id) DO NOTHING`
)

// Suppressions returns the report of each of the addresses that keeps emails from them: the last bounce, which keeps all of
// them, or else the last report.
func Suppressions(ctx context.Context, pool *pgxpool.Pool, addresses []string) (map[string]Report, error) {
	rows, err := pool.Query(ctx, suppressionsSQL, addresses)
	if err != nil {
		return nil, fmt.Errorf("mail: suppressions: %w", err)
	}
	found := map[string]Report{}
	var r Report
	_, err = pgx.ForEachRow(rows, []any{&r.Address, &r.State, &r.Reason, &r.At}, func() error {
		found[r.Address] = r
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("mail: suppressions: %w", err)
	}
	return found, nil
}

// Suppress notes reports that another installation knew, in the caller's transaction. Repeating it changes nothing, and
// nobody hears of it.
func Suppress(ctx context.Context, tx pgx.Tx, reports []Report) error {
	var ids []uuid.UUID
	var addresses, kinds []string
	var times []time.Time
	for _, r := range reports {
		to := reported(r.Address)
		ids = append(ids, uuid.NewSHA1(uuid.NameSpaceOID, []byte("moved\x00"+string(r.State)+"\x00"+to)))
		addresses, kinds, times = append(addresses, to), append(kinds, string(r.State)), append(times, r.At)
	}
	if _, err := tx.Exec(ctx, suppressSQL, ids, addresses, kinds, times); err != nil {
		return fmt.Errorf("mail: suppress: %w", err)
	}
	return nil
}

// Allow has emails go to the address again, whatever was reported about it.
func (q *Queue) Allow(ctx context.Context, tx pgx.Tx, address string) error {
	return allow(ctx, tx, address)
}

func allow(ctx context.Context, tx pgx.Tx, address string) error {
	if _, err := tx.Exec(ctx, allowSQL, reported(address)); err != nil {
		return fmt.Errorf("mail: allow: %w", err)
	}
	return nil
}

// Trouble is why emails to an address do not arrive.
type Trouble struct {
	// State is Bounced, Complained, Unsubscribed or GivenUp.
	State  State
	Reason string
	At     time.Time
}

// Trouble returns what keeps emails to the address from arriving; ok is false for nothing that is
// known. An error is logged, so that callers may do without the answer.
func (q *Queue) Trouble(ctx context.Context, to string) (t Trouble, ok bool, err error) {
	err = q.worker.pool.QueryRow(ctx, troubleSQL, reported(to), spellings(to)).Scan(&t.State, &t.Reason, &t.At)
	if errors.Is(err, pgx.ErrNoRows) {
		return Trouble{}, false, nil
	}
	if err != nil {
		q.worker.log.WarnContext(ctx, "not known whether emails to an address arrive", "error", err)
		return Trouble{}, false, fmt.Errorf("mail: trouble: %w", err)
	}
	return t, true, nil
}

const (
	// liftedRetention keeps what no longer counts, so that the provider's repetition does not count again.
	liftedRetention = 30 * 24 * time.Hour
	// reportRetention is how long an address gets no email; a mailbox may have come back by then.
	reportRetention = 2 * 365 * 24 * time.Hour
	// cleanupSQL leaves what somebody has locked to the next run.
	cleanupSQL = `DELETE FROM ` + schema + `.reports WHERE id IN (
		SELECT id FROM ` + schema + `.reports WHERE %s < $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`
)

// Cleanup is the task that deletes old reports. Each service with a Queue runs it.
func (q *Queue) Cleanup() periodic.Task {
	since := func(column string) func(context.Context, time.Time, int32) (int64, error) {
		return func(ctx context.Context, before time.Time, count int32) (int64, error) {
			tag, err := q.worker.pool.Exec(ctx, fmt.Sprintf(cleanupSQL, column), before, count)
			return tag.RowsAffected(), err
		}
	}
	return periodic.Task{
		Name: "mail_cleanup", Every: time.Hour, Timeout: 10 * time.Minute, Exclusive: true,
		Run: func(ctx context.Context) error {
			return periodic.Clean(ctx, q.worker.clock.Now(), nil,
				periodic.Kind{Name: "lifted reports", Kept: liftedRetention, Remove: since("lifted_at")},
				periodic.Kind{Name: "reports", Kept: reportRetention, Remove: since("received_at")})
		},
	}
}

// suppressed reports whether the email may not go, and why.
func (w *worker) suppressed(ctx context.Context, m Message) (o Outcome, yes bool, err error) {
	to := reported(m.To)
	err = w.pool.QueryRow(ctx, suppressedSQL, to, m.Unsubscribe != "", erasedMark(to)).Scan(&o.State, &o.Reply)
	if errors.Is(err, pgx.ErrNoRows) {
		return o, false, nil
	}
	o.At = phaseReport
	return o, err == nil, err
}

// phaseReport is where an Outcome was answered that a report has caused.
const phaseReport = "report"
