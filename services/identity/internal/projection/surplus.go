package projection

import (
	"context"

	"fledge.dev/services/identity/internal/kratos"
)

const (
	// A run leaves the rest to the next one when it has trimmed so many identities, each a call of a few
	// milliseconds: its other work waits for them.
	surplusPerRun = 10_000
	// It does so, too, after so many failures in a row, which are Kratos' own.
	surplusFailures = 5
)

// surplusRun removes what earlier versions had Kratos keep of people: their names at Google and Apple. What
// fails is tried again by the next run.
type surplusRun struct {
	*Reconciler
	asked, failed, inARow int
	last                  error
}

func (s *surplusRun) drop(ctx context.Context, page []kratos.Identity) {
	for _, i := range page {
		if s.asked == surplusPerRun || s.inARow == surplusFailures || ctx.Err() != nil {
			return
		}
		if len(i.Surplus) == 0 {
			continue
		}
		s.asked++
		if err := s.store.AloneAtKratos(ctx, i.ID, func(ctx context.Context) error { return s.kratos.DropTraits(ctx, i.ID, i.Surplus) }); err != nil {
			s.failed, s.inARow, s.last = s.failed+1, s.inARow+1, err
			continue
		}
		s.inARow = 0
		s.metrics.accounts.WithLabelValues("trimmed").Inc()
	}
}

// report logs failures once, not for each identity.
func (s *surplusRun) report(ctx context.Context) {
	if s.failed > 0 {
		s.log.WarnContext(ctx, "traits that nothing reads cannot be removed from Kratos", "failed", s.failed, "last", s.last)
	}
}
