package entry

// Consent names the words by which somebody who sends a form agrees to be written to. Whoever changes
// ConsentWords gives them another name, so that each entry tells what its person has read.
const Consent = "2026-11"

// ConsentWords are what the form says before and after it is sent, and the email by which an address is
// confirmed, where an installation asks for that.
var ConsentWords = struct{ Form, Email []string }{
	Form:  []string{"Join Waitlist", "We'll notify you by email when your place is ready."},
	Email: []string{"Once you have confirmed it, we write to this address when your place is ready, and about nothing else."},
}
