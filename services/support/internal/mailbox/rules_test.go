package mailbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/inmail"
	"fledge.dev/services/support/internal/ticket"
)

var (
	ada = ticket.Person{ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"), Email: "ada@example.com"}
	bea = ticket.Person{ID: uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b9"), Email: "bea@example.com"}
)

// tickets is a store of two people's.
type tickets struct {
	list  []ticket.Ticket
	known map[string]bool
	fail  error

	added, opened []string
}

func newTickets() *tickets {
	first := ticket.Ticket{ID: uuid.New(), Number: 1, Customer: ada, Status: ticket.Open}
	second := ticket.Ticket{ID: uuid.New(), Number: 2, Customer: ada, Status: ticket.Closed}
	return &tickets{list: []ticket.Ticket{
		second, first,
		{ID: uuid.New(), Number: 3, Customer: bea, Status: ticket.Open},
		{ID: uuid.New(), Number: 4, Customer: ticket.Person{ID: uuid.New(), Email: "dora@xn--bcher-kva.example"}, Status: ticket.Open},
		{ID: uuid.New(), Number: 5, Customer: ticket.Person{ID: uuid.New(), Email: "kim@example.com"}, Status: ticket.Open},
	}, known: map[string]bool{}}
}

func (s *tickets) TicketByNumber(_ context.Context, number int64) (ticket.Ticket, error) {
	for _, t := range s.list {
		if t.Number == number {
			return t, nil
		}
	}
	return ticket.Ticket{}, ticket.ErrNotFound
}

func (s *tickets) TicketsOfAddress(_ context.Context, address string) (theirs []ticket.Ticket, _ error) {
	for _, t := range s.list {
		if t.Customer.Email == address {
			theirs = append(theirs, t)
		}
	}
	return theirs, nil
}

func (s *tickets) HasMail(_ context.Context, _ ticket.Person, key string) (bool, error) {
	return s.known[key], nil
}

func (s *tickets) Create(_ context.Context, customer ticket.Person, content ticket.Content, key string) (t ticket.Ticket, isNew bool, err error) {
	if s.fail != nil {
		return t, false, s.fail
	}
	s.known[key] = true
	s.opened = append(s.opened, customer.Email+" | "+content.Subject+" | "+string(content.Message))
	return t, true, ticket.CheckKey(key)
}

func (s *tickets) Reply(_ context.Context, customer ticket.Person, id uuid.UUID, body ticket.Text, key string) (t ticket.Ticket, isNew bool, err error) {
	for _, t := range s.list {
		switch {
		case t.ID != id || t.Customer != customer:
		case t.Status == ticket.Closed:
			return t, false, ticket.ErrClosed
		case s.fail != nil:
			return t, false, s.fail
		default:
			s.known[key] = true
			s.added = append(s.added, t.Label()+" | "+string(body))
			return t, true, ticket.CheckKey(key)
		}
	}
	return t, false, errors.Join(err, ticket.ErrNotFound)
}

// accounts is an identity by the addresses of its accounts.
type accounts map[string]uuid.UUID

func (a accounts) AccountAt(_ context.Context, email string) (id uuid.UUID, address string, ok bool, err error) {
	id, ok = a[email]
	return id, email, ok, nil
}

// awayIdentity answers nothing.
type awayIdentity struct{ err error }

func (a awayIdentity) AccountAt(context.Context, string) (id uuid.UUID, address string, ok bool, err error) {
	return id, "", false, a.err
}

// reports are the addresses that are known to take no mails, and why.
type reports struct {
	list []string
	fail error
}

func (r *reports) Report(_ context.Context, req *mailv1.ReportRequest) (*mailv1.ReportResponse, error) {
	for _, e := range req.GetEvents() {
		if r.fail == nil {
			r.list = append(r.list, e.GetAddress()+" "+e.GetKind().String()+" "+e.GetReason()+" "+e.GetId()[:7])
		}
	}
	return nil, r.fail
}

var replies = ReplyAddress{Base: "reply@fledge.example", Keys: "a key of thirty-two bytes or more"}

func aReceiver(s Tickets) *receiver {
	templates, err := email.BuiltIn("https://fledge.example").Templates("")
	if err != nil {
		panic(err)
	}
	openings, err := templates.Openings(email.ToCustomers()...)
	if err != nil {
		panic(err)
	}
	return &receiver{
		openings: openings,
		tickets:  s, accounts: accounts{"cleo@example.com": uuid.New()}, reports: &reports{}, now: time.Now, reply: replies, hosts: []string{"mx.fledge.example"}, own: ownAddresses("Fledge <hello@fledge.example>", "support@fledge.example"),
		conversation: func(t ticket.Ticket) []string {
			return []string{map[int64]string{1: "c0ffee", 2: "decaf", 3: "tea", 4: "mocha", 5: "latte"}[t.Number] + "@fledge.example"}
		},
	}
}

// arrived is a mail of the files beside the parser, with words replaced.
func arrived(t *testing.T, name string, replaced ...string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("../inmail/testdata", name+".eml"))
	errtest.None(t, err)
	return []byte(strings.NewReplacer(replaced...).Replace(string(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")))))
}

// TestTheRules is the table of the service's README.
func TestTheRules(t *testing.T) {
	const unsigned = "reply+1.aaaaaaaaaaaaaaaa@fledge.example"
	// rewritten is a mail's sender as Google Groups writes it where DMARC would refuse the sender's own.
	rewritten := []string{"From: Ada Lovelace <ada@example.com>", "From: 'Ada Lovelace' via Support <support@fledge.example>\nX-Original-From: Ada Lovelace <ada@example.com>\nReply-To: Ada Lovelace <ada@example.com>"}
	address := func(number int64) string { return replies.Of(ticket.Ticket{Number: number}) }
	for name, tt := range map[string]struct {
		mail          []byte
		want          Outcome
		added, opened string
	}{
		"an answer to the signed address":             {arrived(t, "gmail", unsigned, address(1), "c0ffee", "other"), Added, "TKT-000001 | It is macOS 15.2 on an M3.\n\nIt still crashes!", ""},
		"from another address":                        {arrived(t, "gmail", unsigned, address(1), "Ada Lovelace <ada@", "Bob <bob@", "mx.fledge", "mx.other"), Added, "TKT-000001 | [Sent from bob@example.com]\n\nIt is macOS 15.2 on an M3.\n\nIt still crashes!", ""},
		"through a group to the signed address":       {arrived(t, "through-a-group", unsigned, address(1)), Added, "TKT-000001 | Sent to a group.", ""},
		"through a group that writes as us":           {arrived(t, "through-a-group", rewritten...), Bulk, "", ""},
		"the same to the signed address":              {arrived(t, "through-a-group", append(rewritten, unsigned, address(1))...), Added, "TKT-000001 | [Sent from support@fledge.example]\n\nSent to a group.", ""},
		"our own notice through a group":              {arrived(t, "through-a-group", "Ada Lovelace <ada@example.com>", "hello@fledge.example\nAuto-Submitted: auto-generated"), Own, "", ""},
		"to the signed address of a closed ticket":    {arrived(t, "koi8-r", unsigned, address(2)), Opened, "", "ada@example.com | Re: [TKT-000001] The preview stays blank | About TKT-000002, which is closed:\n\nПрошу возврат."},
		"by its references":                           {arrived(t, "below", unsigned, "support@fledge.example"), Added, "TKT-000001 | It is macOS 15.2.", ""},
		"with a signature that is wrong":              {arrived(t, "below"), Added, "TKT-000001 | It is macOS 15.2.", ""},
		"with a wrong signature and no references":    {arrived(t, "below", "c0ffee", "other"), Opened, "", "ada@example.com | Re: [TKT-000001] The preview stays blank | It is macOS 15.2."},
		"with another's references":                   {arrived(t, "below", "c0ffee", "tea"), Opened, "", "ada@example.com | Re: [TKT-000001] The preview stays blank | It is macOS 15.2."},
		"by its references, but nobody vouches":       {arrived(t, "below", "mx.fledge", "mx.other"), Forged, "", ""},
		"forged":                                      {arrived(t, "forged", "b1f0c1d2", "c0ffee"), Forged, "", ""},
		"somebody else's subject":                     {arrived(t, "subject-only"), Opened, "", "bea@example.com | Re: [TKT-000001] The preview stays blank | I want to read that ticket."},
		"a new one":                                   {arrived(t, "new"), Opened, "", "ada@example.com | Cannot export to Xcode | Where is the button?"},
		"a new one, but nobody vouches":               {arrived(t, "no-mime"), Forged, "", ""},
		"the first of an account":                     {arrived(t, "new", "ada@example.com", "Cleo@example.com"), Opened, "", "cleo@example.com | Cannot export to Xcode | Where is the button?"},
		"the first of an account, nobody vouches":     {arrived(t, "new", "ada@example.com", "cleo@example.com", "mx.fledge", "mx.other"), Forged, "", ""},
		"by another spelling of the address":          {arrived(t, "new", "ada@example.com", "Dora@bücher.example", "header.from=example.com", "header.from=xn--bcher-kva.example"), Opened, "", "dora@xn--bcher-kva.example | Cannot export to Xcode | Where is the button?"},
		"by an address that looks alike":              {arrived(t, "new", "ada@example.com", "\u212aim@example.com"), Stranger, "", ""},
		"a stranger's":                                {arrived(t, "new", "ada@example.com", "eve@example.com"), Stranger, "", ""},
		"a stranger's whom no account can have":       {arrived(t, "new", "ada@example.com", "münchen@example.com"), Stranger, "", ""},
		"to the signed address of a ticket that went": {arrived(t, "subject-only", "support@", strings.ReplaceAll(address(9), "fledge.example", ""), "bea@", "eve@"), Stranger, "", ""},
		"attachments":                                 {arrived(t, "tnef", unsigned, address(1)), Added, "TKT-000001 | The log is attached.\n\n[In the mailbox, attached to the mail: winmail.dat]", ""},
		"without text":                                {arrived(t, "empty", unsigned, address(1)), Added, "TKT-000001 | [The mail has no text.]", ""},
		"a bounce of another mail":                    {arrived(t, "bounce"), Undelivered, "", ""},
		"a bounce without a report":                   {arrived(t, "bounce", "multipart/report", "multipart/mixed"), Undelivered, "", ""},
		"a report of a delay":                         {arrived(t, "bounce", "Action: failed", "Action: delayed"), Notice, "", ""},
		"a holiday":                                   {arrived(t, "holiday", unsigned, address(1)), AutoAnswer, "", ""},
		"an older holiday":                            {arrived(t, "holiday-old", unsigned, address(1)), AutoAnswer, "", ""},
		"by who wants no automatic answers":           {arrived(t, "exchange-notice", unsigned, address(1)), Added, "TKT-000001 | I have read it, and it still stops.", ""},
		"a notice of Exchange":                        {arrived(t, "exchange-notice", unsigned, address(1), "Subject: Re:", "Subject: Not read:"), Bulk, "", ""},
		"an old program's holiday":                    {arrived(t, "holiday-old", unsigned, address(1), "X-Autoreply: yes\nPrecedence: auto_reply", "Precedence: bulk"), Bulk, "", ""},
		"a complaint":                                 {arrived(t, "bounce", "delivery-status", "feedback-report"), Undelivered, "", ""},
		"a read receipt":                              {arrived(t, "bounce", "delivery-status", "disposition-notification"), Notice, "", ""},
		"forwarded by who has no notices":             {arrived(t, "exchange-notice"), Bulk, "", ""},
		"of which nothing can be read":                {arrived(t, "tnef", unsigned, address(1), "boundary=\"b1\"", "boundary=\"c\""), Unreadable, "", ""},
		"a newsletter":                                {arrived(t, "newsletter"), Bulk, "", ""},
		"our own":                                     {arrived(t, "new", "Ada <ada@example.com>", "Fledge <HELLO@fledge.example>"), Own, "", ""},
		"our own notice":                              {arrived(t, "new", "Ada <ada@example.com>", "hello@fledge.example\nAuto-Submitted: auto-generated"), Own, "", ""},
		"of another help desk":                        {arrived(t, "exchange-notice", unsigned, address(1), "Subject: Re:", "Auto-Submitted: auto-generated\nSubject: Re:"), Bulk, "", ""},
		"encrypted":                                   {arrived(t, "encrypted", unsigned, address(1)), Unreadable, "", ""},
		"two senders":                                 {arrived(t, "two-senders"), Unreadable, "", ""},
		"no mail at all":                              {[]byte("\x00\x01\x02"), Unreadable, "", ""},
	} {
		store := newTickets()
		r := aReceiver(store)
		for _, want := range []Outcome{tt.want, map[Outcome]Outcome{Added: Known, Opened: Known}[tt.want]} { // the second time is a repetition
			if want == "" {
				want = tt.want
			}
			if got, err := r.receive(t.Context(), tt.mail); got != want || err != nil {
				t.Errorf("%s: %s, %v, want %s", name, got, err, want)
			}
		}
		if got := strings.Join(store.added, " AND "); got != tt.added {
			t.Errorf("%s: added %q", name, got)
		}
		if got := strings.Join(store.opened, " AND "); got != tt.opened {
			t.Errorf("%s: opened %q", name, got)
		}
	}
}

func TestWithoutATrustedHostOnlySignedAddressesCount(t *testing.T) {
	r := aReceiver(newTickets())
	r.hosts = nil
	for mail, want := range map[string]Outcome{
		string(arrived(t, "below")): Forged, string(arrived(t, "new")): Forged,
		string(arrived(t, "below", "reply+1.aaaaaaaaaaaaaaaa@fledge.example", replies.Of(ticket.Ticket{Number: 1}))): Added,
	} {
		if got, err := r.receive(t.Context(), []byte(mail)); got != want || err != nil {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

func TestLongMailsAreCut(t *testing.T) {
	store := newTickets()
	long := arrived(t, "new", "Where is the button?", strings.Repeat("日", 12_000))
	if got, err := aReceiver(store).receive(t.Context(), long); got != Opened || err != nil {
		t.Fatalf("%s, %v", got, err)
	}
	_, text, _ := strings.Cut(store.opened[0], "Xcode | ")
	if n := len([]rune(text)); n > maxText || !strings.HasSuffix(text, cutMark) {
		t.Errorf("%d characters, ending in %q", n, text[len(text)-60:])
	}
	for length, want := range map[int]int{5: 5 + len(cutMark), 12_000: maxText - attachmentRoom} {
		text := string(textOf(inmail.Mail{Text: strings.Repeat("日", length), More: true, From: "ada@example.com"}, ticket.Person{Email: "ada@example.com"}))
		if n := len([]rune(text)); n != want || strings.Count(text, cutMark) != 1 || !strings.HasSuffix(text, cutMark) {
			t.Errorf("%d characters became %d, ending in %q", length, n, text[len(text)-60:])
		}
	}
}

// TestWhatTheStoreSays decides whether a mail waits or goes to people.
func TestWhatTheStoreSays(t *testing.T) {
	away := fault.New(fault.Unavailable, "x", "x")
	for _, tt := range []struct {
		fails error
		want  Outcome
		err   error
	}{
		{fault.New(fault.RateLimited, "x", "x"), TooMany, nil}, {fault.New(fault.Invalid, "x", "x"), Failed, nil},
		{away, "", away}, {context.DeadlineExceeded, "", context.DeadlineExceeded},
	} {
		store := newTickets()
		store.fail = tt.fails
		if got, err := aReceiver(store).receive(t.Context(), arrived(t, "new")); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%v: %s, %v", tt.fails, got, err)
		}
	}
}

// TestAReportedBounceIsBelieved only of a mail that we sent to that very address.
func TestAReportedBounceIsBelieved(t *testing.T) {
	const known = "ada@example.com KIND_BOUNCED 5.1.1 report:"
	for name, tt := range map[string]struct {
		mail []byte
		want Outcome
		told string
	}{
		"of our mail":                        {arrived(t, "bounce-ours"), Bounced, known},
		"of one that follows ours":           {arrived(t, "bounce-ours", "Message-ID: <c0ffee@fledge.example>", "Message-ID: <other@fledge.example>\nReferences: <c0ffee@fledge.example> <x@y>"), Bounced, known},
		"with the headers alone":             {arrived(t, "bounce-ours", "message/rfc822", "text/rfc822-headers"), Bounced, known},
		"of a mail that is not ours":         {arrived(t, "bounce-ours", "c0ffee", "other"), Undelivered, ""},
		"of a mail to somebody else":         {arrived(t, "bounce-ours", "c0ffee", "tea"), Undelivered, ""},
		"of somebody else by our mail":       {arrived(t, "bounce-ours", "rfc822; ada@", "rfc822; bea@"), Undelivered, ""},
		"to another spelling of the address": {arrived(t, "bounce-ours", "rfc822; ada@example.com", "utf-8; Dora@Bücher.example", "c0ffee", "mocha"), Bounced, "dora@xn--bcher-kva.example KIND_BOUNCED 5.1.1 report:"},
		"to an address that looks alike":     {arrived(t, "bounce-ours", "rfc822; ada@example.com", "utf-8; \u212aim@example.com", "c0ffee", "latte"), Undelivered, ""},
		"of what may be another's fault":     {arrived(t, "bounce-ours", "Status: 5.1.1", "Status: 5.0.0", "550 5.1.1 There is no such mailbox", "554 Transaction failed"), Undelivered, ""},
		"that quotes no mail":                {arrived(t, "bounce-ours", "message/rfc822", "application/octet-stream"), Undelivered, ""},
		"that is about us":                   {arrived(t, "bounce-ours", "5.1.1", "5.7.1", "There is no such mailbox", "Your host is blocked"), Undelivered, ""},
		"that is about our address":          {arrived(t, "bounce-ours", "There is no such mailbox", "<bounces@fledge.example>: unauthorized sender"), Undelivered, ""},
		"that may pass":                      {arrived(t, "bounce-ours", "5.1.1", "4.4.1"), Undelivered, ""},
		"that is a delay":                    {arrived(t, "bounce-ours", "Action: failed", "Action: delayed"), Notice, ""},
		"whose address cannot be one at all": {arrived(t, "bounce-ours", "rfc822; ada@example.com", "rfc822; \xff"), Undelivered, ""},
	} {
		r := aReceiver(newTickets())
		if got, err := r.receive(t.Context(), tt.mail); got != tt.want || err != nil {
			t.Errorf("%s: %s, %v, want %s", name, got, err, tt.want)
		}
		if got := strings.Join(r.reports.(*reports).list, " AND "); got != tt.told {
			t.Errorf("%s: told %q", name, got)
		}
	}
	away := fault.New(fault.Unavailable, "x", "x")
	r := aReceiver(newTickets())
	r.reports = &reports{fail: away}
	if got, err := r.receive(t.Context(), arrived(t, "bounce-ours")); got != "" || !errors.Is(err, away) {
		t.Errorf("while the database is away: %s, %v", got, err)
	}
}

// TestAMailWaitsForIdentity where only identity knows whether it is a stranger's.
func TestAMailWaitsForIdentity(t *testing.T) {
	away := fault.New(fault.Unavailable, "x", "x")
	r := aReceiver(newTickets())
	r.accounts = awayIdentity{away}
	if got, err := r.receive(t.Context(), arrived(t, "new", "ada@example.com", "cleo@example.com")); got != "" || !errors.Is(err, away) {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := r.receive(t.Context(), arrived(t, "new")); got != Opened || err != nil {
		t.Errorf("of a customer who has a ticket: %s, %v", got, err)
	}
}

func TestReplyAddresses(t *testing.T) {
	first := ticket.Ticket{Number: 123}
	address := replies.Of(first)
	rotated := ReplyAddress{Base: replies.Base, Keys: "another key of thirty-two bytes and more, a key of thirty-two bytes or more"}
	other := ReplyAddress{Base: replies.Base, Keys: "another key of thirty-two bytes and more"}
	tampered := strings.Replace(address, "+123.", "+124.", 1)
	for name, tt := range map[string]struct {
		reads ReplyAddress
		to    []string
		want  int64
	}{
		"its own":           {replies, []string{"x@example.com", address}, 123},
		"an older key's":    {rotated, []string{address}, 123},
		"another key's":     {other, []string{address}, 0},
		"another ticket's":  {replies, []string{tampered}, 0},
		"another domain's":  {replies, []string{strings.Replace(address, "fledge.example", "evil.example", 1)}, 0},
		"without signature": {replies, []string{"reply+123@fledge.example", "reply+123.@fledge.example", "reply@fledge.example"}, 0},
		"turned off":        {ReplyAddress{}, []string{address}, 0},
		"after a false one": {replies, []string{tampered, address}, 123},
	} {
		if got, ok := tt.reads.ticketOf(tt.to); got != tt.want || ok != (tt.want != 0) {
			t.Errorf("%s: %d, %t", name, got, ok)
		}
	}
	local := ReplyAddress{Base: "Reply@mail", Keys: replies.Keys}
	if got, _ := local.ticketOf([]string{strings.ToLower(local.Of(first))}); got != 123 {
		t.Error("a mail server without a domain is not known")
	}
	for _, base := range []string{"Reply@bücher.example", "reply@xn--bcher-kva.example"} {
		international := ReplyAddress{Base: base, Keys: replies.Keys}
		for _, to := range []string{international.Of(first), strings.Replace(address, "fledge.example", "bücher.example", 1), strings.Replace(address, "fledge.example", "xn--bcher-kva.example", 1)} {
			if got, _ := international.ticketOf([]string{strings.ToLower(to)}); got != 123 {
				t.Errorf("%s does not read %s", base, to)
			}
		}
	}
	if (ReplyAddress{}).Of(first) != "" || len(address) > 64 {
		t.Errorf("%q", address)
	}
}

// TestOurOwnAddresses are known in any spelling.
func TestOurOwnAddresses(t *testing.T) {
	r := aReceiver(newTickets())
	r.own = ownAddresses("Fledge <Hello@bücher.example>")
	for _, from := range []string{"hello@bücher.example", "HELLO@xn--bcher-kva.example"} {
		if got, err := r.receive(t.Context(), arrived(t, "new", "ada@example.com", from)); got != Own || err != nil {
			t.Errorf("from %s: %s, %v", from, got, err)
		}
	}
}
