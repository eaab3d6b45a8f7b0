package api

import (
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/rpc"
)

// Policy says who may call each method.
func Policy() authn.Policy {
	return authn.Policy{
		waitlistv1.WaitlistService_Join_FullMethodName:             authn.Public,
		waitlistv1.WaitlistService_Confirm_FullMethodName:          authn.Public,
		waitlistv1.WaitlistService_Leave_FullMethodName:            authn.Public,
		waitlistv1.WaitlistService_GetStatus_FullMethodName:        authn.Active,
		waitlistv1.WaitlistService_NoteDownload_FullMethodName:     authn.Active,
		waitlistv1.WaitlistService_GetInvitation_FullMethodName:    authn.Active,
		waitlistv1.WaitlistService_OpenInvitation_FullMethodName:   authn.Public,
		waitlistv1.WaitlistService_ClaimInvitation_FullMethodName:  authn.Active,
		waitlistv1.WaitlistService_AddUser_FullMethodName:          authn.Admin,
		waitlistv1.WaitlistService_ListUsers_FullMethodName:        authn.Staff,
		waitlistv1.WaitlistService_ListUnconfirmed_FullMethodName:  authn.Staff,
		waitlistv1.WaitlistService_ApproveUser_FullMethodName:      authn.Admin,
		waitlistv1.WaitlistService_ResendApproval_FullMethodName:   authn.Admin,
		waitlistv1.WaitlistService_UndoApproval_FullMethodName:     authn.Admin,
		waitlistv1.WaitlistService_RemoveUser_FullMethodName:       authn.Admin,
		waitlistv1.WaitlistService_BulkApproveUsers_FullMethodName: authn.Admin,
		waitlistv1.WaitlistService_StartWave_FullMethodName:        authn.Admin,
		waitlistv1.WaitlistService_ListWaves_FullMethodName:        authn.Admin,
		waitlistv1.WaitlistService_ChangeWave_FullMethodName:       authn.Admin,
		waitlistv1.WaitlistService_ExportUsers_FullMethodName:      authn.FreshAdmin,
		waitlistv1.WaitlistService_ImportUsers_FullMethodName:      authn.Admin,
		waitlistv1.WaitlistService_GetStats_FullMethodName:         authn.Admin,
		waitlistv1.WaitlistService_ExportAccount_FullMethodName:    authn.Internal,
	}
}

// Callers are those besides the gateway: identity, for the operator's command export-account.
func Callers() rpc.Callers {
	return rpc.Callers{waitlistv1.WaitlistService_ExportAccount_FullMethodName: {"identity"}}
}
