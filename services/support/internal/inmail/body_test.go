package inmail_test

import (
	"errors"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/support/internal/inmail"
)

// aMail is one of ada's to support@; the first empty line of the rest ends its header.
func aMail(rest string) []byte {
	return []byte(strings.ReplaceAll("From: Ada <ada@example.com>\nTo: support@fledge.example\nSubject: Help\n"+rest, "\n", "\r\n"))
}

// TestBrokenHeadersLoseNoText: of a field that a strict reader refuses, what it means is taken.
func TestBrokenHeadersLoseNoText(t *testing.T) {
	const mixed = "\n--b\nContent-Type: text/plain\n\nIt stops.\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=crash log.txt\n\nThread 0\n--b--\n"
	for rest, want := range map[string]struct {
		text        string
		attachments []string
	}{
		"Content-Type: text/plain; charset=\n\nIt stops.":                               {text: "It stops."},
		"Content-Type: text/plain charset=iso-8859-2\n\nKoniec\xb6":                     {text: "Koniecś"},
		"Content-Type: text/plain; charset=utf-8; charset=utf-8\n\nGr\u00f6\u00dfe":     {text: "Größe"},
		"Content-Type: text/html; charset=utf-8; foo\n\n<p>It stops.</p>":               {text: "It stops."},
		"Content-Type: text\n\nIt stops.":                                               {text: "It stops."},
		"Content-Type: ;;\n\nIt stops.":                                                 {text: "It stops."},
		"Content-Type: multipart/mixed; boundary=b; foo\n" + mixed:                      {"It stops.", []string{"crash log.txt"}},
		"Content-Type: multipart/mixed; boundary=\"b\" charset=utf-8\n" + mixed:         {"It stops.", []string{"crash log.txt"}},
		"Content-Type: multipart/mixed; boundary=b charset=utf-8\n" + mixed:             {"It stops.", []string{"crash log.txt"}},
		"Content-Type: text/plain; charset=iso-8859-2 format=flowed\n\nKoniec\xb6":      {text: "Koniecś"},
		"Content-Type: multipart/mixed; boundary=b\n" + mixed:                           {"It stops.", []string{"crash log.txt"}},
		"Content-Type: text/plain; name==?utf-8?Q?Gr=C3=B6=C3=9Fe.txt?=\n\nThread 0":    {"", []string{"Größe.txt"}},
		"Content-Type: text/plain\nContent-Disposition: inline; filename=\n\nIt stops.": {text: "It stops."},
	} {
		m, err := inmail.Parse(aMail(rest), ours, toTicket)
		if err != nil || m.Text != want.text || !reflect.DeepEqual(m.Attachments, want.attachments) {
			t.Errorf("%q: %q %q, %v", rest, m.Text, m.Attachments, err)
		}
	}
}

// TestNamesInAnyCharset, whole or in pieces (RFC 2231), are those of attachments.
func TestNamesInAnyCharset(t *testing.T) {
	for header, want := range map[string]string{
		"Content-Type: application/octet-stream; name=\"=?UTF-8?B?6rCc7J247KCV67O0X+qwgTMw6rCcLnppcA==?=\"\nContent-Disposition: attachment; filename*0*=euc-kr''%B0%B3%C0%CE%C1%A4%BA%B8%5F%B0%A2%33%30%B0%B3%2E%7A%69; filename*1*=%70": "개인정보_각30개.zip",
		"Content-Disposition: inline; filename*=ISO-8859-1''Absturz%FC.txt":                                 "Absturzü.txt",
		"Content-Disposition: inline; filename*=iso-8859-1'de'Absturz%FC.txt; filename=\"Absturz.txt\"":     "Absturzü.txt",
		"Content-Disposition: inline; FILENAME*0*=\"iso-8859-1''Absturz%FC\";\n filename*1=\"_100%25.txt\"": "Absturzü_100%25.txt",
		"Content-Disposition: inline; filename*=ISO-8859-1''Absturz%FC.txt; foo":                            "Absturzü.txt",
		"Content-Disposition: inline; filename*=utf-8''Absturz%C3%BC.txt":                                   "Absturzü.txt",
		"Content-Disposition: inline; filename*=utf-8''100%.txt":                                            "100%.txt",
		"Content-Disposition: inline; filename*=x-foo''Absturz%FC.txt":                                      "Absturzü.txt",
		"Content-Disposition: inline; filename*=''Absturz%FC.txt":                                           "Absturzü.txt",
		"Content-Disposition: inline; filename*=crash.txt":                                                  "crash.txt",
		"Content-Disposition: inline; filename=\"a; filename*=utf-8''b\"":                                   "a; filename*=utf-8''b",
		"Content-Disposition: inline; filename*=utf-8''Gr\u00f6\u00dfe.txt":                                 "Größe.txt",
		"Content-Disposition: inline; filename*0=\"a\\\"\"; filename*1=b.txt":                               "a\"b.txt",
		"Content-Disposition: inline; filename*=utf-8''" + strings.Repeat("%EA%B0%81", 90):                  strings.Repeat("각", 90),
		"Content-Type: text/plain; name*=koi8-r''%F0%D2%CF%DB%D5.txt":                                       "Прошу.txt",
	} {
		m, err := inmail.Parse(aMail("Content-Type: multipart/mixed; boundary=b\n\n--b\n\nIt stops.\n--b\n"+header+"\n\nThread 0\n--b--\n"), ours, toTicket)
		if err != nil || m.Text != "It stops." || !reflect.DeepEqual(m.Attachments, []string{want}) {
			t.Errorf("%q: %q %q, %v", header, m.Text, m.Attachments, err)
		}
	}
}

// TestWhatCannotBeRead is no empty mail.
func TestWhatCannotBeRead(t *testing.T) {
	for rest, want := range map[string]error{
		"Content-Type: multipart/mixed\n\n--b\n\nIt stops.\n--b--\n":                                              inmail.ErrBody,
		"Content-Type: multipart/mixed; boundary=c\n\n--b\n\nIt stops.\n--b--\n":                                  inmail.ErrBody,
		"Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\n\nMIAGCSqG":                inmail.ErrSealed,
		"Content-Type: application/x-pkcs7-mime; smime-type=enveloped-data\n\nMIAGCSqG":                           inmail.ErrSealed,
		"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: application/pkcs7-mime\n\nMIAG\n--b--\n": inmail.ErrSealed,
		"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--b--\n":  inmail.ErrBody,
		"Content-Type: text/html\n\n<style>p{}</style>":                                                           nil,
		"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n\n--b--\n":                 nil,
		"Content-Type: text/plain\n\n \n":                                                                         nil,
	} {
		if m, err := inmail.Parse(aMail(rest), ours, toTicket); !errors.Is(err, want) {
			t.Errorf("%q: %q, %v", rest, m.Text, err)
		}
	}
}

// TestEachPartGivesItsBestText in the order of the mail.
func TestEachPartGivesItsBestText(t *testing.T) {
	part := func(kind, text string) string { return "--b\nContent-Type: text/" + kind + "\n\n" + text + "\n" }
	both := "--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\nContent-Type: text/plain\n\nIt stops.\n--c\nContent-Type: text/html\n\n<p>It <b>stops</b> and stops.</p>\n--c--\n"
	for parts, want := range map[string]string{
		part("html", "<p>It stops.</p>") + part("plain", "Sent through a gateway."):                    "It stops.\nSent through a gateway.",
		part("plain", "It stops.") + part("html", "<p>Sent through a gateway.</p>"):                    "It stops.\nSent through a gateway.",
		part("html", "<p>One</p>") + part("html", "<p>two</p>"):                                        "One\ntwo",
		both + part("plain", "Sent through a gateway."):                                                "It stops.\nSent through a gateway.",
		strings.NewReplacer("It stops.", "Your program does\nnot show HTML.").Replace(both):            "It stops and stops.",
		strings.NewReplacer("It stops.", "No HTML. "+strings.Repeat("It stops. ", 20)).Replace(both):   "No HTML." + strings.Repeat(" It stops.", 20),
		strings.NewReplacer("It stops.", " ").Replace(both) + part("plain", "Sent through a gateway."): "It stops and stops.\nSent through a gateway.",
	} {
		m, err := inmail.Parse(aMail("Content-Type: multipart/mixed; boundary=b\n\n"+parts+"--b--\n"), ours, toTicket)
		if err != nil || m.Text != want {
			t.Errorf("%q: %q, %v", parts, m.Text, err)
		}
	}
}

// TestAReactionHasNoAttachment: Gmail describes it for programs, too.
func TestAReactionHasNoAttachment(t *testing.T) {
	m, err := inmail.Parse(aMail("In-Reply-To: <x@example.com>\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n\U0001F44D\n\nAda reacted via Gmail\n\nOn Sat, 21 Nov 2026, 09:00 Fledge <reply@fledge.example> wrote:\n\n> Is it?\n--b\nContent-Type: text/vnd.google.email-reaction+json\n\n{\"emoji\":\"\U0001F44D\",\"version\":1}\n--b\nContent-Type: text/html\n\n<p>\U0001F44D</p>\n--b--\n"), ours, toTicket)
	if err != nil || m.Text != "\U0001F44D\n\nAda reacted via Gmail" || m.Attachments != nil {
		t.Errorf("%q %q, %v", m.Text, m.Attachments, err)
	}
}

// TestWhatIsPastedWithAText is removed as the site removes it.
func TestWhatIsPastedWithAText(t *testing.T) {
	m, err := inmail.Parse(aMail("\n\x1b[31merror\x1b[0m: no\xc2\xa0such \x1b]0;title\nmodule"), ours, toTicket)
	if want := "error: no such\nmodule"; err != nil || m.Text != want {
		t.Errorf("%q, %v", m.Text, err)
	}
}

// TestOneBadAddressHidesNoOther.
func TestOneBadAddressHidesNoOther(t *testing.T) {
	const header = "From: ada@example.com\r\nTo: undisclosed <>, \"Fledge, Inc\" <reply+1.x@fledge.example>, bea@@example.com\r\nCc: <a b>, Cleo <CLEO@example.com>\r\n\r\nx"
	m, err := inmail.Parse([]byte(header), ours, toTicket)
	for _, want := range []string{"reply+1.x@fledge.example", "cleo@example.com"} {
		if err != nil || !strings.Contains(strings.Join(m.To, " "), want) {
			t.Errorf("%s is not in %q, %v", want, m.To, err)
		}
	}
}

// TestWhatAnswersNothingIsKept, whatever it looks like.
func TestWhatAnswersNothingIsKept(t *testing.T) {
	const forwarded = "What is this charge?\n\n---------- Forwarded message ---------\nFrom: Bank <bank@example.com>\nDate: Sat, 21 Nov 2026\nSubject: Your card\nTo: Ada <ada@example.com>\n\nFledge, $20"
	const apple = "See below.\n\nBegin forwarded message:\n\n> From: Bank <bank@example.com>\n> Subject: Your card\n>\n> Fledge, $20"
	const build = "It fails at\n\n> npm run build"
	const list = "Three things:\nA: it stops\nA: it is slow\nA: it is loud\n\nThat is all."
	const pasted = "Yes.\n\n-----Original Message-----\nFrom: us"
	for rest, want := range map[string]string{
		"\n" + forwarded: forwarded,
		"In-Reply-To: <x@example.com>\n\n" + forwarded: forwarded,
		"In-Reply-To: <x@example.com>\n\n" + apple:     apple,
		"\n" + build: build,
		"In-Reply-To: <x@example.com>\n\n" + build: "It fails at",
		"\n" + list: list,
		"In-Reply-To: <x@example.com>\n\n" + list: list,
		"\n" + pasted: pasted,
		"Cc: reply+1.x@fledge.example\n\n" + pasted: "Yes.",
		// A mail of ours is known without any header.
		"\nYes.\n\n> We answered your ticket\n>\n> Our team answered your ticket TKT-000007. You can reply":  "Yes.",
		"Content-Type: text/html\n\n<p>What is this?</p><blockquote>Fledge, $20</blockquote>":                "What is this?\n\nFledge, $20",
		"In-Reply-To: <x@example.com>\nContent-Type: text/html\n\n<p>No.</p><blockquote>Is it?</blockquote>": "No.",
		// Yandex and Mail.ru, and Zoho in plain text.
		"In-Reply-To: <x@example.com>\nContent-Type: text/html\n\n<div>No.</div><div>21.11.2026, 09:00, \"Fledge\" &lt;reply@fledge.example&gt;:</div><blockquote type=cite>Is it?</blockquote>": "No.",
		"In-Reply-To: <x@example.com>\nContent-Type: text/html\n\n<p>At 9:00 it said:</p><blockquote>Is it?</blockquote><p>No.</p>":                                                              "At 9:00 it said:\n\nNo.",
		"\nNo.\n\n---- On Sat, 21 Nov 2026 09:00:00 +0530 Fledge <reply@fledge.example> wrote ---\n\nWe answered your ticket\n\nOur team answered your ticket TKT-000007. You can reply":         "No.",
		"In-Reply-To: <x@example.com>\nContent-Type: text/html\n\n<blockquote><p>Is it?</p></blockquote>":                                                                                        "Is it?",
		// Nor what is passed on with an answer, by Gmail and Apple.
		"Cc: reply+1.x@fledge.example\nContent-Type: text/html\n\n<div>What is this?</div><div class=\"gmail_quote\"><div class=\"gmail_attr\">---------- Forwarded message ---------<br>From: Bank</div><br><blockquote>Fledge, $20</blockquote></div>": "What is this?\n---------- Forwarded message ---------\nFrom: Bank\n\nFledge, $20",
		"In-Reply-To: <x@example.com>\nContent-Type: text/html\n\n<div>What is this?</div><blockquote type=cite><div>Begin forwarded message:</div><br><div><b>From: </b>Bank</div><blockquote>Fledge, $20</blockquote></blockquote>":                    "What is this?\nBegin forwarded message:\n\nFrom: Bank\nFledge, $20",
		"In-Reply-To: <x@example.com>\nContent-Type: text/html\n\n<div>What is this?</div><div>Begin forwarded message:</div><br><blockquote type=cite><div>From: Bank</div></blockquote>":                                                               "What is this?\nBegin forwarded message:\n\nFrom: Bank",
	} {
		if m, err := inmail.Parse(aMail(rest), ours, toTicket); err != nil || m.Text != want {
			t.Errorf("%q: %q, %v", rest, m.Text, err)
		}
	}
}

// TestQuotedHeaders name who wrote, and when or about what.
func TestQuotedHeaders(t *testing.T) {
	for header, cut := range map[string]bool{
		"From: a@b.co\nSent: today\nTo: me":                                                     true,
		"Von: a@b.co\nGesendet: heute\nBetreff: x":                                              true,
		"De : a@b.co\nEnvoyé : hier\nÀ : moi":                                                   true,
		"*From:* a@b.co\n*Subject:* x\n*To:* me":                                                true,
		"发件人：a@b.co\n发送时间：x\n主题：y":                                                              true,
		"Od: a@b.co\nWysłano: dziś\nDo: ja\nTemat: x":                                           true,
		"Od: a@b.co\nWysłane: dziś\nTemat: x":                                                   true,
		"Från: a@b.co\nSkickat: idag\nÄmne: x":                                                  true,
		"Fra: a@b.co\nSendt: i dag\nTil: meg":                                                   true,
		"Lähettäjä: a@b.co\nLähetetty: nyt\nAihe: x":                                            true,
		"De: a@b.co\nEnviada em: hoje\nPara: eu":                                                true,
		"보낸 사람: a@b.co\n보낸 날짜: x\n제목: y":                                                        true,
		"\u200fמאת: a@b.co\n\u200fנשלח: x\n\u200fנושא: y":                                       true,
		"-----Původní zpráva-----":                                                              true,
		"-----Original-Nachricht-----":                                                          true,
		"*-------- Original Message --------*":                                                  true,
		"From: a@b.co\nReply-To: c <reply+1.x@fledge.example>\nDate: today\nTo: me\nSubject: x": true,
		"Von: a@b.co\nAntwort an: c@d.co\nDatum: heute\nBetreff: x":                             true,
		" ------------------------------\n\n*From:* a@b.co\n*Sent:* today\n*To:* me":            true,
		"From: Berlin\nFlight: 1\nTo: Paris\nDate: today":                                       false,
		"From: one\nNote: a@b.co\nTo: two\nCc: three":                                           false,
		"Do: one\nTill: two\nData: three":                                                       false,
		"A: one\nA: two\nA: three":                                                              false,
		"To: one\nSubject: two\nDate: three":                                                    false,
		"From: one\nFrom: two\nSubject: three":                                                  false,
		"From: one\nTo: two\nCc: three":                                                         false,
	} {
		text := "Yes.\n\n" + header + "\n\nWhat we wrote"
		if got, more := inmail.Answer(text, nil); more != cut || (got == "Yes.") != cut || !cut && got != text {
			t.Errorf("of %q is left %q", text, got)
		}
	}
}

// TestKindsOfMachines by what programs write that follow no standard.
func TestKindsOfMachines(t *testing.T) {
	for rest, want := range map[string]inmail.Machine{
		"X-Autogenerated: Reply\n\nI am away.":                                             inmail.AutoAnswer,
		"X-Autoreply-From: a@b.co\n\nI am away.":                                           inmail.AutoAnswer,
		"X-Mail-Autoreply: yes\n\nI am away.":                                              inmail.AutoAnswer,
		"X-FC-MachineGenerated: true\n\nI am away.":                                        inmail.AutoAnswer,
		"Return-Path: <>\nAuto-Submitted: auto-replied (vacation)\n\nI am away.":           inmail.AutoAnswer,
		"Return-Path: <>\nX-Auto-Response-Suppress: All\n\nWhat?":                          inmail.Bounce,
		"Return-Path: <>\n\nIt could not be delivered.":                                    inmail.Bounce,
		"X-Failed-Recipients: a@b.co\nAuto-Submitted: auto-replied\n\nIt could not.":       inmail.Bounce,
		"Content-Type: multipart/report; report-type=feedback-report; boundary=b\n\n--b--": inmail.Bounce,
		"Content-Type: multipart/report; report-type=disposition-notification; boundary=b\n\n--b\nContent-Type: message/disposition-notification\n\nDisposition: manual-action/MDN-sent-manually; displayed\n--b--": inmail.Notice,
		"Precedence: bulk\n\nI am away.":             inmail.BulkMail,
		"Precedence: junk\n\nI am away.":             inmail.BulkMail,
		"Precedence: bulk\nList-Id: <a.b>\n\nHello.": inmail.Listed,
		"X-Auto-Response-Suppress: OOF\n\nHello.":    inmail.Listed,
		"Auto-Submitted: no\n\nHello.":               "",
		"Auto-Submitted: no (a person)\n\nHello.":    "",
		"Auto-Submitted: auto-generated\nX-Auto-Response-Suppress: All\nX-Mailer: Zendesk Mailer\nIn-Reply-To: <x@example.com>\n\n##- Please type your reply above this line -##\n\nYes.": inmail.BulkMail,
		"Auto-Submitted: auto-notified; owner-email=\"a@b.co\"\n\nNew mail.": inmail.BulkMail,
	} {
		if m, err := inmail.Parse(aMail(rest), ours, toTicket); err != nil || m.Machine != want {
			t.Errorf("%q is %q, %v, want %q", rest, m.Machine, err, want)
		}
	}
	for subject, want := range map[string]inmail.Machine{
		"Automatic reply: Help": inmail.BulkMail, "=?utf-8?Q?R=C3=A9ponse_automatique_:_Help?=": inmail.BulkMail, "Automatische Antwort: Help": inmail.BulkMail,
		"Re: Automatic reply: Help": "", "Automatic reply does not work": "", "Read: Help": "",
	} {
		if m, err := inmail.Parse([]byte(strings.Replace(string(aMail("\nx")), "Help", subject, 1)), ours, toTicket); err != nil || m.Machine != want {
			t.Errorf("%q is %q, %v", subject, m.Machine, err)
		}
	}
	generated := strings.Replace(string(aMail("Auto-Submitted: auto-generated\n\nI am away.")), "Help", "Automatic reply: Help", 1)
	if m, err := inmail.Parse([]byte(generated), ours, toTicket); err != nil || m.Machine != inmail.AutoAnswer {
		t.Errorf("the holiday of Exchange is %q, %v", m.Machine, err)
	}
	for subject, want := range map[string]inmail.Machine{
		"Warning: message 1abc delayed 24 hours": inmail.Notice, "Warning: could not send message for past 4 hours": inmail.Notice, "Delivery Status Notification (Delay)": inmail.Notice,
		"failure notice": inmail.Bounce, "Undeliverable: my message is delayed": inmail.Bounce,
	} {
		m, err := inmail.Parse([]byte("From: Mail <MAILER-DAEMON@example.com>\r\nSubject: "+subject+"\r\n\r\nx"), ours, toTicket)
		if err != nil || m.Machine != want || m.Failure != nil {
			t.Errorf("%q is %q, %v", subject, m.Machine, err)
		}
	}
	for action, want := range map[string]struct {
		kind   inmail.Machine
		failed bool
	}{
		"delayed": {inmail.Notice, false}, "Delayed (will retry)": {inmail.Notice, false}, "delivered": {inmail.Notice, false}, "relayed": {inmail.Notice, false}, "expanded": {inmail.Notice, false},
		"failed": {inmail.Bounce, true}, "Failed": {inmail.Bounce, true}, "failed (mailbox unknown)": {inmail.Bounce, true}, "failed;": {inmail.Bounce, true}, "Failure": {inmail.Bounce, true},
		"expired": {inmail.Bounce, false}, "undeliverable": {inmail.Bounce, false}, "": {inmail.Bounce, false},
	} {
		m, err := inmail.Parse(aMail("Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\nAction: "+action+"\n--b--\n"), ours, toTicket)
		if err != nil || m.Machine != want.kind || (m.Failure != nil) != want.failed {
			t.Errorf("a report of %q is %q, %+v, %v", action, m.Machine, m.Failure, err)
		}
	}
}

// TestABrokenHeaderMayBeLong: a megabyte of what is no parameter is read in no time, and the text is kept.
func TestABrokenHeaderMayBeLong(t *testing.T) {
	m, err := inmail.Parse(aMail("Content-Type: text/plain"+strings.Repeat(" a=1", 200_000)+"\n\nhello"), ours, toTicket)
	if err != nil || m.Text != "hello" {
		t.Errorf("%q, %v", m.Text, err)
	}
}

// TestManyQuotesAreReadInTime: whoever sends a few mails of many quotes would keep all others waiting, if four times as many
// took more than some four times as long.
func TestManyQuotesAreReadInTime(t *testing.T) {
	read := func(quotes int) time.Duration {
		page := strings.Repeat("x ", 12*quotes) + strings.Repeat("<a href=https://a.example>y</a>a@b.co 2026:<blockquote></blockquote>", quotes)
		began := used(t)
		m, err := inmail.Parse(aMail("In-Reply-To: <x@example.com>\nContent-Type: text/html\n\n"+page), ours, toTicket)
		if err != nil || m.Text == "" {
			t.Fatalf("%d bytes, %v", len(m.Text), err)
		}
		return used(t) - began
	}
	if few, many := read(3_000), read(12_000); many > 8*few {
		t.Errorf("%s, after %s for a quarter", many, few)
	}
}

// used is the time that processors have spent on this process, however busy the machine is.
func used(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	errtest.None(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// TestManyPartsAreReadToABound, of all of them together.
func TestManyPartsAreReadToABound(t *testing.T) {
	part := "--b\nContent-Type: text/plain\n\n" + strings.Repeat("x\n", 100_000)
	if parts, err := inmail.Parse(aMail("Content-Type: multipart/mixed; boundary=b\n\n"+strings.Repeat(part, 10)+"--b--\n"), ours, toTicket); err != nil || len(parts.Text) > 1<<18 || !parts.More {
		t.Errorf("%d bytes, more %t, %v", len(parts.Text), parts.More, err)
	}
}

// TestTheSender is one address in one field: what another field has, or a name, counts for nothing.
func TestTheSender(t *testing.T) {
	for from, want := range map[string]string{
		"From: ada@example.com": "ada@example.com", "From: ada@example.com (Ada)": "ada@example.com", "From: \"bea@example.com\" <Ada@example.com>": "ada@example.com",
		"From: =?utf-8?q?bea=40example=2Ecom?= <ada@example.com>": "ada@example.com", "From: ada@example.com\r\nReply-To: bea@example.com\r\nSender: eve@example.com": "ada@example.com",
		"From: J\xf6rg <ada@example.com>": "ada@example.com", "From: =?x-foo?q?J=F6rg?= <ada@example.com>": "ada@example.com", "From: Lovelace, Ada <ada@example.com>": "ada@example.com",
		"From: ada@example.com <Ada@example.com>": "ada@example.com", "From: bea@example.com via Us <ada@example.com>": "",
		"From: bea@example.com\r\nFrom: ada@example.com": "", "From: ada@example.com, bea@example.com": "", "From: J\xf6rg bea@example.com <ada@example.com>": "",
		"From: <>": "", "From: nobody": "", "X-From: ada@example.com": "",
	} {
		m, err := inmail.Parse([]byte(from+"\r\nTo: support@fledge.example\r\n\r\nIt stops."), ours, toTicket)
		if m.From != want || (want == "") != errors.Is(err, inmail.ErrSender) {
			t.Errorf("%q: %q, %v", from, m.From, err)
		}
	}
}

// TestAnswersOfPrograms that do not say so in the header.
func TestAnswersOfPrograms(t *testing.T) {
	for _, subject := range []string{"Automatische Antwort: Help", "Odpowiedź automatyczna: Help", "Automatická odpověď: Help", "Automatiskt svar: Help", "自動回覆: Help", "자동 회신: Help",
		"Αυτόματη απάντηση: Help", "ΑΥΤΌΜΑΤΗ ΑΠΆΝΤΗΣΗ: Help", "Răspuns automat: Help", "Automatski odgovor: Help", "Samodejni odgovor: Help", "Автоматичен отговор: Help", "תשובה אוטומטית: Help", "מענה אוטומטי: Help", "رد تلقائي: Help", "Balasan otomatis: Help", "Trả lời tự động: Help", "自动回复：Help",
	} {
		if m, err := inmail.Parse([]byte("From: ada@example.com\r\nSubject: "+subject+"\r\n\r\nIch bin weg."), ours, toTicket); err != nil || m.Machine != inmail.BulkMail {
			t.Errorf("%s: %q, %v", subject, m.Machine, err)
		}
	}
	const invited = "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nAda has accepted.\n--b\nContent-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\n--b--\n"
	for rest, want := range map[string]inmail.Machine{
		invited: inmail.BulkMail, strings.Replace(invited, "REPLY", "REQUEST", 1): "", "Content-Type: text/calendar; method=reply\n\nBEGIN:VCALENDAR\n": inmail.BulkMail,
	} {
		if m, err := inmail.Parse(aMail(rest), ours, toTicket); err != nil || m.Machine != want {
			t.Errorf("%q: %q, %v", rest, m.Machine, err)
		}
	}
	if m, _ := inmail.Parse(aMail("\n-----BEGIN PGP MESSAGE-----\n\nhQEM\n"), ours, toTicket); m.Text != "" {
		t.Errorf("a sealed text is read: %q", m.Text)
	}
}

// TestLinesOfAText stay lines, in every way to write them.
func TestLinesOfAText(t *testing.T) {
	const flowed, page, quoted = "Content-Type: text/plain; format=flowed\n\n", "Content-Type: text/html\n\n", "Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\n"
	for rest, want := range map[string]string{
		flowed + "It is \nlong.":                                            "It is long.",
		flowed + "Sorry, no. \n> Is it on?":                                 "Sorry, no.\n> Is it on?",
		flowed + "Good bye \n-- \nAda":                                      "Good bye\n--\nAda",
		flowed + "One.\n \nTwo.\n  three":                                   "One.\n\nTwo.\n three",
		page + "<head><title>x</title><style>p{}</style><body><p>It stops.": "It stops.",
		page + "<head><meta charset=utf-8><p>It stops.":                     "It stops.",
		page + "<pre>error:\n  at x\n</pre>It <b>\nstops</b>":               "error:\n  at x\nIt stops",
		page + "<div style=\"white-space: pre-wrap\">a\n\n  b</div>c\nd":    "a\n\n  b\nc d",
		page + "See <a href=\"https://drive.example/x\">the\n log</a>, <a href=https://a.example/>a.example</a> or <a href=https://safe.example/?u=b>https://b.example</a>":   "See the log <https://drive.example/x>, a.example or https://b.example",
		page + "<a name=top></a><a href=https://a.example><img src=x></a><a href=mailto:a@b.co>me</a>, <a href='https://a.example/" + strings.Repeat("x", 500) + "'>here</a>": "me, here",
		page + "<textarea>a\nb</textarea>":                                                 "a\nb",
		page + "<table><tr><td>Plan<td>Price</tr><tr><th>Pro</th><th>25</th></tr></table>": "Plan Price\nPro 25",
		quoted + "One\x0cTwo =3D\x1b[31m red\x1b[0m":                                       "One\nTwo = red",
		quoted + strings.Repeat("long ", 2000) + "=C3=A9nd":                                strings.Repeat("long ", 2000) + "énd",
		"Content-Transfer-Encoding: base64;\n\nWWVzLg==":                                   "Yes.",
		"Content-Transfer-Encoding: \"quoted-printable\"\n\n=3D":                           "=",
		"Content-Transfer-Encoding: base64 (x)\n\nWWVzLg==":                                "Yes.",
	} {
		if m, err := inmail.Parse(aMail(rest), ours, toTicket); err != nil || m.Text != want || m.More {
			t.Errorf("%.200q: %.200q, more %t, %v", rest, m.Text, m.More, err)
		}
	}
}
