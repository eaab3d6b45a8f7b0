package mail

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

const (
	// listedMails is how many emails a page of ListMails has.
	listedMails = 50
	// maxChanged is how many emails a call changes.
	maxChanged = 100
	// maxCounted is how many jobs of a state are counted; the emails' states with more have no count.
	maxCounted = 10_000
	// withdrawn ones are in no state.
	stateSQL = `CASE
		WHEN state IN ('cancelled', 'discarded') AND metadata->'output'->>'at' = '` + phaseReport + `' THEN 'suppressed'
		WHEN state IN ('cancelled', 'discarded') THEN coalesce(metadata->'output'->>'state', 'given_up')
		WHEN state = 'completed' THEN coalesce(metadata->'output'->>'state', 'sent')
		WHEN metadata ?| ARRAY['output', 'snoozes'] THEN 'put_off' ELSE 'waiting' END`
	// countMailsSQL reads $1 jobs of each state at most, in the order of River's index: without one the planner
	// reads the whole table for a state that no job is in.
	countMailsSQL = `SELECT of::text, ` + stateSQL + ` AS ended, count(*) FROM unnest(enum_range(NULL::` + table + `_state)) AS of,
		LATERAL (SELECT state, metadata FROM ` + table + ` WHERE state = of
			ORDER BY queue, priority, scheduled_at, id LIMIT $1) AS jobs GROUP BY 1, 2`
	// listMailsSQL reads the jobs of each state ($1) in the order of our index, which the comparison of rows and the order
	// by both columns leave no other way for: by the ids alone, a state that few are in is looked for among all.
	listMailsSQL = `SELECT id, recipient, subject, reply, reply_at, created_at, next_at, finalized_at FROM unnest($1::text[]::` + table + `_state[]) AS of,
		LATERAL (SELECT id, recipient, subject, reply, reply_at, created_at, next_at, finalized_at FROM (
			SELECT id, state, ` + stateSQL + ` AS ended, args->'message'->>'To' AS recipient, args->'message'->>'Subject' AS subject,
				coalesce(metadata->'output'->>'reply', '') AS reply, coalesce(metadata->'output'->>'at', '') AS reply_at, created_at,
				CASE WHEN finalized_at IS NULL THEN scheduled_at END AS next_at, finalized_at
			FROM ` + table + ` WHERE (state, id) >= (of, 0) AND (state, id) < (of, $2)) AS jobs
			WHERE ended = $3 ORDER BY state DESC, id DESC LIMIT $4) AS mails
		ORDER BY id DESC LIMIT $4`
)

// jobStates are those of the jobs whose emails are in a state.
var jobStates = map[mailv1.MailState][]string{
	mailv1.MailState_MAIL_STATE_WAITING:    {"available", "pending", "retryable", "running", "scheduled"},
	mailv1.MailState_MAIL_STATE_PUT_OFF:    {"available", "pending", "retryable", "running", "scheduled"},
	mailv1.MailState_MAIL_STATE_SENT:       {"completed"},
	mailv1.MailState_MAIL_STATE_BOUNCED:    {"cancelled", "discarded"},
	mailv1.MailState_MAIL_STATE_GIVEN_UP:   {"cancelled", "discarded"},
	mailv1.MailState_MAIL_STATE_SUPPRESSED: {"cancelled", "discarded"},
}

// Record has fn record, in the transaction that does it, what staff do with an email. Call it before the server's Unit starts.
func (q *Queue) Record(fn func(ctx context.Context, tx pgx.Tx, done Done, email Undelivered) error) {
	q.record = fn
}

// ListMails returns the emails in a state.
func (s reports) ListMails(ctx context.Context, req *mailv1.ListMailsRequest) (*mailv1.ListMailsResponse, error) {
	states, ok := jobStates[req.GetState()]
	if !ok {
		return nil, fault.InvalidField("state", "The state is not known.")
	}
	before := int64(math.MaxInt64)
	if cursor := req.GetCursor(); cursor != "" {
		var err error
		if before, err = strconv.ParseInt(cursor, 10, 64); err != nil {
			return nil, fault.InvalidField("cursor", "The cursor is not valid.")
		}
	}
	resp := &mailv1.ListMailsResponse{}
	rows, err := s.queue.worker.pool.Query(ctx, listMailsSQL, states, before, enum.Name(req.GetState()), listedMails+1)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	resp.Mails, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*mailv1.Mail, error) {
		m := &mailv1.Mail{State: req.GetState()}
		var queued time.Time
		var next, ended *time.Time
		err := row.Scan(&m.Id, &m.To, &m.Subject, &m.Reply, &m.ReplyAt, &queued, &next, &ended)
		m.QueuedAt, m.NextTryAt, m.EndedAt = timestamppb.New(queued), timestampOf(next), timestampOf(ended)
		return m, err
	})
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	if len(resp.GetMails()) > listedMails {
		resp.Mails = resp.Mails[:listedMails]
		resp.NextCursor = strconv.FormatInt(resp.GetMails()[listedMails-1].GetId(), 10)
	}
	if req.GetCursor() == "" {
		resp.Counts, err = s.count(ctx)
	}
	return resp, pg.Fault(err, nil)
}

func (s reports) count(ctx context.Context) ([]*mailv1.MailCount, error) {
	rows, err := s.queue.worker.pool.Query(ctx, countMailsSQL, maxCounted+1)
	if err != nil {
		return nil, err
	}
	counted, jobs := map[mailv1.MailState]int64{}, map[string]int64{}
	var job, state string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&job, &state, &n}, func() error {
		counted[enum.Of[mailv1.MailState](state)] += n
		jobs[job] += n
		return nil
	}); err != nil {
		return nil, err
	}
	var counts []*mailv1.MailCount
	for state := mailv1.MailState_MAIL_STATE_WAITING; state <= mailv1.MailState_MAIL_STATE_SUPPRESSED; state++ {
		if !slices.ContainsFunc(jobStates[state], func(job string) bool { return jobs[job] > maxCounted }) {
			counts = append(counts, &mailv1.MailCount{State: state, Count: counted[state]})
		}
	}
	return counts, nil
}

// ChangeMails does what Command does, in the name of who calls.
func (s reports) ChangeMails(ctx context.Context, req *mailv1.ChangeMailsRequest) (*mailv1.ChangeMailsResponse, error) {
	if n := len(req.GetIds()); n < 1 || n > maxChanged {
		return nil, fault.InvalidField("ids", "There must be 1 to 100 ids.")
	}
	call := commandCall{}
	switch req.GetAction() {
	case mailv1.ChangeMailsRequest_ACTION_RESEND:
		call.done = Resent
	case mailv1.ChangeMailsRequest_ACTION_DROP:
		call.done = Dropped
	default:
		return nil, fault.InvalidField("action", "The action must be resend or drop.")
	}
	for _, id := range req.GetIds() {
		call.chosen = append(call.chosen, strconv.FormatInt(id, 10))
	}
	changed, err := call.run(ctx, s.queue.worker.pool, func(ctx context.Context, tx pgx.Tx, _ string, done Done, email Undelivered) error {
		if s.queue.record == nil {
			return fmt.Errorf("mail: nothing records what staff do with emails")
		}
		return s.queue.record(ctx, tx, done, email)
	}, s.queue.worker.told)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	resp := &mailv1.ChangeMailsResponse{}
	for _, email := range changed {
		resp.Ids = append(resp.Ids, email.ID)
	}
	return resp, nil
}

// timestampOf is nil for no time.
func timestampOf(t *time.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamppb.New(*t)
}
