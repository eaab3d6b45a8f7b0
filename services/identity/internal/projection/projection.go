// Package projection keeps the product's accounts in step with the identities of Kratos,
// which can be changed there directly, and whose hooks may get lost.
//
// Two periodic tasks compare, each in one replica at a time. The incremental reconciliation
// runs often and looks at accounts that are signed in: an account that is disabled or deleted
// in Kratos, or a session that is ended there, ends here within a minute. The full one runs
// seldom and looks at everything: it repairs records, adds those that no hook reported, and
// takes over sign-ins.
//
// Nobody loses an account because Kratos did not answer, or not in full: Kratos is asked by
// id about every account that a list leaves out, and a run in which Kratos knows hardly any of
// them is aborted (ErrImplausible).
package projection

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/clock"
)

// Config says how often to look.
type Config struct {
	// Interval is how often Kratos is asked about all accounts that are signed in.
	// What was changed there, and not on the staff's pages, takes effect within this and the
	// time that asking takes.
	Interval time.Duration `env:"KRATOS_RECONCILE_INTERVAL" envDefault:"2m"`
	// FullInterval is how often everything is compared; it is at the start too.
	FullInterval time.Duration `env:"KRATOS_FULL_RECONCILE_INTERVAL" envDefault:"1h"`
}

// maxInterval bounds how long an account works on that was deleted in Kratos.
const maxInterval = 10 * time.Minute

// Validate checks both bounds.
func (c Config) Validate() error {
	var errs []error
	if c.Interval <= 0 || c.Interval > maxInterval {
		errs = append(errs, errors.New("KRATOS_RECONCILE_INTERVAL must be positive and at most 10m"))
	}
	if c.FullInterval <= 0 {
		errs = append(errs, errors.New("KRATOS_FULL_RECONCILE_INTERVAL must be positive"))
	}
	return errors.Join(errs...)
}

// Store keeps accounts and families. Lists are in the order of their ids and
// begin after the given one.
type Store interface {
	// AccountsInUse lists accounts that are signed in, or disabled but not gone, or
	// gone for less than a day.
	AccountsInUse(ctx context.Context, after uuid.UUID, now time.Time, limit int) ([]account.Standing, error)
	// AccountsBetween lists all accounts up to and with the second id.
	AccountsBetween(ctx context.Context, after, upTo uuid.UUID, limit int) ([]account.Standing, error)
	// Disable takes accounts out of use and ends their families. changed are those
	// that were in use, or disabled for another reason. Here and in Enable, accounts stay as they
	// are that staff have disabled, or whose state they have set since Kratos was asked.
	Disable(ctx context.Context, ids []uuid.UUID, because account.Reason, asked, now time.Time) (changed []uuid.UUID, families int, err error)
	// Enable puts accounts back into use; their families stay ended.
	Enable(ctx context.Context, ids []uuid.UUID, asked, now time.Time) (changed []uuid.UUID, err error)
	// KratosSessionsInUse lists those behind families that live and are older than now.
	KratosSessionsInUse(ctx context.Context, after uuid.UUID, now time.Time, limit int) ([]uuid.UUID, error)
	// EndFamilies ends the families of Kratos sessions that ended there.
	EndFamilies(ctx context.Context, kratosSessions []uuid.UUID, now time.Time) (families int, err error)
	// Repair adds accounts that are missing, with the roles of a first sign-in, and
	// corrects those that differ by what again returns of them: a list is of some time ago, and what a person or staff
	// have changed since must not be undone. One without an address stays as it is.
	Repair(ctx context.Context, listed []account.Known, again func(context.Context, uuid.UUID) (account.Known, error), now time.Time) (
		added, repaired []uuid.UUID, err error)
	// AloneAtKratos runs what writes an identity in Kratos, one at a time for each.
	AloneAtKratos(ctx context.Context, id uuid.UUID, change func(context.Context) error) error
	// RaiseSignIns takes over sign-ins that are later than the known ones.
	RaiseSignIns(ctx context.Context, signIns []account.SignIn) (changed int, err error)
	// LastRun is when the last run of a job that succeeded, in any replica, began; the
	// zero time if none ever did.
	LastRun(ctx context.Context, job string) (time.Time, error)
	// RecordRun keeps when a run that has succeeded began.
	RecordRun(ctx context.Context, job string, began time.Time) error
}

// Reconciler compares accounts with Kratos. Safe for use by any number of replicas.
type Reconciler struct {
	store   Store
	kratos  *kratos.Client
	cfg     Config
	clock   clock.Clock
	log     *slog.Logger
	metrics *metrics
}

// New returns a reconciler whose metrics are registered with reg.
func New(store Store, k *kratos.Client, cfg Config, clk clock.Clock, log *slog.Logger, reg prometheus.Registerer) (*Reconciler, error) {
	m, err := newMetrics(reg)
	return &Reconciler{store: store, kratos: k, cfg: cfg, clock: clk, log: log, metrics: m}, err
}
