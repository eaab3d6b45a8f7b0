package api_test

import (
	"testing"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/support/internal/api"
)

func TestWhoMayCallEachMethod(t *testing.T) {
	authntest.Matrix(t, &supportv1.SupportService_ServiceDesc, api.Policy(), map[string]authn.Access{
		"CreateTicket":       authn.Active,
		"ListMyTickets":      authn.Active,
		"ReplyToTicket":      authn.Active,
		"ListTickets":        authn.Staff,
		"GetTicket":          authn.Staff,
		"UpdateTicket":       authn.Staff,
		"BulkUpdateTickets":  authn.Staff,
		"GetDesk":            authn.Staff,
		"EditTicket":         authn.Staff,
		"AddNote":            authn.Staff,
		"SetNotices":         authn.Staff,
		"ViewTicket":         authn.Staff,
		"OpenTicketFor":      authn.Staff,
		"SaveCannedAnswer":   authn.Admin,
		"DeleteCannedAnswer": authn.Admin,
		"ListMessages":       authn.Staff,
		"ListMyMessages":     authn.Active,
		"ExportTickets":      authn.FreshAdmin,
		"GetStats":           authn.Admin,
		"ExportAccount":      authn.Internal,
	})
}
