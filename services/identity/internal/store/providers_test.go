package store_test

import (
	"context"
	"sync"
	"testing"
)

// TestChangesOfProvidersLeaveConnections: Kratos is asked within them, and may be slow.
func TestChangesOfProvidersLeaveConnections(t *testing.T) {
	f := newFixture(t)
	ann := f.person("ann@example.com", 0)
	asked, answer := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	for range 2 * f.pool.Config().MaxConns {
		all.Go(func() {
			_, err := f.ChangeProviders(context.Background(), ann.ID, epoch, func(context.Context) ([]string, error) {
				asked <- struct{}{}
				<-answer
				return []string{"google"}, nil
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
