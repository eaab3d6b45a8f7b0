package mail

import (
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// phase is how far a delivery came.
type phase string

// The phases of a delivery. In phaseConnect are the dialling, TLS, HELO and AUTH.
const (
	phaseConnect phase = "connect"
	phaseMail    phase = "MAIL FROM"
	phaseRcpt    phase = "RCPT TO"
	phaseData    phase = "DATA"
)

// verdict is what a failure means for the email.
type verdict int

const (
	// blocked: it is about us or the server. No email would go now: all wait.
	blocked verdict = iota
	// deferred: it is about this email, and may be over later.
	deferred
	// bounced: it is about the recipient. No try will ever succeed.
	bounced
)

// failure is why an email was not taken. It names nobody: what the server said, which
// often repeats the address, is judged and forgotten.
type failure struct {
	phase phase
	// code is the server's reply, 0 without one; status the enhanced code of RFC 3463, "" without one.
	code    int
	status  string
	verdict verdict
	// cause is set where no server answered.
	cause error
}

func (f *failure) Error() string {
	if f.code == 0 {
		return fmt.Sprintf("mail: %s: %v", f.phase, f.cause)
	}
	return fmt.Sprintf("mail: %s: the server answered %s", f.phase, f.reply())
}

// reply is such as "550 5.1.1".
func (f *failure) reply() string {
	if f.code == 0 {
		return ""
	}
	return strings.TrimSpace(strconv.Itoa(f.code) + " " + f.status)
}

// failed judges the error of a phase.
func failed(at phase, err error) *failure {
	reply, ok := errors.AsType[*textproto.Error](err)
	if !ok {
		return &failure{phase: at, verdict: blocked, cause: err}
	}
	status := statusOf(reply.Msg)
	return &failure{phase: at, code: reply.Code, status: status, verdict: judge(at, reply.Code, status, reply.Msg)}
}

// nextLine is where a server has broken its sentence, and the codes that it repeats there. A report has all lines in one.
var nextLine = regexp.MustCompile(`\s*\n\s*(?:[45]\d\d[ -])?(?:[45]\.\d{1,3}\.\d{1,3} )?|\s+[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3} +`)

// quotedReply is the reply in a report: what begins its code, and its text. Cisco puts its own opinion before it, such as
// "5.1.0 - Unknown address error 550-'…'", and Postfix the server's name.
var quotedReply = regexp.MustCompile(`(?s)^\s*(?:[45]\.\d\.\d - [^'"]*?|host \S+ said: )?([45])\d\d[ -]+['"]?(.*)`)

// anAddress says nothing by its own words, such as those of ada@privaterelay.example.
var anAddress = regexp.MustCompile(`[^\s<>"'(),:;=/?]+@[\w.-]+`)

// Servers write a status code without announcing ENHANCEDSTATUSCODES: most where the text begins, some behind a colon
// or in parentheses, qmail in parentheses at its end. An IP address, which goes on, is none.
var (
	leading  = regexp.MustCompile(`^[\s:(#-]*([45]\.\d{1,3}\.\d{1,3})\.?(?:[^\w.]|$)`)
	trailing = regexp.MustCompile(`\(#?([45]\.\d{1,3}\.\d{1,3})(?:\.?[^\w.()][^()]*)?\)\s*$`)
)

// statusOf is the enhanced status of a reply's text, or "".
func statusOf(text string) string {
	for _, form := range []*regexp.Regexp{leading, trailing} {
		if found := form.FindStringSubmatch(text); found != nil {
			return found[1]
		}
	}
	return ""
}

// namesRecipient reports whether the server itself says by its status that it is about the recipient: one by which a rule
// bounces, but none of routes, which a relay without DNS finds to nobody.
func (f *failure) namesRecipient() bool {
	status := detailOf(f.status)
	return !strings.HasPrefix(status, "4.") && slices.ContainsFunc(rules, func(r rule) bool { return r.verdict == bounced && hasStatus(r.status, status) })
}

// rule gives the verdict on the replies that it fits. Empty fields fit all.
type rule struct {
	at phase
	// code is the begin of the reply code, such as "5" or "452".
	code string
	// status are enhanced codes without their first digit, separated by spaces; "7.*" are all of a subject.
	status  string
	words   *regexp.Regexp
	verdict verdict
}

// anyOf fits words that have one of the forms, in capitals or not.
func anyOf(forms ...string) *regexp.Regexp {
	return regexp.MustCompile("(?i)" + strings.Join(forms, "|"))
}

var (
	// aboutUs are refusals that speak of an account, a mailbox or a user and mean ours. Some repeat what another server has
	// said of our address, or explain themselves in the lines after the first.
	aboutUs = anyOf(
		// what Exchange says of a mail that it is to send
		`storedrv\.(submission|clientsubmit)`, `submission ?quota ?exceeded`, `SendAsDenied`, `OutboundSpam`,
		// how much we send
		`unusual sending activity`, `max defers and failures`, `max(imum)? (number|amount) of (e-?mails|messages|recipients)`,
		`max(imum)? (e-?mails|messages|recipients) (per|an?) (hour|day)`, `\bsend(ing)? (quota|limit)`, `(daily|hourly) .*(quota|limit)`, `rate (limit )?exceeded`, `sender (quota|exceeded)`,
		`\bsent( to)? too many\b`, `too many \S+ (recipients|users|addresses|mailboxes)\b`,
		`(reached|exceeded) your\b.*\b(quota|limit)`, `\byou(.ve| have) reached the\b.*\b(quota|limit)`,
		// our account
		`outgoing (e-?)?mails?\b.*\bsuspen(ded|sion)`, `\bsending for (this|your) account\b`, `(suspended|disabled) (from|for) sending`, `\bsmtp (account|user|service)\b`, `outbounds? disabled`,
		`\byour (\S+ )?account\b[^.]*\b(suspended|disabled|inactive|locked|blocked|terminated|frozen|discontinued)`,
		`\bsend(er|ing)(.s)? ((\S+ )?(account|mailbox) )?(is |was |has been )?(temporar(il)?y )?(disabled|inactive|locked|blocked|suspended|terminated|invalid|unknown)`,
		`^[\d.\s]*account (is |was |has been )?suspended`,
		// our address and server, and what we may do
		`\b(sender|domain|ip|ip address)( \S+)? (is |was |has been )?(black|block|deny)listed`,
		`\byour ip\b`, `client host`, `relay(ing)? (access )?denied`, `sender verif(y|ication) failed`, `list of allowed rcpthosts`, `not allowed to send([.:;,]| as\b| from\b|$)`,
		// a mailbox that is none: Yahoo, GMX
		`request failed; mailbox unavailable`,
		`mailbox unavailable\b.*(failure sending|try again|not (allowed|permitted|authori[sz]ed)|policy|resource record|block listed|send(ing)? limit)`)
	// comeBack are recipients whom an email reaches later.
	comeBack = anyOf(`gr[ea]y-?list`, `(user|recipient|mailbox|account|address)( is)? temporarily`, `temporar(il)?y (locked|inactive|suspended|disabled)`,
		`(user|recipient|mailbox|account) (locked|suspended|disabled) temporar`,
		// who gets too much
		`receiving e?mail (too quickly|at a rate)`, `exceeded (their|the) limit for the number of messages`, `recipient has exceeded [^.]*\brate\b`)
	// refusedSender may go on with what is wrong with the sender's mailbox.
	refusedSender = anyOf(`sender address rejected`, `of sender address`, `unauthori[sz]ed sender`)

	later = anyOf(`temporar`, `try (it )?again (later|in)\b`)
	// noMailbox are recipients who do not exist, or whom no email reaches any more.
	noMailbox = anyOf(
		`(user|recipient|mailbox|account|address(ee)?)( \S+)? (is |was |has been )?(unknown|not found|unavailable|disabled|discontinued|terminated|frozen|inactive|invalid|no longer|doesn.?t exist|does not exist|doesn.?t have)`,
		`(no such|unknown|invalid|inactive|deactivated) (user|recipient|mailbox|address|account)`, `no mailbox`, `doesn.?t have an? \S+ account`,
		`\b(is|or) no longer valid`, `not a (valid|known) recipient`, `no one at this address`,
		// who is locked out, or has left long ago
		`(mailbox|recipient)( is| was| has been| currently)* suspend`, `\binactivity\b`,
		`(this|user|recipient)(.?s)? mailbox (is |was |has been )?blocked`, `recipient address rejected: blocked\W*$`,
		// in French
		`destinataire (est )?(invalide|inconnu)`,
		// who does not want us
		`(blocked|rejected) by (the )?recipients?([.,;]|$)`,
		// Yandex, qmail's lists, and La Poste
		`policy rejection on the target address`,
		`(bad|valid)rcptto`, `badrecipientto`, `envelope recipient has been denied`, `archived recipient`, `recipient account is ?blocked`,
		// Exchange's names
		`recipientnotfound`, `accountdisabled`, `resolver\.rst\.(authrequired|notauthorized)`)
	// fullMailbox has no room for more; `quota exceeded` alone may be ours.
	fullMailbox = anyOf(`mailbox\b.*\b(full|quota)`, `over ?quota`, `exceeded storage allocation`, `account is full`,
		`too many messages on the server`, `mailbox exceeded the local limit`, `(\bstorage|dis[ck]( ?space)?)\b[^.;]*\b(quota|limit)`)
	tooBig = anyOf(`too (big|large|long)`, `size (limit|exceed)`, `exceed\w* .*\bsize`)
	loop   = anyOf(`too many hops`, `\bloop`)
	// aboutSender is what remains of us, less surely than aboutUs.
	aboutSender = anyOf(
		// how much we send
		`(quota|rate|limit)s? (was |has been |is )?(exceeded|reached)`, `exceeded .*(quota|rate|limit)`, `too many `, `throttl`,
		`frequency limited`, `thread limit`,
		// whether we may
		`sending (paused|suspended)`, `pending approval`, `not (verified|authori[sz]ed|permitted|allowed to send)`, `unverified`, `authenti[cfsz]`,
		`\bauth\b.* required`, `\bsubmitter\b`, `not subscribed to ses`, `relay`, `administrative prohibition`, `only send testing`, `delivery is not allowed`,
		// the sender, in other languages
		`\bfrom:`, `mail from not owned`, `bogus mail from`, `purported responsible`,
		`sender`, `absender`, `[eé]metteur`, `exp[eé]diteur`, `remitente`, `remetente`, `mittente`, `отправител`, `发件人`,
		// our server, and what it is known for
		`(\b|_|open)(spf|dkim|dmarc|ptr|rdns|helo|ehlo|spam|virus|rbl|dnsbl)(\b|_)`, `^[\d.\s]*ip\b`, `\b(ihre|votre|su|seu|suo) ip\b`, `reverse dns`,
		`client ip\b`, `host network`, `dynamic (ip|host)s?\b`, `spammer`, `(black|block|deny)[ -]?list`, `blocked`, `block-send`, `\bers-(rbl|dul|qil|customized)`, `resource record`,
		`spamhaus`, `reputation`, `polic(y|ies)\b`)
	accessDenied     = anyOf(`access denied`)
	refusedRecipient = anyOf(`recipient (address(es)? )?(rejected|refused)`)
)

// rules are read from the top; the first that fits decides. Where servers say more by their words
// than by their codes, or something else, the words win: the tests quote such replies.
var rules = []rule{
	// Before the recipient is named, nothing is about it.
	{at: phaseConnect, verdict: blocked},
	{at: phaseMail, verdict: blocked},
	{code: "421", verdict: blocked}, // the server hangs up (RFC 5321, section 3.8)

	// Codes and words that leave no doubt.
	{status: "1.7 1.8 4.5 2.252 7.23 7.24 7.25 7.26 7.27 7.28", verdict: blocked}, // the sender, and its limits
	{words: aboutUs, verdict: blocked},
	{words: comeBack, verdict: deferred},
	{words: refusedSender, verdict: blocked},
	{code: "5", status: "2.2", verdict: bounced},
	{code: "5", words: fullMailbox, verdict: bounced},
	{code: "4", status: "1.1 1.2 2.2", verdict: deferred},
	{code: "4", words: fullMailbox, verdict: deferred},
	{code: "5", words: noMailbox, verdict: bounced},
	{code: "5", status: "1.1 1.2 1.3 1.6 1.10 7.124 7.129 7.133 7.134 7.135 7.136", verdict: bounced},

	// About this email's content: another one may be taken, and this one by another server.
	{status: "6.* 2.3 3.4", verdict: deferred},
	{words: tooBig, verdict: deferred},
	{words: loop, verdict: deferred},

	// About us, or about the server.
	{words: aboutSender, verdict: blocked},
	{code: "5", words: refusedRecipient, verdict: bounced},
	{code: "5", words: accessDenied, verdict: blocked},
	{code: "53", verdict: blocked}, // asks for authentication or encryption (RFC 4954)
	{code: "454", verdict: blocked},
	{code: "50", verdict: blocked}, // does not understand us
	{status: "3.* 5.*", verdict: blocked},
	{code: "5", status: "7.*", verdict: blocked},
	{code: "5", words: later, verdict: deferred},

	// What remains of refusals names the recipient before the content, and nobody in between.
	{code: "4", verdict: deferred},
	{status: "1.* 2.* 4.1 4.4 4.14 4.310", verdict: bounced},
	{status: "4.*", verdict: deferred},
	{at: phaseRcpt, verdict: bounced},
	{at: phaseData, verdict: deferred},
}

// detailOf is a status without its first digit, or "" for one that says no more than that.
func detailOf(status string) string {
	_, detail, _ := strings.Cut(status, ".")
	if detail == "0.0" || detail == "1.0" || detail == "2.0" {
		return ""
	}
	return detail
}

func judge(at phase, code int, status, words string) verdict {
	status, words = detailOf(status), anAddress.ReplaceAllString(nextLine.ReplaceAllString(words, " "), "@")
	for _, r := range rules {
		if r.fits(at, strconv.Itoa(code), status, words) {
			return r.verdict
		}
	}
	return blocked
}

// Bounces reports whether a server that has given up an email with the enhanced status and the words
// has no such recipient, by the rules for what servers answer to the queue. Such a report does not say
// how far the email came, so only what names the recipient counts. The reply that it quotes knows better than
// its status, which Exim has as 5.0.0 always, and Sendmail as 5.1.1 for much.
func Bounces(status, words string) bool {
	if found := quotedReply.FindStringSubmatch(words); found != nil {
		if found[1] == "4" {
			return false // put off until its time was over
		}
		words = found[2]
		if own := statusOf(words); detailOf(own) != "" {
			status = own
		}
	}
	return strings.HasPrefix(status, "5.") && judge(phaseData, 550, status, words) == bounced
}

func (r rule) fits(at phase, code, status, words string) bool {
	return (r.at == "" || r.at == at) &&
		strings.HasPrefix(code, r.code) &&
		(r.status == "" || status != "" && hasStatus(r.status, status)) &&
		(r.words == nil || r.words.MatchString(words))
}

func hasStatus(patterns, status string) bool {
	for pattern := range strings.FieldsSeq(patterns) {
		subject, all := strings.CutSuffix(pattern, "*")
		if pattern == status || all && strings.HasPrefix(status, subject) {
			return true
		}
	}
	return false
}
