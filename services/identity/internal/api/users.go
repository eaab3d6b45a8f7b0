package api

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/text"
)

const (
	// maxSearch is the longest search in characters, as long as the longest address.
	maxSearch = 254
	// maxRoles is how many there are.
	maxRoles = 3
	// maxStates is two for each row of another service's list; as many addresses are given at once.
	maxStates = 200
)

// ListUsers implements IdentityService.
func (s *Server) ListUsers(ctx context.Context, req *identityv1.ListUsersRequest) (*identityv1.ListUsersResponse, error) {
	filter, after, limit, err := decodeList(req)
	if err != nil {
		return nil, err
	}
	page, err := s.Store.Users(ctx, filter, after, limit)
	if err != nil {
		return nil, err
	}
	resp := &identityv1.ListUsersResponse{Users: make([]*identityv1.ListedUser, len(page.Users))}
	for i, u := range page.Users {
		resp.Users[i] = encodeListed(u)
	}
	if page.Next != nil {
		resp.NextCursor = store.UsersCursor.Encode(*page.Next)
	}
	return resp, nil
}

// ListUserStates implements IdentityService.
func (s *Server) ListUserStates(ctx context.Context, req *identityv1.ListUserStatesRequest) (*identityv1.ListUserStatesResponse, error) {
	if len(req.GetEmails()) > maxStates {
		return nil, fault.InvalidField("emails", "There must be no more than 200 addresses.")
	}
	ids, err := decodeIDs(req.GetUserIds())
	if err != nil {
		return nil, err
	}
	states, err := s.Store.StatesOf(ctx, req.GetEmails())
	if err != nil {
		return nil, err
	}
	accounts, err := s.Store.StatesOfAccounts(ctx, ids)
	if err != nil {
		return nil, err
	}
	resp := &identityv1.ListUserStatesResponse{}
	for id, state := range accounts {
		resp.Accounts = append(resp.Accounts, &identityv1.AccountState{UserId: id.String(), State: enum.Of[identityv1.UserState](state)})
	}
	for _, email := range slices.Sorted(maps.Keys(states)) {
		resp.States = append(resp.States, &identityv1.EmailState{Email: email, State: enum.Of[identityv1.UserState](states[email])})
	}
	return resp, nil
}

// decodeIDs reads the field user_ids.
func decodeIDs(texts []string) ([]uuid.UUID, error) {
	if len(texts) > maxStates {
		return nil, fault.InvalidField("user_ids", "There must be no more than 200 accounts.")
	}
	ids := make([]uuid.UUID, len(texts))
	for i, given := range texts {
		id, ok := text.UUID(given)
		if !ok {
			return nil, fault.InvalidField("user_ids", "Each user id must be a UUID.")
		}
		ids[i] = id
	}
	return ids, nil
}

// ListAddresses implements IdentityService.
func (s *Server) ListAddresses(ctx context.Context, req *identityv1.ListAddressesRequest) (*identityv1.ListAddressesResponse, error) {
	ids, err := decodeIDs(req.GetUserIds())
	if err != nil {
		return nil, err
	}
	addresses, err := s.Store.Addresses(ctx, ids, req.GetUndelivered())
	if err != nil {
		return nil, err
	}
	resp := &identityv1.ListAddressesResponse{}
	for id, email := range addresses {
		resp.Addresses = append(resp.Addresses, &identityv1.UserAddress{UserId: id.String(), Email: email})
	}
	return resp, nil
}

// FindAccount implements IdentityService.
func (s *Server) FindAccount(ctx context.Context, req *identityv1.FindAccountRequest) (*identityv1.FindAccountResponse, error) {
	person, err := s.Store.PersonAt(ctx, req.GetEmail())
	if errors.Is(err, fault.NotFound) || err == nil && person.User.State() != account.StateActive {
		return &identityv1.FindAccountResponse{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &identityv1.FindAccountResponse{Account: &identityv1.UserAddress{UserId: person.User.ID.String(), Email: person.User.Email}}, nil
}

// SetUserRoles implements IdentityService. Ids stand for people in the log:
// addresses do not belong there.
func (s *Server) SetUserRoles(ctx context.Context, req *identityv1.SetUserRolesRequest) (*identityv1.SetUserRolesResponse, error) {
	by, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	id, err := decodeUser(req.GetUserId())
	if err != nil {
		return nil, err
	}
	given, err := decodeRoles("roles", req.GetRoles())
	if err != nil {
		return nil, err
	}
	seen, err := decodeRoles("seen_roles", req.GetSeenRoles())
	if err != nil {
		return nil, err
	}
	reason, err := audit.ParseReason(req.GetReason())
	if err != nil {
		return nil, err
	}
	change, err := s.Store.SetRoles(ctx, id, given, seen, reason, s.Clock.Now())
	if err != nil {
		s.Log.WarnContext(ctx, "roles not changed", "user", id, "by", by, "to", given, "reason", fault.Of(err).Reason)
		return nil, err
	}
	if change.Changed() {
		s.Log.InfoContext(ctx, "roles changed", "user", id, "by", by, "from", change.Before, "to", change.Roles)
	}
	return &identityv1.SetUserRolesResponse{User: encodeListed(change.Listed)}, nil
}

func decodeList(req *identityv1.ListUsersRequest) (filter store.Filter, after *store.Cursor, limit int, err error) {
	if req.GetRole() != identityv1.Role_ROLE_UNSPECIFIED {
		if filter.Role = account.Role(enum.Name(req.GetRole())); filter.Role == "" {
			return filter, nil, 0, fault.InvalidField("role", "The role must be admin, moderator or user.")
		}
	}
	if filter.Search, err = decodeLine("search", req.GetSearch()); err != nil {
		return filter, nil, 0, err
	}
	if limit, err = keyset.Limit(req.GetLimit(), store.MaxPage, store.MaxPage); err != nil {
		return filter, nil, 0, err
	}
	after, err = store.UsersCursor.After(req.GetCursor())
	return filter, after, limit, err
}

func decodeUser(s string) (uuid.UUID, error) {
	id, ok := text.UUID(s)
	if !ok {
		return uuid.Nil, fault.InvalidField("user_id", "The user id must be a UUID.")
	}
	return id, nil
}

func decodeRoles(field string, in []identityv1.Role) ([]account.Role, error) {
	if len(in) > maxRoles {
		return nil, fault.InvalidField(field, "There must be no more than 3 roles.")
	}
	out := []account.Role{}
	for _, r := range in {
		role := account.Role(enum.Name(r))
		if role == "" {
			return nil, fault.InvalidField(field, "Each role must be admin, moderator or user.")
		}
		out = append(out, role)
	}
	return out, nil
}

func encodeListed(u account.Listed) *identityv1.ListedUser {
	out := &identityv1.ListedUser{User: encodeUser(u.User), Roles: encodeRoles(u.Roles), State: enum.Of[identityv1.UserState](u.User.State())}
	switch u.User.State() {
	case account.StateDisabled:
		out.DisabledAt = timestamppb.New(u.User.DisabledAt)
		out.DisabledBecause = enum.Of[identityv1.DisabledReason](u.User.DisabledBecause)
	case account.StateDeleting:
		out.EraseAt = timestamppb.New(u.User.EraseAt)
	}
	if !u.User.EmailOffSince.IsZero() {
		out.EmailOffSince = timestamppb.New(u.User.EmailOffSince)
	}
	return out
}
