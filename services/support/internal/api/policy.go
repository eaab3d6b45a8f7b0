package api

import (
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/rpc"
)

// Policy says who may call each method.
func Policy() authn.Policy {
	return authn.Policy{
		supportv1.SupportService_CreateTicket_FullMethodName:       authn.Active,
		supportv1.SupportService_ListMyTickets_FullMethodName:      authn.Active,
		supportv1.SupportService_ReplyToTicket_FullMethodName:      authn.Active,
		supportv1.SupportService_ListTickets_FullMethodName:        authn.Staff,
		supportv1.SupportService_GetTicket_FullMethodName:          authn.Staff,
		supportv1.SupportService_UpdateTicket_FullMethodName:       authn.Staff,
		supportv1.SupportService_BulkUpdateTickets_FullMethodName:  authn.Staff,
		supportv1.SupportService_GetDesk_FullMethodName:            authn.Staff,
		supportv1.SupportService_EditTicket_FullMethodName:         authn.Staff,
		supportv1.SupportService_AddNote_FullMethodName:            authn.Staff,
		supportv1.SupportService_SetNotices_FullMethodName:         authn.Staff,
		supportv1.SupportService_ViewTicket_FullMethodName:         authn.Staff,
		supportv1.SupportService_OpenTicketFor_FullMethodName:      authn.Staff,
		supportv1.SupportService_SaveCannedAnswer_FullMethodName:   authn.Admin,
		supportv1.SupportService_DeleteCannedAnswer_FullMethodName: authn.Admin,
		supportv1.SupportService_ListMessages_FullMethodName:       authn.Staff,
		supportv1.SupportService_ListMyMessages_FullMethodName:     authn.Active,
		supportv1.SupportService_ExportTickets_FullMethodName:      authn.FreshAdmin,
		supportv1.SupportService_GetStats_FullMethodName:           authn.Admin,
		supportv1.SupportService_ExportAccount_FullMethodName:      authn.Internal,
	}
}

// Callers are those besides the gateway: identity, for the operator's command export-account.
func Callers() rpc.Callers {
	return rpc.Callers{supportv1.SupportService_ExportAccount_FullMethodName: {"identity"}}
}
