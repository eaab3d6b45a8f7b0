package bus

import (
	"log/slog"
	"time"
)

// outage logs a failure that repeats: at once, then once a minute. It belongs
// to one goroutine.
type outage struct {
	log  *slog.Logger
	last time.Time
}

func (o *outage) report(message string, err error) {
	if time.Since(o.last) < time.Minute {
		return
	}
	o.last = time.Now()
	o.log.Warn(message+", retrying", "error", err)
}
