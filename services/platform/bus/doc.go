// Package bus carries events from one service to the others, each exactly once in effect.
//
// # From a commit to an effect
//
// A service appends an [Event] to its outbox table in the transaction that
// changes its data. The relay moves outbox rows to the service's JetStream
// stream. A consumer takes them from there and, in one transaction, writes an
// inbox row, runs the handler and commits; only then does it acknowledge.
// A handler's effect in that transaction therefore happens exactly once,
// however often the message is delivered.
//
// Postgres is the only source of truth. A stream is a copy that may be lost:
// JetStream acknowledges before it has synced (nats-server#7564), so a power cut can
// lose acknowledged messages. Every outbox row remembers its place in the stream,
// and the relay publishes again whatever a wiped, truncated or purged stream has lost.
//
// # Names
//
// Types are fledge.<service>.v<N>.<entity>.<verb>, and are also the NATS subjects.
// The payload's message follows from the type: fledge.waitlist.v1.user.approved
// carries fledge.events.waitlist.v1.UserApproved. Both ends check this. A new
// version is a new proto package beside the old one; consumers acknowledge and
// count types that they do not know. One event has the same payload in every service:
// fledge.<service>.v1.staff.action carries fledge.events.audit.v1.StaffAction (see
// package audit).
//
// # Order
//
// Events of one subject are published in the order in which they were appended;
// for writers that lock the entity first, that is the order of their commits.
// Redelivery can still reorder them, so a consumer that keeps state per entity
// compares [Event.Version] and ignores the older one.
//
// # Retention and outages
//
// Published outbox rows and messages are kept for 7 days, inbox rows for 30, which
// is longer than any message can take to be redelivered. The stream deduplicates
// messages for 10 minutes, the inbox deduplicates events. NATS may be down at any
// time, at start too: events wait in the outbox.
//
// A simulation runs the relay and a consumer against a world in which processes
// crash between any two steps, answers get lost, and the stream is wiped or set back:
// 200 seeds with the tests, more with `make simulate SEEDS=10000`.
//
// # Under load
//
// An event that is appended at least 100 ms after the one before it is published at
// once. In a burst the relay takes a step every 100 ms, and consumers with HandleAll
// commit as often, for all events that have arrived meanwhile: a step costs much the
// same for one event as for a hundred. During a burst the relay does not listen for
// appends, because PostgreSQL would wake it at each commit, which costs more than the
// steps.
//
// Waiting events of one type travel as one message, a bundle of up to 256
// (fledge.events.bundle.v1), which the stream stores, syncs and delivers once.
// Handlers see single events: each has its own transaction (unless HandleAll shares
// one), inbox row and dead letter, and the message is acknowledged when none of them
// has to be redelivered. The stream drops a bundle that it already has. After a crash a
// bundle may be composed differently and repeat some events, which the inbox drops.
//
// A service that writes many rows at once, as the waitlist does with sign-ups,
// announces them in one event: that costs one outbox row and one row in each inbox.
//
// # Dead letters
//
// A message that its handler can never process is put into the consuming service's
// table dead_letter, with the reason, and counts in bus_deliveries_total as
// result="dead". Once the cause is fixed, an operator redelivers dead letters with
// SQL in that service's database:
//
//	SELECT event_id, type, reason, died_at FROM dead_letter
//	 WHERE consumer = 'waitlist-stats' ORDER BY died_at;
//
//	UPDATE dead_letter SET redrive_at = now()
//	 WHERE consumer = 'waitlist-stats' AND event_id = '0198c5a2-…';
//
// (without event_id: all of that consumer's).
//
// A running consumer looks every two seconds. A dead letter that is handled leaves the
// table in the transaction of its effect; one that still fails stays, with
// redrive_at NULL and its new reason; one that meets an outage is retried.
// A dead letter that nobody needs can be deleted from the table: its inbox row keeps
// the message from being handled again.
//
// # Rights
//
// Each service has a NATS user of its own, with the rights that [Rights] lists: to publish
// its own events, manage its own stream, read with its own consumers, and receive its own
// answers. deploy/local/natsserver has the table of the services.
package bus
