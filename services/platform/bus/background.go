package bus

import (
	"context"
	"log/slog"
	"time"

	"fledge.dev/services/platform/service"
)

// background is a unit that runs on its own and is ready at once. run returns
// soon after its context ends.
func (c *Conn) background(name string, run func(context.Context)) service.Unit {
	return service.Unit{Name: name, Start: func(ctx context.Context) (func(context.Context) error, error) {
		if err := c.open(); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		done := make(chan struct{})
		go func() {
			defer close(done)
			run(ctx)
		}()
		return func(stopping context.Context) error {
			defer c.close()
			cancel()
			select {
			case <-done:
				return nil
			case <-stopping.Done():
				return stopping.Err()
			}
		}, nil
	}}
}

// pause reports false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

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
