package store_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/mail"
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
			_, err := accounts.ResetSecondFactor(audit.WithActor(context.Background(), "test"), ann.ID, "lost", epoch, func(context.Context) error {
				ask()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-asked
	if _, err := f.Person(t.Context(), ann.ID.String()); err != nil {
		t.Error(err)
	}
	if held := f.pool.Stat().AcquiredConns(); held > max(1, f.pool.Config().MaxConns/4) {
		t.Errorf("%d of %d connections are held", held, f.pool.Config().MaxConns)
	}
	close(answer)
	go func() {
		for range asked {
		}
	}()
	all.Wait()
	close(asked)
}

type noEmails struct{ store.Emails }

func (noEmails) Enqueue(context.Context, pgx.Tx, mail.Email) error { return nil }
