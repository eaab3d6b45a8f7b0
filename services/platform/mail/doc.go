// Package mail sends the product's emails: written once, queued in the
// transaction that is their reason, and delivered by a worker that survives
// crashes, outages and greylisting.
//
// # How often an email arrives
//
// [Queue.Enqueue] writes a River job in the caller's transaction: the email is
// sent if and only if that commits. A process killed before the SMTP server has
// said 250 sends nothing, and another worker takes the job over. Between that
// 250 and its record lies one short window in which a kill repeats the email;
// the repeat carries the same Message-ID, which follows from the message's key.
//
// # What becomes of failures
//
// A server that cannot be reached, or refuses us rather than the email, costs
// no attempts: the email waits. A temporary refusal (4xx) is tried again with
// growing pauses for four and a half days. A permanent refusal of the recipient
// or the content (5xx) ends the job. Either way the job of an email that was not
// delivered stays in mail.river_job with its errors for 30 days.
//
// # Emails whose reason may go away
//
// With [Queue.Ask] a service is asked before each try whether the email is still due. One
// that is being sent when its reason goes is sent.
//
// River's tables live in a schema of their own, "mail", so that a service may
// run other River queues without either rescuing the other's jobs.
package mail
