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
// The payload's message follows from the type: fledge.identity.v1.user.roles_changed
// carries fledge.events.identity.v1.UserRolesChanged. Both ends check this. A new
// version is a new proto package beside the old one, and a type of its own. One event has
// the same payload in every service: fledge.<service>.v1.staff.action carries
// fledge.events.audit.v1.StaffAction (see package audit).
//
// # Order
//
// Events of one subject are published in the order in which they were appended;
// for writers that lock the entity first, that is the order of their commits.
// Redelivery can still reorder them, so a consumer that keeps state per entity
// compares [Event.Version] and ignores the older one.
//
// # Erasure
//
// Package erasure marks the rows of events that mention an account. A marked event is never
// published again; within seconds the relay deletes its message from the stream and then its
// row. What it cannot reach expires with the stream's other messages after 7 days: a second
// copy, which the stream keeps of an event whose acknowledgement was lost for longer than the
// 10 minutes of its memory, and a backup of the stream's store.
//
// # Retention and outages
//
// Published outbox rows and messages are kept for 7 days, inbox rows for 30, which
// is longer than any message can take to be redelivered; [Cleanup] deletes them. The
// stream deduplicates messages for 10 minutes, the inbox deduplicates events. NATS may be
// down at any time, at start too: events wait in the outbox.
//
// A simulation runs the relay and a consumer against a world in which processes
// crash between any two steps, answers get lost, events are erased, and the stream is wiped or set back:
// 200 seeds with the tests, more with `make simulate SEEDS=10000`.
//
// # Liveness
//
// Of a service's replicas one publishes, the one that holds a lock of the database. It looks
// for new events twenty times a second. When it dies without a word (no power, no network, a
// process that hangs) PostgreSQL ends its session after 30 seconds of silence and another
// replica goes on. All replicas report the age and number of what waits.
//
// # Dead letters
//
// An event that its handler can never process is put into the consuming service's
// table dead_letter, with the reason, and counts in bus_deliveries_total as
// result="dead"; [ConsumerSpec] says which errors these are. The others are not held up.
// Once the cause is fixed, an operator hands it out again with the service's command
// dead-letters. A dead letter that is handled leaves the table in the transaction of its
// effect; one that still fails, or takes too long, stays with its new reason; one that meets an
// outage is tried again. One that was dropped is never handled: its inbox row stays.
//
// # Rights
//
// Each service has a NATS user of its own, with the rights that [Rights] lists: to publish
// its own events, manage its own stream and delete messages from it, read with its own
// consumers, and receive its own answers. They follow from the services' Specs.
package bus
