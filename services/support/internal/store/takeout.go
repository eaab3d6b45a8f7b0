package store

import (
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/support/internal/store/db"
)

// ExportTables are what a person takes along of their own tickets. Who of the staff dealt with them
// is left out.
func (s *Store) ExportTables() []export.Table {
	pool := db.DBTX(s.pool)
	return []export.Table{
		{File: "tickets", About: "Your support tickets, each with its first message.", Read: export.Page(pool, s.q.ExportPersonsTickets)},
		{File: "ticket-messages", About: "What you and our staff wrote afterwards in your tickets.", Read: export.Page(pool, s.q.ExportMessages)},
		{File: "ticket-history", About: "How your tickets changed, and whether you or our staff changed them.", Read: export.Page(pool, s.q.ExportChanges)},
		mail.ExportTable(s.pool),
		mail.ReportsTable(s.pool),
	}
}
