package email

import (
	"time"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/mail"
)

// AddressTaken tells the address that an account had that it has another one. It does not say which:
// whoever reads it may not be the account's owner any more.
func AddressTaken(at time.Time) func(u account.User, siteOrigin string) mail.Email {
	return state("address_taken", "address-taken", at, "/profile")
}

// AddressGiven tells the new address of an account that it is that now.
func AddressGiven(at time.Time) func(u account.User, siteOrigin string) mail.Email {
	return state("address_given", "address-given", at, "/profile")
}
