package api

import (
	"maps"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// endpoints are all that the stand-in answers.
func endpoints() map[string]handler {
	all := map[string]handler{}
	for _, group := range []map[string]handler{
		customerEndpoints(), catalogueEndpoints(), sessionEndpoints(), subscriptionEndpoints(), invoiceEndpoints(),
		paymentEndpoints(), eventEndpoints(),
	} {
		maps.Copy(all, group)
	}
	return all
}

// retrieve answers one object by its id in the path.
func retrieve[R any](find func(*account.Tx, string) (R, error), encode func(*account.Tx, R) account.Object) handler {
	return func(tx *account.Tx, r *request) (account.Object, error) {
		if err := r.done(); err != nil {
			return nil, err
		}
		found, err := find(tx, r.id())
		if err != nil {
			return nil, err
		}
		return encode(tx, found), nil
	}
}

// matches is true for a filter that was not given.
func matches(filter, value string) bool { return filter == "" || filter == value }

func unknown(kind, id string) error {
	err := account.Refuse("resource_missing", "id", "No such %s: '%s'", kind, id)
	err.Status = 404
	return err
}
