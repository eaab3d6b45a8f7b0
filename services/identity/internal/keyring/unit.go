package keyring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/service"
)

// staleAfter is when reloads that fail are shown to people.
const staleAfter = 10 * ReloadInterval

// Unit opens the ring and reloads it at ReloadInterval. A reload that fails
// leaves the ring as it is.
func (r *Ring) Unit(rt *service.Runtime) service.Unit {
	return service.Unit{Name: "keyring", Start: func(ctx context.Context) (func(context.Context) error, error) {
		if err := errors.Join(pg.WhenThere(ctx, r.Open), rt.Metrics.Register(newCollector(r))); err != nil {
			return nil, err
		}
		rt.Health.Inform("keys", func(context.Context) error { return r.stale() })
		return service.Go(ctx, func(ctx context.Context) { r.keepUp(ctx, rt) }), nil
	}}
}

func (r *Ring) keepUp(ctx context.Context, rt *service.Runtime) {
	for service.Pause(ctx, ReloadInterval) {
		r.reload(ctx, rt)
	}
}

// reload is Open with a word to the log.
func (r *Ring) reload(ctx context.Context, rt *service.Runtime) {
	before := r.current.Load()
	if err := r.Open(ctx); err != nil {
		if ctx.Err() == nil {
			r.failed.Add(1)
			rt.Log.ErrorContext(ctx, "signing keys were not reloaded from the database, those in memory stay in use", "error", err)
		}
		return
	}
	if after := r.current.Load(); !same(before.keys, after.keys) {
		rt.Log.InfoContext(ctx, "keys changed", "before", summary(before.keys), "after", summary(after.keys))
	}
}

// summary tells keys by id, purpose and state.
func summary(keys []Key) []string {
	lines := make([]string, len(keys))
	for i, k := range keys {
		lines[i] = fmt.Sprintf("%s %s %s", k.ID, k.Purpose, k.State)
	}
	return lines
}

// stale fails when the ring was last read too long ago.
func (r *Ring) stale() error {
	if age := r.clock.Now().Sub(r.current.Load().read); age > staleAfter {
		return fmt.Errorf("keyring: last read %s ago", age.Round(time.Second))
	}
	return nil
}
