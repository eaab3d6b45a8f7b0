package api

import (
	"slices"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

const (
	defaultLimit = 10
	maxLimit     = 100
)

// window is which part of a list is asked for
// (https://docs.stripe.com/api/pagination).
type window struct {
	limit         int
	after, before string
}

func (p *params) window() window {
	w := window{limit: int(p.integer("limit", defaultLimit)), after: p.text("starting_after"), before: p.text("ending_before")}
	if w.limit < 1 || w.limit > maxLimit {
		p.fail(account.Refuse("parameter_invalid_integer", "limit", "This value must be between 1 and %d.", maxLimit))
	}
	if w.after != "" && w.before != "" {
		p.fail(account.Refuse("", "ending_before", "You may only specify one of these parameters: starting_after, ending_before."))
	}
	return w
}

// page cuts the window out of rows, which come newest first.
func page[R any](url string, w window, rows []R, id func(R) string, encode func(R) account.Object) (account.Object, error) {
	at := func(wanted, param string) (int, error) {
		i := slices.IndexFunc(rows, func(r R) bool { return id(r) == wanted })
		if i < 0 {
			return 0, account.Refuse("resource_missing", param, "No such object: '%s'", wanted)
		}
		return i, nil
	}
	begin := 0
	if w.after != "" {
		i, err := at(w.after, "starting_after")
		if err != nil {
			return nil, err
		}
		begin = i + 1
	}
	end := min(begin+w.limit, len(rows))
	more := end < len(rows)
	if w.before != "" {
		i, err := at(w.before, "ending_before")
		if err != nil {
			return nil, err
		}
		begin, end = max(i-w.limit, 0), i
		more = begin > 0
	}
	data := make([]account.Object, 0, end-begin)
	for _, row := range rows[begin:end] {
		data = append(data, encode(row))
	}
	return account.List(url, more, data), nil
}

// objectID is for rows that are encoded already.
func objectID(o account.Object) string { id, _ := o["id"].(string); return id }

func same(o account.Object) account.Object { return o }
