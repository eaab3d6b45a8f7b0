package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"fledge.dev/deploy/test/harness/load"
)

const (
	verifyTimeout = 2 * time.Minute
	verifyEvery   = time.Second
)

// verify looks for everybody who joined, and for the one email of everybody who was
// approved; what is missing after a while is lost.
func verify(ctx context.Context, site *load.Site, ledger *load.Ledger, mark, mail string) error {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	for {
		summary, err := look(ctx, site, ledger, mark, mail)
		if err == nil {
			fmt.Println(summary)
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(verifyEvery):
		}
	}
}

func look(ctx context.Context, site *load.Site, ledger *load.Ledger, mark, mail string) (summary string, err error) {
	if err := site.Admin.Renew(ctx); err != nil {
		return "", err
	}
	entries, err := entries(ctx, site, mark)
	if err != nil {
		return "", err
	}
	joined, approved := ledger.Acked(load.Join), ledger.Acked(load.Approve)
	problems := []error{lack("sign-ups", joined.Compare(entries).Lost), lack("sign-ups twice", joined.Compare(entries).Repeated)}
	if mail != "" {
		sent, err := load.Emails(ctx, site.Through, mail)
		if err != nil {
			return "", err
		}
		var emails []string // the recipient of each
		for to, copies := range sent {
			for _, n := range copies {
				if strings.HasPrefix(to, mark) {
					emails = append(emails, slices.Repeat([]string{to}, n)...)
				}
			}
		}
		d := approved.Compare(emails)
		problems = append(problems, lack("emails", d.Lost), lack("emails more than once", d.Repeated))
	}
	return fmt.Sprintf("%d joined, 0 lost; %d approved, one email each", joined.Len(), approved.Len()), errors.Join(problems...)
}

// lack is an error for what should not be on a list.
func lack(what string, list []string) error {
	if len(list) == 0 {
		return nil
	}
	return fmt.Errorf("%d %s: %s", len(list), what, list[0])
}

// entries are the addresses on the waitlist that have text in them.
func entries(ctx context.Context, site *load.Site, text string) (emails []string, err error) {
	query := url.Values{"search": {text}, "limit": {"100"}}
	for {
		var page struct {
			Data       []struct{ Email string }
			NextCursor string
		}
		if err := site.Admin.Call(ctx, http.MethodGet, "/api/get-waitlist-users?"+query.Encode(), nil, &page); err != nil {
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
