// Package accountstate tells staff, in the lists of other services, whose account may not be used.
package accountstate

import (
	"context"

	"fledge.dev/gateway/internal/wire"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/enum"
)

// States has the states of accounts that may not be used, by what they were asked for by.
type States map[string]wire.BarredState

// ByAddress asks identity about the accounts with the addresses, at most 200. A list is not
// withheld for it: when identity cannot say, no account has a state.
func ByAddress(ctx context.Context, identity identityv1.IdentityServiceClient, emails []string) States {
	return ask(ctx, identity, &identityv1.ListUserStatesRequest{Emails: emails})
}

// ByID is ByAddress by the accounts' ids.
func ByID(ctx context.Context, identity identityv1.IdentityServiceClient, ids []string) States {
	return ask(ctx, identity, &identityv1.ListUserStatesRequest{UserIds: ids})
}

func ask(ctx context.Context, identity identityv1.IdentityServiceClient, about *identityv1.ListUserStatesRequest) States {
	states := States{}
	if len(about.GetEmails())+len(about.GetUserIds()) == 0 {
		return states
	}
	resp, err := identity.ListUserStates(ctx, about)
	if err != nil {
		return states
	}
	for _, s := range resp.GetStates() {
		states[s.GetEmail()] = wire.BarredState(enum.Name(s.GetState()))
	}
	for _, s := range resp.GetAccounts() {
		states[s.GetUserId()] = wire.BarredState(enum.Name(s.GetState()))
	}
	return states
}

// Of returns the state of the account with an address or an id, nil if it may be used.
func (s States) Of(account string) *wire.BarredState {
	state, ok := s[account]
	if !ok {
		return nil
	}
	return &state
}
