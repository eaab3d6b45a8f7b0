// Package mail sends the product's emails: written once, queued in the
// transaction that is their reason, and delivered by a worker that survives
// crashes, outages and greylisting.
//
// # Words
//
// A service has its emails as templates, [BuiltIn], and an installation may have others in a directory,
// Config.TemplatesDir. A template is the head of one email, its fields, and after an empty line its paragraphs:
//
//	Subject: You have access to {{.Brand}}
//	Preview: Your spot is ready.
//	Heading: You're in
//	Action: Get the app
//	Reason: You get this email because this address is on the waitlist.
//
//	Sign in with this email address.
//
//	Then download the app.
//
// The layout makes the text and the HTML of it, so that both say the same, with the links that the service
// gives. What an installation replaces is checked as the service starts, with a sample of each email: it may
// not lack a value or a link that the built-in one shows. An email whose values it cannot take has the built-in words.
//
// # How often an email arrives
//
// [Queue.Enqueue] writes a River job in the caller's transaction: the email is
// sent if and only if that commits. A process killed before the SMTP server has
// said 250 sends nothing, and another worker takes the job over. Between that
// 250 and its record lies one short window in which a kill repeats the email, and so
// does a database that is away for more than a minute; the repeat carries the same
// Message-ID, which follows from the message's key and recipient, and from its text where no other email refers to it.
//
// # What becomes of failures
//
// Each is judged by what was answered, and to which command (reply.go):
//
//   - About us or the server, such as a wrong password or a daily limit: no email would go now.
//     All of the process wait, and one is tried after each pause, which grow to five minutes.
//   - About this email, such as greylisting, or one that the server may have taken and has not answered: it is tried again
//     with growing pauses, alone.
//   - About the recipient, such as an address that does not exist: it has bounced, for good. From the sixth
//     recipient in a row on that is refused without a status that names the recipient, it is about us.
//
// What was not sent after four and a half days is given up. [Queue.Tell] says how each email ended. The
// jobs of those that bounced or were given up stay in mail.river_job for 30 days, and
// [Command] shows them, sends them again or deletes them; it also shows all emails and sends tests of them. Admins see
// all emails by state in MailService, and do the same there; [Queue.Record] has it recorded.
//
// # What the provider reports later
//
// [Queue.Reports] serves MailService, by which the gateway passes on what a provider has reported of
// an address. One that bounced gets nothing more, and one whose reader has called an email spam or has
// unsubscribed no email with [Message.Unsubscribe], until somebody sends one again on purpose ([Queue.Allow]).
// [Queue.Hear] has a service hear it, and [Queue.Trouble] tells what is known of an address. [Queue.Cleanup]
// deletes a report 30 days after it was lifted, and each after two years. What is reported of an address after
// [Queue.Erase] is not noted: a hash of it tells for 30 days, or until an email goes there again.
//
// # Emails whose reason may go away
//
// With [Queue.Ask] a service is asked before each try whether the email is still due. One
// that is being sent when its reason goes is sent.
//
// River's tables live in a schema of their own, "mail", so that a service may
// run other River queues without either rescuing the other's jobs.
package mail
