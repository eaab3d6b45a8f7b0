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
		stop := service.Go(ctx, run)
		return func(stopping context.Context) error {
			defer c.close()
			return stop(stopping)
		}, nil
	}}
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
