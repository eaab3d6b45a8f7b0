package everything

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/services"
)

// books are what the product has written down: its databases, and the mailbox.
type books struct {
	sync.Mutex
	pools map[string]*pgxpool.Pool // by service
	mail  string
}

func openBooks(ctx context.Context, product *stack.Stack) (*books, error) {
	b := &books{pools: map[string]*pgxpool.Pool{}, mail: product.URLs().Mail}
	for _, service := range services.Names() {
		pool, err := pgxpool.New(ctx, product.DatabaseURL(service))
		if err != nil {
			b.close()
			return nil, err
		}
		b.pools[service] = pool
	}
	return b, nil
}

func (b *books) close() {
	for _, pool := range b.pools {
		pool.Close()
	}
}

// column reads the first column of all rows.
func (b *books) column(ctx context.Context, service, query string, args ...any) ([]string, error) {
	rows, _ := b.pools[service].Query(ctx, query, args...) // the error comes with the rows
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func (b *books) number(ctx context.Context, service, query string, args ...any) (n int, err error) {
	err = b.pools[service].QueryRow(ctx, query, args...).Scan(&n)
	return n, err
}

// published waits until the waitlist, which people join all the time, has published an
// event that is younger than a moment.
func (b *books) published(ctx context.Context, since time.Time) error {
	return until(ctx, "events are published", func() (bool, error) {
		n, err := b.number(ctx, "waitlist", `SELECT count(*) FROM outbox WHERE "time" > $1 AND stream_seq IS NOT NULL`, since)
		return n > 0, err
	})
}

// refilled waits until every service has a stream that is younger than a moment, with
// all that came before that moment.
func (b *books) refilled(ctx context.Context, since time.Time) error {
	for _, service := range services.Names() {
		err := until(ctx, "the stream of "+service+" is whole again", func() (bool, error) {
			n, err := b.number(ctx, service, `SELECT count(*) FROM outbox_stream WHERE created > $1
				AND NOT EXISTS (SELECT FROM outbox WHERE "time" < $1 AND stream_seq IS NULL)`, since)
			return n > 0, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unapplied are the events that a consumer has not dealt with, or that are not published.
func (b *books) unapplied(ctx context.Context) (list []string, err error) {
	for _, service := range services.Names() {
		waiting, err := b.column(ctx, service, "SELECT $1 || ' has not published ' || id FROM outbox WHERE stream_seq IS NULL", service)
		if err != nil {
			return nil, err
		}
		list = append(list, waiting...)
	}
	for _, service := range services.All() {
		for _, durable := range service.Consumers {
			subject := durable.Subjects[0] // fledge.<its service>.…
			told, err := b.column(ctx, strings.Split(subject, ".")[1], "SELECT id::text FROM outbox WHERE type = $1", subject)
			if err != nil {
				return nil, err
			}
			heard, err := b.column(ctx, service.Name, "SELECT event_id::text FROM inbox WHERE consumer = $1", durable.Name)
			if err != nil {
				return nil, err
			}
			slices.Sort(heard)
			for _, id := range told {
				if _, found := slices.BinarySearch(heard, id); !found {
					list = append(list, durable.Name+" has not heard of "+id)
				}
			}
		}
	}
	return list, nil
}

// message is an email that arrived. A crash between the mail server's yes and our noting it
// sends the same email again, with the same id, which mail programs show once.
type message struct {
	ID string   `json:"message_id"`
	To []string `json:"to"`
}

// emails counts the copies of each email, by recipient and id.
func (b *books) emails(ctx context.Context) (map[string]map[string]int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.mail+"/messages", nil)
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	if err != nil {
		return nil, err
	}
	var list struct{ Messages []message }
	err = json.NewDecoder(resp.Body).Decode(&list)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, fmt.Errorf("mailbox: %w", err)
	}
	copies := map[string]map[string]int{}
	for _, l := range list.Messages {
		for _, to := range l.To {
			if copies[to] == nil {
				copies[to] = map[string]int{}
			}
			copies[to][l.ID]++
		}
	}
	return copies, nil
}
