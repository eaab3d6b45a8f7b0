package pg

import (
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// connection is what becomes of a connection after an error.
type connection int

const (
	kept connection = iota
	// dropped: a new connection may do what this one cannot.
	dropped
	// allDropped: the same goes for all connections of the pool.
	allDropped
)

// notNow has the SQLSTATEs, whole classes or single ones, that mean "not now" rather than
// "not like this". All others are mistakes, ours or the operator's, which time alone does not
// correct: a missing table or right, a broken constraint, corrupted data. Their connections
// are kept; pgx closes those that end with an error of severity FATAL.
var notNow = map[string]connection{
	"08": dropped, // connection exceptions; PgBouncer refuses with 08P01
	"40": kept,    // serialisation failures, deadlocks
	"53": kept,    // no memory, no disk, no connection left
	"57": kept,    // operator intervention; a statement timeout is 57014
	"58": dropped, // trouble of the server with its files

	"57P01": dropped, // shutdown
	"57P02": dropped, // crash
	"57P03": dropped, // starting, or in recovery
	"57P04": dropped, // the database was dropped
	"57P05": dropped, // idle for too long

	// The server is a standby, or was made read-only. All connections may lead there.
	"25006": allDropped,
	"25P03": dropped, // idle in a transaction for too long
	"25P04": dropped, // transaction timeout

	"55006": kept, // object in use
	"55P03": kept, // lock not available

	// What this connection has prepared is not what the server has: a table has changed
	// under a plan, or a pooler has changed servers under the connection.
	"0A000": dropped, // cached plan must not change result type
	"26000": dropped, // no such prepared statement
	"42P05": dropped, // the prepared statement exists
}

// lookUp finds an SQLSTATE by itself or by its class.
func lookUp(state string) (after connection, found bool) {
	if after, found = notNow[state]; !found && len(state) == 5 {
		after, found = notNow[state[:2]]
	}
	return after, found
}

func isOutage(state string) bool {
	_, found := lookUp(state)
	return found
}

// resetPause is the least time between two resets of the pool: reads go on on a server that
// takes no writes.
const resetPause = time.Second

// dropper ends connections by the errors that PostgreSQL sends over them, also those that
// are made beside the pool with its configuration.
type dropper struct {
	// otherwise is pgx's own rule.
	otherwise pgconn.PgErrorHandler

	mu        sync.Mutex
	pool      *pgxpool.Pool
	lastReset time.Time
}

// keep tells pgx whether to keep the connection.
func (d *dropper) keep(conn *pgconn.PgConn, err *pgconn.PgError) bool {
	after, _ := lookUp(err.Code)
	if after == allDropped {
		d.reset()
	}
	return after == kept && d.otherwise(conn, err)
}

func (d *dropper) watch(pool *pgxpool.Pool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pool = pool
}

func (d *dropper) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pool != nil && time.Since(d.lastReset) >= resetPause {
		d.lastReset = time.Now()
		d.pool.Reset()
	}
}
