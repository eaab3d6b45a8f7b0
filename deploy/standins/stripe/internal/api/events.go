package api

import (
	"slices"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

func eventEndpoints() map[string]handler {
	return map[string]handler{
		"GET /v1/events": listEvents,
	}
}

func listEvents(tx *account.Tx, r *request) (account.Object, error) {
	w, kind, kinds, created := r.window(), r.text("type"), r.list("types"), r.span("created")
	given, delivered := r.has("delivery_success"), r.boolean("delivery_success")
	if err := r.done(); err != nil {
		return nil, err
	}
	rows := tx.Events.Newest(func(e *account.Event) bool {
		return matches(kind, e.Type) && (len(kinds) == 0 || slices.Contains(kinds, e.Type)) && created(e.Created) &&
			(!given || delivered == e.Delivered)
	})
	return page("/v1/events", w, rows, (*account.Event).Key, tx.EncodeEvent)
}
