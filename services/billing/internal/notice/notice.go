// Package notice tells people by email what becomes of their credits and their plan, once for each
// event. What is to be told is noted in the database, in the transaction of the event or by a
// look at what was spent; a task then asks identity for the addresses, which billing does not
// keep, and queues the emails. Whoever may not be written to by then is told nothing.
package notice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/billing/internal/email"
	"fledge.dev/services/billing/internal/ledger"
	"fledge.dev/services/billing/internal/plan"
	"fledge.dev/services/billing/internal/store/db"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/periodic"
)

const (
	timeout = 5 * time.Minute
	// page is how many notices become emails in one go; identity takes no more addresses at once.
	page = 200
	// overlap is how much longer ago than the last look something may have happened whose
	// transaction ended after it.
	overlap = 5 * time.Minute
	// stale is how long ago the last look may be for the next to go on from it: what came before would
	// be told late, such as all that happened while emails were off.
	stale     = time.Hour
	keyPrefix = "billing/"
)

// Config says what people are told by email.
type Config struct {
	// On sends emails at all, by the settings of mail.Config.
	On bool `env:"BILLING_MAILS"`
	// LowAt are percentages of the credits that were granted, such as "20,0": who has no more than
	// that left is told, at 0 that all is used up. Empty tells nobody.
	LowAt []int32 `env:"LOW_CREDIT_MAILS"`
	// EndingIn is how long before credits end people are told, and half of their time before the end
	// of those that are given for less than twice as long; 0 tells nobody.
	EndingIn time.Duration `env:"CREDITS_ENDING_MAIL"`
	// Every is the pause between two looks.
	Every time.Duration `env:"NOTICE_INTERVAL" envDefault:"30s"`
}

// Validate checks the thresholds.
func (c Config) Validate() error {
	var errs []error
	for _, percent := range c.LowAt {
		if percent < 0 || percent > 99 {
			errs = append(errs, fmt.Errorf("LOW_CREDIT_MAILS: %d is not from 0 to 99", percent))
		}
	}
	if c.EndingIn < 0 {
		errs = append(errs, errors.New("CREDITS_ENDING_MAIL must not be negative"))
	}
	if c.Every <= 0 {
		errs = append(errs, errors.New("NOTICE_INTERVAL must be positive"))
	}
	return errors.Join(errs...)
}

// Notice is something that a person is to be told.
type Notice struct {
	UserID uuid.UUID
	// Key names the event: there is one notice for it.
	Key  string
	Kind email.Kind
	Says Says
}

// Says is what is known of it when it is noted.
type Says struct {
	// Subscription is the one that it is about. It is looked at again before the email is written.
	Subscription string `json:"subscription,omitempty"`
	// Plan and Was are ids.
	Plan string `json:"plan,omitempty"`
	Was  string `json:"was,omitempty"`
	// Interval and WasInterval are how often they are paid: "month", or "3 months" for WasInterval.
	Interval    string `json:"interval,omitempty"`
	WasInterval string `json:"was_interval,omitempty"`
	// At is when a plan changes or credits end.
	At time.Time `json:"at,omitzero"`
	// Left and Granted are hundredths of credits, Amount of Currency.
	Left     int64  `json:"left,omitempty"`
	Granted  int64  `json:"granted,omitempty"`
	Amount   int64  `json:"amount,omitempty"`
	Currency string `json:"currency,omitempty"`
}

// Identity knows the addresses of accounts that may be written to; *identityclient.Client does it.
type Identity interface {
	Addresses(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Queue sends emails; *mail.Queue does it.
type Queue interface {
	Enqueue(ctx context.Context, tx pgx.Tx, e mail.Email) error
}

// Service notes and tells. Safe for concurrent use, by any number of replicas.
type Service struct {
	pool     *pgxpool.Pool
	q        *db.Queries
	identity Identity
	queue    Queue
	plans    *plan.Catalog
	ledger   *ledger.Ledger
	clock    clock.Clock
	site     string
	cfg      Config
	notices  *prometheus.CounterVec
}

// New returns a service on a migrated database, whose metric is registered with reg. Emails lead to
// the site.
func New(pool *pgxpool.Pool, identity Identity, queue Queue, plans *plan.Catalog, credits *ledger.Ledger, clk clock.Clock, site string, cfg Config, reg prometheus.Registerer) (*Service, error) {
	s := &Service{
		pool: pool, q: db.New(), identity: identity, queue: queue, plans: plans, ledger: credits, clock: clk, site: site, cfg: cfg,
		notices: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "billing_notices_total", Help: "What people were to be told about credits and plans, by kind, and whether an email was queued or none was due any more.",
		}, []string{"kind", "outcome"}),
	}
	for _, kind := range email.Kinds() {
		for _, outcome := range []string{queued, dropped} {
			s.notices.WithLabelValues(string(kind), outcome)
		}
	}
	return s, reg.Register(s.notices)
}

const (
	queued  = "queued"
	dropped = "dropped"
)

// Note notes a notice in the caller's transaction, once for its key.
func (s *Service) Note(ctx context.Context, tx pgx.Tx, n Notice) error {
	if !s.cfg.On {
		return nil
	}
	says, err := json.Marshal(n.Says)
	if err != nil {
		return err
	}
	return s.q.Note(ctx, tx, db.NoteParams{UserID: n.UserID, Key: n.Key, Kind: string(n.Kind), Says: says, Now: s.clock.Now()})
}

// Tasks are the look at what was spent and what ends, and the writing of emails; none when no
// emails are sent.
func (s *Service) Tasks() []periodic.Task {
	if !s.cfg.On {
		return nil
	}
	return []periodic.Task{{Name: "notices", Every: s.cfg.Every, Timeout: timeout, Exclusive: true, Run: s.Run}}
}

// Run looks once, and tells what is open. What fails does not hold up the others.
func (s *Service) Run(ctx context.Context) error {
	looked := s.look(ctx)
	var failures []error
	for {
		told, failed, err := s.tell(ctx, len(failures)) // those that have failed are still the oldest
		failures = append(failures, failed...)
		if err != nil || told < page {
			return errors.Join(append(failures, looked, err)...)
		}
	}
}

// look notes what has happened to credits since the last look. The first one only begins, as does one
// after a long pause.
func (s *Service) look(ctx context.Context) error {
	now := s.clock.Now()
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		through, err := s.q.NoticesSeen(ctx, tx)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && now.Sub(through) > stale {
			through, err = now, nil
		}
		if err != nil {
			return err
		}
		since := through.Add(-overlap)
		if len(s.cfg.LowAt) > 0 {
			if err := s.q.NoteLowCredits(ctx, tx, db.NoteLowCreditsParams{Now: now, Since: since, Percents: s.cfg.LowAt}); err != nil {
				return err
			}
		}
		if s.cfg.EndingIn > 0 {
			if err := s.q.NoteEndingCredits(ctx, tx, db.NoteEndingCreditsParams{Now: now, Since: since, Until: now.Add(s.cfg.EndingIn)}); err != nil {
				return err
			}
		}
		return s.q.SetNoticesSeen(ctx, tx, now)
	})
}

// tell queues an email for each of the oldest open notices but the first skip, and says how many there were and
// which failed.
func (s *Service) tell(ctx context.Context, skip int) (told int, failures []error, err error) {
	rows, err := s.q.OpenNotices(ctx, s.pool, db.OpenNoticesParams{PageSize: page, Skip: int32(skip)})
	if err != nil || len(rows) == 0 {
		return 0, nil, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.UserID
	}
	addresses, err := s.identity.Addresses(ctx, ids)
	if err != nil {
		return 0, nil, err
	}
	for _, row := range rows {
		if err := s.tellOne(ctx, row, addresses[row.UserID]); err != nil {
			failures = append(failures, err)
		}
	}
	return len(rows), failures, nil
}

func (s *Service) tellOne(ctx context.Context, row db.OpenNoticesRow, address string) error {
	message, due, err := s.compose(ctx, row, address)
	if err != nil {
		return fmt.Errorf("notice: %s: %w", row.Key, err)
	}
	outcome := dropped
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		ended, err := s.q.EndNotice(ctx, tx, db.EndNoticeParams{Now: s.clock.Now(), UserID: row.UserID, Key: row.Key})
		if err != nil || ended == 0 {
			return err
		}
		if due {
			outcome = queued
			if err := s.queue.Enqueue(ctx, tx, message); err != nil {
				return err
			}
		}
		s.notices.WithLabelValues(row.Kind, outcome).Inc()
		return nil
	})
}

// compose writes the email of a notice; due is false when there is nobody to tell or nothing any more.
func (s *Service) compose(ctx context.Context, row db.OpenNoticesRow, address string) (m mail.Email, due bool, err error) {
	var says Says
	if err := json.Unmarshal(row.Says, &says); err != nil {
		return m, false, err
	}
	if due, err = s.stands(ctx, email.Kind(row.Kind), says); err != nil || !due || address == "" {
		return m, false, err
	}
	facts := email.Facts{Interval: says.Interval, WasInterval: says.WasInterval, At: says.At, Left: says.Left, Granted: says.Granted, Amount: says.Amount, Currency: says.Currency}
	if facts.Plan, err = s.planName(ctx, says.Plan); err != nil {
		return m, false, err
	}
	if facts.Was, err = s.planName(ctx, says.Was); err != nil {
		return m, false, err
	}
	endings, err := s.ledger.Endings(ctx, row.UserID)
	if err != nil {
		return m, false, err
	}
	facts.Until, facts.Part = firstEnding(endings)
	return email.Compose(email.Kind(row.Kind), facts, s.site, keyPrefix+row.UserID.String()+"/"+row.Key, address), true, nil
}

// firstEnding is when the first of the credits end, zero without any, and how many end on that day; 0
// for all.
func firstEnding(endings []ledger.Ending) (at time.Time, part int64) {
	const day = 24 * time.Hour
	for i, e := range endings {
		switch {
		case i == 0:
			at = e.At
		case !e.At.Truncate(day).Equal(at.Truncate(day)):
			return at, part
		}
		part += e.Amount
	}
	return at, 0
}

// stands reports whether what is told is still so.
func (s *Service) stands(ctx context.Context, kind email.Kind, says Says) (bool, error) {
	switch kind {
	case email.Ending:
		return says.At.After(s.clock.Now()), nil
	case email.PaymentFailed, email.PlanChanging:
	default:
		return true, nil
	}
	row, err := s.q.GetSubscription(ctx, s.pool, says.Subscription)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if kind == email.PaymentFailed {
		return row.DueSince != nil && !row.DueProcessing, err
	}
	return row.NextPlanID != nil && *row.NextPlanID == says.Plan && row.NextAt.Equal(says.At) && row.NextInterval == says.Interval, err
}

func (s *Service) planName(ctx context.Context, id string) (string, error) {
	if id == "" {
		return "", nil
	}
	p, _, err := s.plans.ByID(ctx, id)
	return p.Name, err
}

// EmailDue is asked before each try to deliver an email: its reader may have been disabled or be
// about to be deleted since it was queued, or what it tells may be over.
func (s *Service) EmailDue(ctx context.Context, key string) (bool, error) {
	rest, ours := strings.CutPrefix(key, keyPrefix)
	name, event, _ := strings.Cut(rest, "/")
	id, err := uuid.Parse(name)
	if !ours || err != nil {
		return false, fmt.Errorf("notice: no email of ours has the key %s", strconv.Quote(key))
	}
	addresses, err := s.identity.Addresses(ctx, []uuid.UUID{id})
	if err != nil || addresses[id] == "" {
		return false, err
	}
	row, err := s.q.GetNotice(ctx, s.pool, db.GetNoticeParams{UserID: id, Key: event})
	if errors.Is(err, pgx.ErrNoRows) { // the cleanup has removed it
		return true, nil
	}
	if err != nil {
		return false, err
	}
	var says Says
	if err := json.Unmarshal(row.Says, &says); err != nil {
		return false, err
	}
	return s.stands(ctx, email.Kind(row.Kind), says)
}
