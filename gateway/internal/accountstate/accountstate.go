// Package accountstate tells staff, in the lists of other services, whose account may not be used.
package accountstate

import (
	"context"

	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/enum"
)

// States has the states of accounts that may not be used, by their addresses.
type States map[string]wire.BarredState

// ByAddress asks identity about the accounts with the addresses, at most 200. A list is not
// withheld for it: when identity cannot say, no account has a state.
func ByAddress(ctx context.Context, identity identityv1.IdentityServiceClient, emails []string) States {
	states := States{}
	if len(emails) == 0 {
		return states
	}
	resp, err := identity.ListUserStates(ctx, &identityv1.ListUserStatesRequest{Emails: emails})
	if err != nil {
		return states
	}
	for _, s := range resp.GetStates() {
		states[s.GetEmail()] = wire.BarredState(enum.Name(s.GetState()))
	}
	return states
}

// Of returns the state of the account with an address, nil if it may be used.
func (s States) Of(email string) *wire.BarredState {
	state, ok := s[email]
	if !ok {
		return nil
	}
	return &state
}
