package ticket_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"fledge.dev/services/platform/fault"
	"fledge.dev/services/support/internal/ticket"
)

var now = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func TestEveryMoveOfATicket(t *testing.T) {
	statuses := []ticket.Status{ticket.Open, ticket.InProgress, ticket.Resolved, ticket.Closed}
	for _, from := range statuses {
		for _, to := range statuses[1:] {
			before := ticket.Ticket{Status: from, Version: 3}
			step, changes, err := before.Apply(ticket.Update{Status: to}, now)
			if err != nil || changes != (from != to) || step.Ticket.Status != to {
				t.Errorf("staff from %s to %s: %+v, %t, %v", from, to, step, changes, err)
			}
			if step, changes, _ := before.Apply(ticket.Update{Status: to, Response: "x", Version: 3}, now); !changes || step.Ticket.Version != 4 || step.StatusChanged() != (from != to) {
				t.Errorf("staff answers from %s to %s: %+v, %t", from, to, step, changes)
			}
			if stale, changes, err := before.Apply(ticket.Update{Status: to, Response: "x", Version: 2}, now); !errors.Is(err, ticket.ErrStale) || changes || stale.Ticket != before {
				t.Errorf("too late from %s to %s: %+v, %t, %v", from, to, stale, changes, err)
			}
		}
	}
	for from, to := range map[ticket.Status]ticket.Status{ticket.Open: ticket.Open, ticket.InProgress: ticket.InProgress, ticket.Resolved: ticket.Open, ticket.Closed: ""} {
		step, err := ticket.Ticket{Status: from, Version: 3}.Reply("x", now)
		if (to == "") != errors.Is(err, ticket.ErrClosed) || step.Ticket.Status != to || (to != "" && (step.Ticket.Version != 4 || !step.Ticket.UpdatedAt.Equal(now))) {
			t.Errorf("the customer at %s: %+v, %v", from, step, err)
		}
	}
}

func TestLabels(t *testing.T) {
	for number, want := range map[int64]string{1: "TKT-000001", 123: "TKT-000123", 999_999: "TKT-999999", 1_000_000: "TKT-1000000"} {
		if got := (ticket.Ticket{Number: number}).Label(); got != want {
			t.Errorf("%d is %s, want %s", number, got, want)
		}
	}
}

func TestTexts(t *testing.T) {
	longest := strings.Repeat("日", 10_000)
	for typed, want := range map[string]string{
		"a\x00b": "ab", "a\x1b[31mred\x1b[0m": "ared", "a\rb": "a\nb", "\x7fa": "a", "one\vtwo\u2028three\u2029four\u0085five\ffive": "one\ntwo\nthree\nfour\nfive\nfive",
		"\x1b]0;title\x07a": "a", "\u009b1ma": "a", "a\x1b": "a",
		"a": "a", "  a\t": "a", "a\r\nb": "a\nb", "a\n\n\tb": "a\n\n\tb", "<b>\u202e{{7*7}}": "<b>\u202e{{7*7}}", longest: longest, " " + longest + "\n": longest,
	} {
		if got, err := ticket.ParseText("message", typed); err != nil || string(got) != want {
			t.Errorf("%.20q became %.20q, %v", typed, got, err)
		}
	}
	for _, typed := range []string{"", " \n\t", "\u00a0", "\x7f", "\x1b[0m", "\xff", longest + "x"} {
		if got, err := ticket.ParseText("message", typed); !errors.Is(err, fault.Invalid) || fault.Of(err).Reason != "invalid_message" {
			t.Errorf("%.20q became %.20q, %v", typed, got, err)
		}
	}
	if got, err := ticket.ParseOptionalText("response", " \r\n"); err != nil || got != "" {
		t.Errorf("nothing became %q, %v", got, err)
	}
}

func TestLines(t *testing.T) {
	for typed, want := range map[string]string{
		" Paid\ttwice\r\n": "Paid twice", "a\r\nBcc: v@x": "a Bcc: v@x", "\u202eabc\u2066": "abc", "a\u2028b": "a b", "\x1b[1mbold": "bold", "": "",
	} {
		content, err := ticket.Content{Subject: typed, AppVersion: "1", OperatingSystem: "macOS"}.Check()
		if err != nil || content.Subject != want {
			t.Errorf("%q became %q, %v", typed, content.Subject, err)
		}
	}
	for field, long := range map[string]ticket.Content{
		"subject": {Subject: strings.Repeat("日", 201)}, "app_version": {AppVersion: strings.Repeat("x", 65)}, "operating_system": {OperatingSystem: "\xff"},
	} {
		if _, err := long.Check(); !errors.Is(err, fault.Invalid) || fault.Of(err).Reason != "invalid_"+field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func FuzzTextsAreFitForEverything(f *testing.F) {
	for _, seed := range []string{"a\r\nb", "\x1b[31m", "\u202e", "\xf0\x28", " \n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		text, err := ticket.ParseText("message", typed)
		if err != nil {
			return
		}
		s := string(text)
		if s == "" || s != strings.TrimSpace(s) || !utf8.ValidString(s) || utf8.RuneCountInString(s) > 10_000 ||
			strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Errorf("%q became %q", typed, s)
		}
		if again, err := ticket.ParseText("message", s); err != nil || again != text {
			t.Errorf("%q is not stable: %q, %v", s, again, err)
		}
	})
}

func TestFingerprintsTellContentsApart(t *testing.T) {
	base := ticket.Content{Category: ticket.Bug, Priority: ticket.Low, Subject: "a", Message: "b", AppVersion: "c", OperatingSystem: "d"}
	seen := map[string]bool{string(base.Fingerprint()): true}
	for _, change := range []func(*ticket.Content){
		func(c *ticket.Content) { c.Category = ticket.Other }, func(c *ticket.Content) { c.Priority = ticket.High },
		func(c *ticket.Content) { c.Subject, c.Message = "ab", "" }, func(c *ticket.Content) { c.Subject, c.Message = "", "ab" },
		func(c *ticket.Content) { c.AppVersion, c.OperatingSystem = "d", "c" }, func(c *ticket.Content) { c.OperatingSystem = "" },
	} {
		other := base
		change(&other)
		if seen[string(other.Fingerprint())] {
			t.Errorf("%+v has the fingerprint of another", other)
		}
		seen[string(other.Fingerprint())] = true
	}
}
