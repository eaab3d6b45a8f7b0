package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	verifyTimeout = 2 * time.Minute
	verifyEvery   = time.Second
)

// Verify looks, as staff can, for everybody who joined with a mark, once, and for the one
// email of everybody who was approved, unless mail is "". What is missing after a while is
// lost.
func (s *Site) Verify(ctx context.Context, ledger *Ledger, mark, mail string) (summary string, err error) {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	for {
		problems := []error{s.Admin.Renew(ctx)}
		joined, approved := ledger.Acked(Join), ledger.Acked(Approve)
		entries, err := s.entries(ctx, mark+"-")
		d := joined.Compare(entries)
		problems = append(problems, err, lack("sign-ups are lost", d.Lost), lack("sign-ups are there twice", d.Repeated))
		if mail != "" {
			emails, err := s.emails(ctx, mail, mark+"-")
			d := approved.Compare(emails)
			problems = append(problems, err, lack("people have no email", d.Lost), lack("people have more than one email", d.Repeated))
		}
		if err = errors.Join(problems...); err == nil {
			return fmt.Sprintf("%d joined, 0 lost; %d approved, one email each", joined.Len(), approved.Len()), nil
		}
		select {
		case <-ctx.Done():
			return "", err
		case <-time.After(verifyEvery):
		}
	}
}

// lack is an error for what should not be on a list.
func lack(what string, list []string) error {
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("%d %s, the first is %s", len(list), what, list[0])
}

// entries are the addresses on the waitlist that have text in them.
func (s *Site) entries(ctx context.Context, text string) (emails []string, err error) {
	query := url.Values{"search": {text}, "limit": {"100"}}
	for {
		var page struct {
			Data       []struct{ Email string }
			NextCursor string
		}
		if err := s.Admin.Call(ctx, http.MethodGet, "/api/get-waitlist-users?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		for _, entry := range page.Data {
			emails = append(emails, entry.Email)
		}
		if page.NextCursor == "" {
			return emails, nil
		}
		query.Set("cursor", page.NextCursor)
	}
}

// emails are the recipients whose addresses begin with mark, of each copy of each email.
func (s *Site) emails(ctx context.Context, mail, mark string) (recipients []string, err error) {
	sent, err := Emails(ctx, s.Through, mail)
	for to, copies := range sent {
		for _, n := range copies {
			if strings.HasPrefix(to, mark) {
				recipients = append(recipients, slices.Repeat([]string{to}, n)...)
			}
		}
	}
	return recipients, err
}
