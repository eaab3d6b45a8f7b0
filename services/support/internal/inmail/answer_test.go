package inmail_test

import (
	"strings"
	"testing"

	"fledge.dev/services/support/internal/inmail"
)

const ourQuote = "> We answered your ticket\n>\n> Our team answered your ticket TKT-000007. You can reply"

// TestWhatIsLeftOutIsSaid, unless it is a mail of ours with a mark in front of each line.
func TestWhatIsLeftOutIsSaid(t *testing.T) {
	const header = "From: Fledge <hello@fledge.example>\nSent: today\nSubject: x\n\n"
	bare := strings.ReplaceAll(strings.ReplaceAll(ourQuote, "> ", ""), ">", "")
	for rest, want := range map[string]struct {
		text string
		more bool
	}{
		"\nYes.":                     {"Yes.", false},
		"\nYes.\n\n" + ourQuote:      {"Yes.", false},
		"\n" + ourQuote + "\n\nYes.": {"Yes.", false},
		"\nYes.\n\nOn 1.2.2026, we wrote:\n" + ourQuote + "\n\n-- \nAda":                           {"Yes.\n\n--\nAda", false},
		"\n" + ourQuote + "\n\n-- \nAda":                                                           {ourQuote + "\n\n--\nAda", false},
		"\nYes.\n-- \nAda\n\n" + ourQuote:                                                          {"Yes.\n--\nAda", false},
		"\n" + ourQuote + "\n\nYes.\n-- \nAda":                                                     {"Yes.\n--\nAda", false},
		"\nכן.\n\n\u202bב-21 בנוב׳ 2026 ב-9:00, מאת Fledge:\u202c\n\n" + ourQuote:                  {"כן.", false},
		"\nSee below.\n\n" + header + bare:                                                         {"See below.", true},
		"\nSee below.\n\n" + bare + "\n\nA: no":                                                    {"See below.", true},
		"In-Reply-To: <x@y>\n\nHello,\n\nit fails since 10:30:\n\n> npm run build":                 {"Hello,", true},
		"In-Reply-To: <x@y>\n\nIt fails.\n\n> npm run build":                                       {"It fails.", true},
		"In-Reply-To: <x@y>\nContent-Type: text/html\n\n<p>No.</p><blockquote>Is it?</blockquote>": {"No.", true},
		"In-Reply-To: <x@y>\nContent-Type: text/html\n\n<p>No.</p><blockquote>" + strings.ReplaceAll(bare, "\n", "<br>") + "</blockquote>":     {"No.", false},
		"In-Reply-To: <x@y>\nContent-Type: text/html\n\n<p>No.</p><div class=gmail_quote>" + strings.ReplaceAll(bare, "\n", "<br>") + "</div>": {"No.", true},
		"In-Reply-To: <x@y>\nContent-Type: text/html\n\n<p>Below.</p><div id=divRplyFwdMsg>From: us</div>A: no":                                {"Below.", true},
		// What is broken or too long.
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nYes.\n" + strings.Repeat("--b\nContent-Type: text/plain\n\n\n", 200) + "--b\n\nAnd no.\n--b--\n": {"Yes.", true},
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nYes.\n--b\nno header\n--b--\n":                                                                   {"Yes.", true},
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nYes.\n--b--\n":                                                                                   {"Yes.", false},
		"Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nYes.\n--b\nContent-Type: text/html\n\n<p>Yes.\n--b--\n":          {"Yes.", false},
		"Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nWWVzLg==!\nWWVzLg==":                                                                  {"Yes.", true},
		"Content-Type: text/html\n\n<p>Yes.</p><img src=\"data:image/png;base64," + strings.Repeat("AAAA", 1<<17) + "\"><p>And no.</p>":                       {"Yes.\n\nAnd no.", false},
		"Content-Type: text/html\n\n<p>Yes.</p><img src=\"data:image/png;base64," + strings.Repeat("AAAA", 1<<20) + "\"><p>And no.</p>":                       {"Yes.", true},
	} {
		m, err := inmail.Parse(aMail(rest), ours, toTicket)
		if err != nil || m.Text != want.text || m.More != want.more {
			t.Errorf("%.300q: %q, more %t, %v", rest, m.Text, m.More, err)
		}
	}
	long := "Is it?\n" + strings.Repeat("From: a\n", 30_000) + "?" // is read in no time
	if text, more := inmail.Answer(long, ours); text != long || more {
		t.Errorf("%.100q, more %t", text, more)
	}
}

// TestWhatIsPassedOnIsKept: Outlook says so in the subject only.
func TestWhatIsPassedOnIsKept(t *testing.T) {
	const text = "What is this?\n\nFrom: Bank <bank@example.com>\nSent: today\nTo: Ada\nSubject: Your card\n\nFledge, $20"
	for subject, kept := range map[string]bool{"FW: Your card": true, "WG: Your card": true, "Fwd : Your card": true, "转发：Your card": true, "VS: Your card": true, "VS: [TKT-000007] Your card": false, "vs : Re: [TKT-000007] Your card": false, "FW: [TKT-000007] Your card": true, "RE: FW: Your card": false, "Forward": false} {
		raw := strings.Replace(string(aMail("In-Reply-To: <x@y>\n\n"+text)), "Help", subject, 1)
		if m, err := inmail.Parse([]byte(raw), ours, toTicket); err != nil || (m.Text == text) != kept || m.More == kept {
			t.Errorf("of %s is left %q, more %t, %v", subject, m.Text, m.More, err)
		}
	}
}

// TestForwardsInManyLanguages, by Apple's and Thunderbird's lines.
func TestForwardsInManyLanguages(t *testing.T) {
	for _, line := range []string{
		"Begin forwarded message:", "Inizio messaggio inoltrato:", "Inicio del mensaje reenviado:", "Begin doorgestuurd bericht:", "Início da mensagem reenviada:", "Vidarebefordrat brev:", "Начало переадресованного сообщения:",
		"-------- Treść przekazanej wiadomości --------", "-------- Vidarebefordrat meddelande --------", "-------- Přeposlaná zpráva --------",
	} {
		text := "See:\n\n" + line + "\n\nFrom: Bank\nDate: today\nSubject: Card\n\n> $20"
		if got, more := inmail.Answer(text, ours); got != text || more {
			t.Errorf("of %q is left %q", text, got)
		}
	}
}
