package api

import (
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/authn"
)

// Policy says who may call each method.
func Policy() authn.Policy {
	return authn.Policy{
		supportv1.SupportService_CreateTicket_FullMethodName:      authn.Active,
		supportv1.SupportService_ListMyTickets_FullMethodName:     authn.User,
		supportv1.SupportService_ReplyToTicket_FullMethodName:     authn.Active,
		supportv1.SupportService_ListTickets_FullMethodName:       authn.Staff,
		supportv1.SupportService_GetTicket_FullMethodName:         authn.Staff,
		supportv1.SupportService_UpdateTicket_FullMethodName:      authn.Staff,
		supportv1.SupportService_BulkUpdateTickets_FullMethodName: authn.Staff,
		supportv1.SupportService_ExportTickets_FullMethodName:     authn.FreshAdmin,
		supportv1.SupportService_GetStats_FullMethodName:          authn.Admin,
	}
}
