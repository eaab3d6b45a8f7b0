package pg

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/clock"
)

// clockEvery is how old the last reading of the server's clock may be when a connection
// is used.
const clockEvery = 10 * time.Second

// serverClock tells the time of the database's server, so that all replicas agree on it,
// whatever their machines say. The server is asked when a connection is used and the last
// answer is older than clockEvery; between two answers the machine's monotonic clock moves
// the time on. Before the first answer it is the machine's time.
type serverClock struct {
	machine clock.Clock
	last    atomic.Pointer[reading]
}

// reading says what the time was on the server when it was another one here.
type reading struct{ server, here time.Time }

// Now implements clock.Clock.
func (c *serverClock) Now() time.Time { return c.at(c.machine.Now()) }

func (c *serverClock) at(here time.Time) time.Time {
	last := c.last.Load()
	if last == nil {
		return here
	}
	return last.server.Add(here.Sub(last.here))
}

// follow is the pool's PrepareConn. A server that does not answer is told by the statement
// that the connection is wanted for.
func (c *serverClock) follow(ctx context.Context, conn *pgx.Conn) (bool, error) {
	sent := c.machine.Now()
	if last := c.last.Load(); last != nil && sent.Sub(last.here) < clockEvery {
		return true, nil
	}
	var server time.Time
	if err := conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&server); err != nil {
		return true, nil //nolint:nilerr // see above
	}
	now := c.machine.Now()
	// The server has answered at some time between the two.
	margin := now.Sub(sent) / 2
	here := sent.Add(margin)
	if told := c.at(here); c.last.Load() != nil && told.Sub(server).Abs() <= margin {
		server = told // no better known than before
	}
	c.last.Store(&reading{server: server.UTC(), here: here})
	return true, nil
}
