package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audit"
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
