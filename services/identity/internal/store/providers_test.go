package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/platform/waittest"
)

// TestChangesWithinWhichKratosIsAskedLeaveConnections: it may be slow.
func TestChangesWithinWhichKratosIsAskedLeaveConnections(t *testing.T) {
	f := newFixture(t)
	accounts := f.WithEmails(noEmails{}, "")
	ann := f.person("ann@example.com", 0)
	asked, answer := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	ask := func() {
		asked <- struct{}{}
		<-answer
	}
	for range f.pool.Config().MaxConns {
		all.Go(func() {
			_, err := accounts.ChangeProviders(context.Background(), ann.ID, epoch, func(context.Context) ([]string, error) {
				ask()
				return []string{"google"}, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			_, err := accounts.ResetSecondFactor(audit.WithActor(context.Background(), "test"), ann.ID, "lost", epoch, factors(ask))
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-asked
	if _, err := f.Person(t.Context(), ann.ID.String()); err != nil {
		t.Error(err)
	}
	waittest.Seen(t, "few connections are held", func() (bool, string) {
		held := f.pool.Stat().AcquiredConns()
		return held <= max(1, f.pool.Config().MaxConns/4), fmt.Sprint(held)
	})
	close(answer)
	go func() {
		for range asked {
		}
	}()
	all.Wait()
	close(asked)
}

// factors are everybody's, and removed by what is called.
type factors func()

func (factors) SecondFactor(context.Context, uuid.UUID) (app, codes bool, err error) {
	return true, true, nil
}

func (f factors) RemoveSecondFactor(context.Context, uuid.UUID) error {
	f()
	return nil
}

type noEmails struct{ store.Emails }

func (noEmails) Enqueue(context.Context, pgx.Tx, mail.Email) error { return nil }

// TestAnIdentityHasOneWriterAtKratos in all replicas: another would undo what the first has changed.
func TestAnIdentityHasOneWriterAtKratos(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann, bob := f.person("ann@example.com", 0), f.person("bob@example.com", 0)
	as := audit.WithActor(t.Context(), "test")
	wrote := 0
	write := func(id uuid.UUID, to string, deadline time.Duration) (errs []error) {
		replica := store.New(f.pool, account.Admins{}, deadline).WithEmails(noEmails{}, "https://example.com")
		for _, change := range []func(context.Context) error{
			func(ctx context.Context) error {
				_, err := replica.ChangeProviders(ctx, id, epoch, func(context.Context) ([]string, error) { wrote++; return []string{"google"}, nil })
				return err
			},
			func(ctx context.Context) error {
				_, err := replica.ChangeAddress(ctx, id, to, "because", epoch, func(context.Context) error { wrote++; return nil })
				return err
			},
			func(ctx context.Context) error {
				_, err := replica.ResetSecondFactor(ctx, id, "because", epoch, factors(func() { wrote++ }))
				return err
			},
		} {
			within, cancel := context.WithTimeout(as, deadline)
			errs = append(errs, change(within))
			cancel()
		}
		return errs
	}
	if err := f.AloneAtKratos(t.Context(), ann.ID, func(context.Context) error {
		for i, err := range write(ann.ID, "ann@new.example", 200*time.Millisecond) {
			if !errors.Is(err, fault.Unavailable) {
				t.Errorf("%d: %v", i, err)
			}
		}
		if wrote != 0 {
			t.Errorf("%d wrote meanwhile", wrote)
		}
		return errors.Join(write(bob.ID, "bob@new.example", patient)...)
	}); err != nil || wrote != 3 {
		t.Errorf("another identity: %v, %d wrote", err, wrote)
	}
}

// TestWhatKratosHasDoneIsWrittenDown, however long it took, and though the caller has hung up.
func TestWhatKratosHasDoneIsWrittenDown(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Store = f.WithEmails(noEmails{}, "https://example.com")
	ann := f.person("ann@example.com", 0)
	as := audit.WithActor(t.Context(), "test")
	change := func(change func(ctx context.Context, kratos func(context.Context)) error) {
		ctx, hangUp := context.WithCancel(as)
		defer hangUp()
		errtest.None(t, change(ctx, func(ctx context.Context) {
			if until, bounded := ctx.Deadline(); bounded {
				t.Errorf("Kratos has until %s", until)
			}
			hangUp()
		}))
	}
	change(func(ctx context.Context, kratos func(context.Context)) error {
		_, err := f.ChangeAddress(ctx, ann.ID, "ann@new.example", "because", epoch, func(ctx context.Context) error { kratos(ctx); return nil })
		return err
	})
	change(func(ctx context.Context, kratos func(context.Context)) error {
		_, err := f.ChangeProviders(ctx, ann.ID, epoch, func(ctx context.Context) ([]string, error) { kratos(ctx); return []string{"apple"}, nil })
		return err
	})
	if user, err := f.User(t.Context(), ann.ID); err != nil || user.Email != "ann@new.example" || !slices.Equal(user.Identities, []string{"apple"}) {
		t.Errorf("%+v, %v", user, err)
	}
}
