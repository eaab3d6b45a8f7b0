// Package bus carries what happened in one service to the others, once.
//
// # From a commit to an effect
//
// A service appends an [Event] to its outbox table in the transaction that
// changes its data. The relay moves outbox rows to the service's JetStream
// stream. A consumer takes them from there and, in one transaction, writes an
// inbox row, lets the handler do its work, commits, and only then acknowledges.
// A handler's effect in that transaction therefore happens exactly once,
// however often the message arrives.
//
// Postgres is the only truth. A stream is a copy that may be lost: JetStream
// acknowledges before it has synced (nats-server#7564) and a power cut can take
// acknowledged messages. Every outbox row remembers its place in the stream,
// and the relay puts back whatever a wiped, truncated or purged stream has lost.
//
// # Names
//
// Types are fledge.<service>.v<N>.<entity>.<verb> and double as NATS subjects.
// The payload's message follows from the type: fledge.waitlist.v1.user.approved
// carries fledge.events.waitlist.v1.UserApproved. Both ends check this. A new
// version is a new proto package beside the old one; consumers acknowledge and
// count types that they do not know. One event is the same in every service:
// fledge.<service>.v1.staff.action carries fledge.events.audit.v1.StaffAction (see
// package audit).
//
// # Order
//
// Events of one subject are published in the order in which they were appended;
// for writers that lock the entity first, that is the order of their commits.
// Redelivery can still reorder them, so whoever keeps state per entity compares
// [Event.Version] and ignores the older one.
//
// # Time and loss
//
// Published outbox rows and messages live for 7 days, inbox rows for 30, which
// covers the longest way a message can come back. Messages are deduplicated by
// the stream for 10 minutes, events by the inbox. NATS may be down at
// any time, at start too: events wait in the outbox.
//
// A simulation runs the relay and a consumer against a world in which processes
// die between any two steps, answers get lost, and the stream is wiped or set back:
// 200 seeds with the tests, more with `make simulate SEEDS=10000`.
//
// An event that comes 100 ms after the one before it, or later, goes at once. In a rush
// the relay takes a step every 100 ms, and consumers with HandleAll commit as often, for
// as many events as came meanwhile: a step costs much the same for one event as for a
// hundred. Meanwhile it does not listen for appends: PostgreSQL would wake it at each commit,
// which costs more than its steps. Events of one type that wait together travel as one message, a bundle of up to
// 256 (fledge.events.bundle.v1), which the stream stores, syncs and hands out once. To
// handlers a bundle is its events: each has its own transaction, inbox row and dead letter,
// and the message is acknowledged when none has to come again. The stream drops a bundle
// that it has already. One that was made up otherwise after a crash repeats some events,
// which the inbox drops. A service that writes many at once, as the waitlist does with
// sign-ups, tells of them in one event: that costs one row of the outbox and one of each inbox.
//
// # Dead letters
//
// A message that its handler can never take is put into the consuming service's
// table dead_letter, with the reason, and counts in bus_deliveries_total as
// result="dead". Once the cause is mended, an operator hands letters back with
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
// A running consumer looks every two seconds. A letter that is handled leaves the
// table in the transaction of its effect; one that is still poison stays, with
// redrive_at NULL and its new reason; one that meets an outage is tried again.
// A letter that nobody can ever use is deleted from the table: its inbox row keeps
// the message from coming back.
//
// # Rights
//
// Each service has a NATS user of its own, which may do what [Rights] lists: publish
// its own events, keep its own stream, read with its own consumers, and hear its own
// answers. deploy/local/natsserver has the table of the services.
package bus
