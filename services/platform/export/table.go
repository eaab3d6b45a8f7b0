// Package export makes what a person takes along: everything that the services hold about their
// account, in one ZIP. A service describes its Tables and answers with a Piece at a time; the
// gateway, and the operator's command in identity, Collect the pieces of all services and write
// the Archive. What a service erases with an account (package erasure) is what it exports.
package export

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"

	exportv1 "fledge.dev/proto/gen/go/fledge/export/v1"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
)

const (
	// PageSize is how many rows are read at a time. So many of the longest, and pieceSize, stay
	// below what gRPC takes as one message.
	PageSize  = 50
	pieceSize = 512 << 10
)

// Account is whose data it is.
type Account struct {
	ID uuid.UUID
	// Emails are all its addresses, lower-cased.
	Emails []string
}

// Proto is the account as the services name it to each other.
func (a Account) Proto() *exportv1.Account {
	return &exportv1.Account{Id: a.ID.String(), Emails: a.Emails}
}

// Table is a file of an export, or a service's part of it.
type Table struct {
	// File is its name without the ending.
	File string
	// About says in a sentence what it holds.
	About string
	// Read returns the rows about the account whose keys come after the given one, at most
	// PageSize of them in the order of their keys.
	Read func(ctx context.Context, account Account, after string) ([]Row, error)
}

// Row is one line of a file.
type Row struct {
	// Key tells where the next page begins. A table whose rows have none is read at once.
	Key string
	// Fields is a JSON object. All rows of a file have the same fields in the same order.
	Fields []byte
}

// Page is a Read by a query of sqlc's that pages.
func Page[DB any, P ~struct {
	UserID uuid.UUID
	After  string
	Count  int32
}, R ~struct {
	Key    string
	Fields []byte
}](db DB, query func(context.Context, DB, P) ([]R, error)) func(context.Context, Account, string) ([]Row, error) {
	return func(ctx context.Context, account Account, after string) ([]Row, error) {
		rows, err := query(ctx, db, P{UserID: account.ID, After: after, Count: PageSize})
		return Rows(rows), err
	}
}

// Whole is a Read by a query of sqlc's that returns everything, which is little.
func Whole[DB any](db DB, query func(context.Context, DB, uuid.UUID) ([][]byte, error)) func(context.Context, Account, string) ([]Row, error) {
	return func(ctx context.Context, account Account, _ string) ([]Row, error) {
		all, err := query(ctx, db, account.ID)
		return Unkeyed(all), err
	}
}

// Unkeyed are the rows of a table that is read at once.
func Unkeyed(all [][]byte) []Row {
	rows := make([]Row, len(all))
	for i, fields := range all {
		rows[i] = Row{Fields: fields}
	}
	return rows
}

// Rows are those that a query of sqlc's returned.
func Rows[R ~struct {
	Key    string
	Fields []byte
}](in []R) []Row {
	out := make([]Row, len(in))
	for i, row := range in {
		out[i] = Row(row)
	}
	return out
}

var errCursor = fault.InvalidField("cursor", "The cursor is not valid.")

// Piece reads on from the cursor, "" for the beginning. A table without rows has a part, too, so
// that its file says that there is nothing. next is "" when everything is told.
func Piece(ctx context.Context, tables []Table, account Account, cursor string) (parts []*exportv1.Part, next string, err error) {
	at, after, err := parseCursor(cursor, len(tables))
	if err != nil {
		return nil, "", err
	}
	for size := 0; at < len(tables); {
		table := tables[at]
		rows, err := table.Read(ctx, account, after)
		if err != nil {
			return nil, "", pg.Fault(err, nil)
		}
		part := &exportv1.Part{File: table.File, About: table.About}
		for _, row := range rows {
			part.Rows = append(part.Rows, string(row.Fields))
			size += len(row.Fields)
		}
		parts = append(parts, part)
		if n := len(rows); n == PageSize && rows[n-1].Key != "" {
			after = rows[n-1].Key
		} else {
			at, after = at+1, ""
		}
		if size >= pieceSize && at < len(tables) {
			return parts, strconv.Itoa(at) + "/" + after, nil
		}
	}
	return parts, "", nil
}

// PieceOf is Piece for an account as another service names it.
func PieceOf(ctx context.Context, tables []Table, account *exportv1.Account, cursor string) ([]*exportv1.Part, string, error) {
	id, err := uuid.Parse(account.GetId())
	if err != nil {
		return nil, "", fault.InvalidField("account", "The account's id must be a UUID.")
	}
	return Piece(ctx, tables, Account{ID: id, Emails: account.GetEmails()}, cursor)
}

func parseCursor(cursor string, tables int) (at int, after string, err error) {
	if cursor == "" {
		return 0, "", nil
	}
	table, after, ok := strings.Cut(cursor, "/")
	at, err = strconv.Atoi(table)
	if !ok || err != nil || at < 0 || at >= tables {
		return 0, "", errCursor
	}
	return at, after, nil
}
