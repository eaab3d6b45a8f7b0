package store

import (
	"context"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store/db"
	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/platform/pg"
)

// MaxPage is the most accounts in one page.
const MaxPage = 100

// Cursor is a place in a list that is read newest first.
type Cursor = keyset.Cursor

// The formats of cursors: the accounts' and the audit log's.
const (
	UsersCursor keyset.Format = 'u'
	AuditCursor keyset.Format = 'a'
)

// Filter selects accounts for a list. Zero values select everything.
type Filter struct {
	// Search is a part of the address, taken literally, in any case.
	Search string
	// Role is one that the account holds.
	Role account.Role
}

// Page is one page of accounts, newest first.
type Page struct {
	Users []account.Listed
	// Next is where the following page begins, nil on the last page.
	Next *Cursor
}

// Users returns the page of at most limit accounts that begins after the cursor,
// or the first page when after is nil.
func (s *Store) Users(ctx context.Context, filter Filter, after *Cursor, limit int) (Page, error) {
	if after == nil {
		after = &keyset.Start
	}
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	// One more than asked for tells whether there is another page.
	users, err := s.list(ctx, filter, *after, int32(limit)+1)
	if err != nil {
		return Page{}, pg.Fault(err, nil)
	}
	page := Page{Users: users}
	if len(users) > limit {
		page.Users = users[:limit]
		last := page.Users[limit-1].User
		page.Next = &Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}
	return page, nil
}

// list has a statement for each shape of filter, because one statement with
// optional parts gets one plan for all and misses the index of each.
func (s *Store) list(ctx context.Context, filter Filter, after Cursor, size int32) ([]account.Listed, error) {
	role := filter.Role
	if role == account.RoleUser {
		role = "" // everybody is one
	}
	pattern := pg.Containing(address.Searched(filter.Search))
	switch {
	case filter.Search != "" && role != "":
		rows, err := s.q.SearchHolders(ctx, s.pool, db.SearchHoldersParams{
			Pattern: pattern, Role: string(role), BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
		return toListed(rows), err
	case filter.Search != "":
		rows, err := s.q.SearchUsers(ctx, s.pool, db.SearchUsersParams{
			Pattern: pattern, BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
		return toListed(rows), err
	case role != "":
		rows, err := s.q.ListHolders(ctx, s.pool, db.ListHoldersParams{
			Role: string(role), BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
		return toListed(rows), err
	default:
		rows, err := s.q.ListUsers(ctx, s.pool, db.ListUsersParams{
			BeforeCreatedAt: after.CreatedAt, BeforeID: after.ID, PageSize: size,
		})
		return toListed(rows), err
	}
}

// listRow is any of the four statements' rows, which are alike.
type listRow interface {
	~struct {
		User  db.User
		Roles []string
	}
}

func toListed[R listRow](rows []R) []account.Listed {
	var list []account.Listed
	for _, r := range rows {
		row := db.ListUsersRow(r)
		list = append(list, account.Listed{User: toUser(row.User), Roles: toRoles(row.Roles)})
	}
	return list
}

func toRoles(names []string) []account.Role {
	var roles []account.Role
	for _, name := range names {
		roles = append(roles, account.Role(name))
	}
	return roles
}
