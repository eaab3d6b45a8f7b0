package obs

import (
	"context"
	"log/slog"
	"time"
)

// repeatedEvery is how often a failure that repeats is logged.
const repeatedEvery = time.Minute

// Repeated logs a failure that repeats: at once, then once a minute. It belongs to one goroutine.
type Repeated struct {
	Log  *slog.Logger
	last time.Time
}

// Warn logs, or does nothing when it has within the last minute.
func (r *Repeated) Warn(ctx context.Context, message string, args ...any) {
	if time.Since(r.last) < repeatedEvery {
		return
	}
	r.last = time.Now()
	r.Log.WarnContext(ctx, message, args...)
}

// Over has the next failure logged at once.
func (r *Repeated) Over() { r.last = time.Time{} }
