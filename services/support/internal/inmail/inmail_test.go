package inmail_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/email"
	"fledge.dev/services/support/internal/inmail"
)

// ours match how the mails begin that the files quote.
var ours = openings(email.BuiltIn("https://fledge.example"), "", email.ToCustomers()...)

// openings are those of the named templates, and of those that are installed in dir.
func openings(emails mail.BuiltIn, dir string, names ...string) []*regexp.Regexp {
	templates, err := emails.Templates(dir)
	if err != nil {
		panic(err)
	}
	found, err := templates.Openings(names...)
	if err != nil {
		panic(err)
	}
	return found
}

// toTicket tells the signed addresses of the files.
func toTicket(to []string) bool {
	return slices.ContainsFunc(to, func(address string) bool { return strings.HasPrefix(address, "reply+") })
}

// source is a mail as it arrives, with the line ends of RFC 5322.
func source(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".eml"))
	errtest.None(t, err)
	return bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
}

func TestWhatPeopleWrote(t *testing.T) {
	for name, want := range map[string]struct {
		text        string
		attachments []string
	}{
		"gmail":                {text: "It is macOS 15.2 on an M3.\n\nIt still crashes!"},
		"html-only":            {text: "Größe ist falsch.\n\neins\nzwei"},
		"outlook":              {text: "Hallo,\n\nmacOS 15.2, M3. Es stürzt immer noch ab.\n\nViele Grüße\nAda"},
		"outlook-html-only":    {text: "macOS 15.2, M3.\nEs stürzt immer noch ab."},
		"apple-inline-picture": {"Look at this:\n\n\nAnd this is how it should be.", []string{"shot.png"}},
		"apple-mixed":          {"Before the picture.\nAfter the picture.", []string{"Bildschirmü\u0062er.jpg"}},
		"tnef":                 {"The log is attached.", []string{"winmail.dat"}},
		"latin1":               {text: "Die Größe ist falsch."},
		"koi8-r":               {text: "Прошу возврат."},
		"gb18030":              {text: "我想要退款。"},
		"iso-2022-jp":          {text: "アプリが動きません。"},
		"unknown-charset":      {text: "It says ÿþ and stops."},
		"controls":             {text: "Crash: red and\nvertical\nend"},
		"interleaved":          {text: "On Sat, 21 Nov 2026 at 09:00, Fledge <hello@fledge.example> wrote:\n> Which macOS is it?\n\n15.2\n\n> And which Mac?\n\nM3"},
		"below":                {text: "It is macOS 15.2."},
		"flowed":               {text: "This is one long line that the mail program has broken in two."},
		"empty":                {},
		"no-mime":              {text: "Plain old mail."},
		"signed":               {text: "I signed this."},
	} {
		m, err := inmail.Parse(source(t, name), ours, toTicket)
		if err != nil || m.Text != want.text || !reflect.DeepEqual(m.Attachments, want.attachments) {
			t.Errorf("%s: %q %q, %v", name, m.Text, m.Attachments, err)
		}
		if m.From != "ada@example.com" || m.Machine != "" || len(m.ID) != 64 {
			t.Errorf("%s: from %q, machine %q, id %q", name, m.From, m.Machine, m.ID)
		}
	}
	if m, err := inmail.Parse(source(t, "only-quote"), ours, toTicket); err != nil || !strings.Contains(m.Text, "Which macOS is it?") {
		t.Errorf("a mail that quotes only has lost its text: %q, %v", m.Text, err)
	}
}

// TestWhatIsNoQuoteOfOurs: people write lines that are headings of ours, too.
func TestWhatIsNoQuoteOfOurs(t *testing.T) {
	dir := t.TempDir()
	for name, heading := range map[string]string{"answered": "Thank you", "resolved": "About {{.Ticket}}"} {
		words := "Subject: Re: [{{.Ticket}}] {{.Subject}}\nHeading: " + heading + "\nAction: Open\nReason: You asked.\n\nWe wrote to you about {{.Ticket}}, as you asked us to."
		errtest.None(t, os.WriteFile(filepath.Join(dir, name+".txt"), []byte(words), 0o600))
	}
	installed := openings(email.BuiltIn("https://fledge.example"), dir, email.ToCustomers()...)
	for text, want := range map[string]string{
		// A line of theirs.
		"It says\n\nWe got your message\n\nand then nothing.": "It says\n\nWe got your message\n\nand then nothing.",
		"See below.\n\nThank you\nAda":                        "See below.\n\nThank you\nAda",
		"Here is what I saw:\n\nA new ticket\n\nA customer opened the ticket TKT-000001 (other, priority high).\n\nOdd?": "Here is what I saw:\n\nA new ticket\n\nA customer opened the ticket TKT-000001 (other, priority high).\n\nOdd?",
		"About TKT-000009\n\nWe are two.": "About TKT-000009\n\nWe are two.",
		// A quote without marks, of the installed words and of the built-in ones.
		"Yes.\n\nThank you\n\nWe wrote to you\nabout TKT-000007, as you asked us to.\n":                           "Yes.",
		"Yes.\n\nAbout TKT-000007\n\nWe wrote to you about TKT-000007, as you\nasked us to.\n":                    "Yes.",
		"Yes.\n\nWe answered your ticket\n\nOur team answered your ticket TKT-000007. You can reply\n":            "Yes.",
		"Yes.\n\nWe answered your ticket\n\nOur team answered your ticket TKT-000007, which is closed. A reply\n": "Yes.",
	} {
		if got, _ := inmail.Answer(text, installed); got != want {
			t.Errorf("of %q is left %q", text, got)
		}
	}
}

func TestTheHeader(t *testing.T) {
	m, err := inmail.Parse(source(t, "gmail"), ours, toTicket)
	errtest.None(t, err)
	if want := []string{"reply+1.aaaaaaaaaaaaaaaa@fledge.example", "reply@fledge.example"}; !reflect.DeepEqual(m.To, want) {
		t.Errorf("to %q", m.To)
	}
	if want := []string{"c0ffee@fledge.example", "b1f0c1d2@fledge.example", "b1f0c1d2@fledge.example"}; !reflect.DeepEqual(m.Follows, want) {
		t.Errorf("follows %q", m.Follows)
	}
	for name, want := range map[string]string{"latin1": "Größe", "gb18030": "退款", "new": "Cannot export to Xcode"} {
		if m, err := inmail.Parse(source(t, name), ours, toTicket); err != nil || inmail.Line(m.Subject, 200) != want {
			t.Errorf("%s: %q, %v", name, m.Subject, err)
		}
	}
}

func TestWhatNoPersonWrote(t *testing.T) {
	for name, want := range map[string]inmail.Machine{
		"bounce": inmail.Bounce, "holiday": inmail.AutoAnswer, "holiday-old": inmail.AutoAnswer, "exchange-notice": inmail.Listed,
		"newsletter": inmail.Listed, "through-a-group": inmail.Listed,
	} {
		if m, err := inmail.Parse(source(t, name), ours, toTicket); err != nil || m.Machine != want {
			t.Errorf("%s: %q, %v", name, m.Machine, err)
		}
	}
	for name, want := range map[string]error{"two-senders": inmail.ErrSender, "encrypted": inmail.ErrSealed, "deep": inmail.ErrBody} {
		if _, err := inmail.Parse(source(t, name), ours, toTicket); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOneMailHasOneID on whatever way it came, and another mail has another, even if somebody has
// given it the same Message-ID.
func TestOneMailHasOneID(t *testing.T) {
	raw := source(t, "gmail")
	first, _ := inmail.Parse(raw, ours, toTicket)
	again, _ := inmail.Parse(append([]byte("Received: from elsewhere\r\nDelivered-To: support@fledge.example\r\n"), raw...), ours, toTicket)
	signed, _ := inmail.Parse([]byte("From: ada@example.com\r\nMessage-ID: <a@b>\r\nDelivered-To: reply+1.x@fledge.example\r\nContent-Type: text/html\r\n\r\nNo.<blockquote>Is it?</blockquote>"), ours, toTicket)
	unsigned, _ := inmail.Parse([]byte("From: ada@example.com\r\nMessage-ID: <a@b>\r\nContent-Type: text/html\r\n\r\nNo.<blockquote>Is it?</blockquote>"), ours, toTicket)
	if signed.ID != unsigned.ID || signed.Text == unsigned.Text {
		t.Errorf("%+v, %+v", signed, unsigned)
	}
	other, _ := inmail.Parse(bytes.ReplaceAll(raw, []byte("crashes"), []byte("works")), ours, toTicket)
	if first.ID != again.ID || first.ID == other.ID {
		t.Errorf("%s, %s, %s", first.ID, again.ID, other.ID)
	}
}

var trusted = []string{"mx.fledge.example", "*.mail.example", ""}

// andResults begins another field.
const andResults = "\r\nAuthentication-Results: "

func TestWhoseAddressIsGenuine(t *testing.T) {
	for results, want := range map[string]bool{
		"mx.fledge.example; dmarc=pass header.from=example.com":                                 true,
		"MX.fledge.example 1; dmarc=pass (p=NONE; why) header.from=Example.com":                 true,
		"mx.fledge.example; dmarc=pass header.from=ada@example.com":                             true,
		"mx.fledge.example; dmarc=pass header.from=ada@evil.example":                            false,
		"mx.fledge.example; dmarc=pass header.from=ada@notexample.com":                          false,
		`mx.fledge.example; dmarc=pass header.from="x@example.com"@evil.example`:                false,
		`mx.fledge.example; dmarc=pass header.from="ada@evil.example"@example.com`:              true,
		"mx.fledge.example; dmarc=pass header.from=evil.example":                                false,
		"mx.fledge.example; dmarc=fail header.from=example.com; dkim=pass header.d=example.com": false,
		"mx.fledge.example; dkim=pass header.d=example.com; dmarc=none":                         true,
		"mx.fledge.example; dkim=pass header.i=@example.com":                                    true,
		"mx.fledge.example; dkim=pass header.d=evil.example":                                    false,
		"mx.fledge.example; spf=pass smtp.mailfrom=bounce@example.com":                          true,
		"mx.fledge.example; spf=pass smtp.mailfrom=bounce@notexample.com":                       false,
		"mx.fledge.example; spf=softfail smtp.mailfrom=bounce@example.com":                      false,
		"mx.fledge.example; none":                                                       false,
		"other.example; dmarc=pass header.from=example.com":                             false,
		"evil (mx.fledge.example; dmarc=pass header.from=example.com); none":            false,
		"mx7.MAIL.example; dmarc=pass header.from=example.com":                          true,
		`""; dmarc=pass header.from=example.com`:                                        false,
		"mail.example; dmarc=pass header.from=example.com":                              false,
		".mail.example; dmarc=pass header.from=example.com":                             false,
		"mx.evilmail.example; dmarc=pass header.from=example.com":                       false,
		`mx.fledge.example; dmarc = pass header.from = example.com`:                     true,
		`mx.fledge.example; dmarc/1=pass reason="p=none; ok" header.from="example.com"`: true,
		// The sender of the envelope is theirs to choose.
		`mx.fledge.example; spf=none smtp.mailfrom="x; dmarc=pass ; y"@evil.example; dmarc=fail header.from=example.com`:   false,
		`mx.fledge.example; spf=none smtp.mailfrom="x\"; dmarc=pass ; y"@evil.example; dmarc=fail header.from=example.com`: false,
		`mx.fledge.example; spf=none smtp.mailfrom="x; dkim=pass header.d=example.com ;"@evil.example; dmarc=none`:         false,
		`mx.fledge.example; spf=pass smtp.mailfrom="x smtp.mailfrom=ada@example.com "@evil.example; dmarc=none`:            false,
		`mx.fledge.example; dmarc=fail header.from=example.com; spf=none smtp.mailfrom=x; dmarc=pass ; y@evil.example`:     false,
		`mx.fledge.example; spf=none smtp.mailfrom="x\"; dmarc=pass ; y\""@evil.example`:                                   false,
		`mx.fledge.example; spf=none smtp.mailfrom=x; dmarc=pass ; y@evil.example; dmarc=fail header.from=example.com`:     false,
		`mx.fledge.example; spf=none smtp.mailfrom=x; dmarc=pass ; y@evil.example; dmarc=none header.from=example.com`:     false,
		`mx.fledge.example; dmarc=pass header.from=example.com; spf=none smtp.mailfrom="x; dmarc=fail`:                     false,
		`mx.fledge.example; dmarc=pass header.from=example.com; spf=none (x; dmarc=fail`:                                   false,
		`mx.fledge.example; spf=none (a \) ; dmarc=pass) smtp.mailfrom=evil.example; dmarc=fail header.from=example.com`:   false,
		`mx.fledge.example; spf=none (a "b) smtp.mailfrom=evil.example; dmarc=pass (") header.from=example.com`:            true,
		"mx.fledge.example (; dmarc=pass header.from=example.com); spf=none; dkim=none; x=\"()\"":                          false,
		// Fastmail and iCloud write several fields, of which the first ones say nothing of the sender.
		"mx.fledge.example; x-csa=none; x-ptr=pass smtp.helo=a.example" + andResults + "mx.fledge.example; bimi=skipped (DMARC Policy)" + andResults + "mx.fledge.example; dkim=pass header.d=example.com; dmarc=pass header.from=example.com": true,
		"bimi.mail.example; bimi=none" + andResults + "arc.mail.example; arc=none" + andResults + "dmarc.mail.example; dmarc=pass header.from=example.com":                                                                                     true,
		"mx.fledge.example; arc=none; spf=fail smtp.mailfrom=evil.example" + andResults + "mx.fledge.example; dmarc=pass header.from=example.com":                                                                                              false,
		"mx.fledge.example; none" + andResults + "mx.fledge.example; dmarc=pass header.from=example.com":                                                                                                                                       false,
		"mx.fledge.example" + andResults + "mx.fledge.example; dmarc=pass header.from=example.com":                                                                                                                                             false,
		"mx.fledge.example; bimi=none (" + andResults + "mx.fledge.example; dmarc=pass header.from=example.com":                                                                                                                                false,
	} {
		m, err := inmail.Parse([]byte("Authentication-Results: "+results+"\r\nFrom: ada@example.com\r\n\r\nx"), ours, toTicket)
		if err != nil || m.Authentic(trusted) != want {
			t.Errorf("%s: %t, %v", results, !want, err)
		}
		if m.Authentic(nil) {
			t.Errorf("%s: genuine without a trusted host", results)
		}
	}
	if m, err := inmail.Parse(source(t, "forged"), ours, toTicket); err != nil || m.Authentic(trusted) {
		t.Errorf("a result that came with the mail counts: %v", err)
	}
}

// TestDomainsAreComparedInOneSpelling.
func TestDomainsAreComparedInOneSpelling(t *testing.T) {
	for _, from := range []string{"bücher.example", "xn--bcher-kva.example", "BÜCHER.example"} {
		for results, want := range map[string]bool{
			"dmarc=pass header.from=bücher.example": true, "dmarc=pass header.from=xn--bcher-kva.example": true, "dmarc=pass header.from=bucher.example": false,
			"dkim=pass header.i=@bücher.example": true, "dkim=pass header.d=xn--bcher-kva.example": true, "spf=pass smtp.mailfrom=x@XN--bcher-kva.example": true, "spf=pass smtp.mailfrom=bücher.example": true,
		} {
			m, err := inmail.Parse([]byte("Authentication-Results: mx.fledge.example; "+results+"\r\nFrom: ada@"+from+"\r\n\r\nx"), ours, toTicket)
			if err != nil || m.Authentic(trusted) != want {
				t.Errorf("%s, %s: %t, %v", from, results, !want, err)
			}
		}
	}
}

// FuzzParse: whatever arrives is read in bounds, and its text is one that a ticket takes.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.eml")
	errtest.None(f, err)
	for _, file := range files {
		f.Add(source(f, strings.TrimSuffix(filepath.Base(file), ".eml")))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := inmail.Parse(raw, ours, toTicket)
		if err != nil {
			return
		}
		for _, text := range []string{m.Text, inmail.Line(m.Subject, 200)} {
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\r\u0085") || text != strings.TrimSpace(text) {
				t.Errorf("not a ticket's text: %q", text)
			}
		}
	})
}

// TestTheReportOfAFailure is found however it is written, and whatever follows it.
func TestTheReportOfAFailure(t *testing.T) {
	const delay = "\r\n--b1\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.com\r\n\r\nFinal-Recipient: rfc822; bea@example.com\r\nAction: delayed\r\nStatus: 4.4.1\r\n--b1--"
	for name, replaced := range map[string][]string{
		"as it is":                       {},
		"with a type in capitals":        {"report-type=delivery-status", "report-type=Delivery-Status"},
		"without the type of an address": {"rfc822;", ""},
		"before that of a delay":         {"\r\n--b1--", delay},
		"before that of another failed":  {"\r\n--b1--", strings.Replace(delay, "delayed", "failed", 1)},
	} {
		mail, err := inmail.Parse([]byte(strings.NewReplacer(replaced...).Replace(string(source(t, "bounce-ours")))), ours, toTicket)
		if err != nil || mail.Failure == nil || mail.Failure.Recipient != "ada@example.com" || mail.Failure.Status != "5.1.1" {
			t.Errorf("%s: %+v, %v", name, mail.Failure, err)
		}
	}
}

// TestAddressesAreNotFolded beyond ASCII.
func TestAddressesAreNotFolded(t *testing.T) {
	mail, err := inmail.Parse([]byte("From: \u212aIM@Example.com\r\nTo: \u212aim@example.com\r\nSubject: x\r\n\r\nx"), ours, toTicket)
	if err != nil || mail.From != "\u212aim@example.com" || len(mail.To) != 1 || mail.To[0] != "\u212aim@example.com" {
		t.Errorf("from %q to %q, %v", mail.From, mail.To, err)
	}
}
