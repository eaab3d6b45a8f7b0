package api

import (
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/rpc"
)

// Policy says who may call each method. CreateSession, ExchangeHandOffCode and
// CheckAccess are the gateway's and the services' own: two take a client's
// address on trust, the third answers about anybody.
func Policy() authn.Policy {
	return authn.Policy{
		identityv1.IdentityService_CreateSession_FullMethodName:            authn.Internal,
		identityv1.IdentityService_RefreshSession_FullMethodName:           authn.Public,
		identityv1.IdentityService_CreateHandOffCode_FullMethodName:        authn.User,
		identityv1.IdentityService_ExchangeHandOffCode_FullMethodName:      authn.Internal,
		identityv1.IdentityService_CreateServerToken_FullMethodName:        authn.Internal,
		identityv1.IdentityService_CreateDeviceSession_FullMethodName:      authn.User,
		identityv1.IdentityService_SignOut_FullMethodName:                  authn.Public,
		identityv1.IdentityService_ListDevices_FullMethodName:              authn.User,
		identityv1.IdentityService_RevokeDevice_FullMethodName:             authn.User,
		identityv1.IdentityService_DeleteAccount_FullMethodName:            authn.User,
		identityv1.IdentityService_UnlinkProvider_FullMethodName:           authn.User,
		identityv1.IdentityService_ExportAccount_FullMethodName:            authn.User,
		identityv1.IdentityService_GetUser_FullMethodName:                  authn.Active,
		identityv1.IdentityService_ListUsers_FullMethodName:                authn.Staff,
		identityv1.IdentityService_ListUserStates_FullMethodName:           authn.Staff,
		identityv1.IdentityService_SetUserRoles_FullMethodName:             authn.FreshAdmin,
		identityv1.IdentityService_GetPerson_FullMethodName:                authn.Staff,
		identityv1.IdentityService_ListUserDevices_FullMethodName:          authn.Admin,
		identityv1.IdentityService_RevokeUserDevice_FullMethodName:         authn.Admin,
		identityv1.IdentityService_SignOutUser_FullMethodName:              authn.Admin,
		identityv1.IdentityService_SetUserState_FullMethodName:             authn.FreshAdmin,
		identityv1.IdentityService_DeleteUser_FullMethodName:               authn.FreshAdmin,
		identityv1.IdentityService_ResetSecondFactor_FullMethodName:        authn.FreshAdmin,
		identityv1.IdentityService_ListAuditEntries_FullMethodName:         authn.Admin,
		identityv1.IdentityService_IsAdmin_FullMethodName:                  authn.User,
		identityv1.IdentityService_GetSecondFactor_FullMethodName:          authn.User,
		identityv1.IdentityService_AdmitSecondFactorCode_FullMethodName:    authn.User,
		identityv1.IdentityService_CheckAccess_FullMethodName:              authn.Internal,
		identityv1.IdentityService_ListAddresses_FullMethodName:            authn.Internal,
		identityv1.IdentityService_FindAccount_FullMethodName:              authn.Internal,
		identityv1.IdentityService_ReceiveAppleNotification_FullMethodName: authn.Internal,
		identityv1.IdentityService_GetJWKS_FullMethodName:                  authn.Public,
	}
}

// Callers open to every service what it needs to verify tokens by itself: the keys, and, with
// the internal token, an account's state. Billing, support and the waitlist ask for the addresses of accounts,
// and support whose account an address is.
func Callers() rpc.Callers {
	return rpc.Callers{
		identityv1.IdentityService_GetJWKS_FullMethodName:       {rpc.Everyone},
		identityv1.IdentityService_CheckAccess_FullMethodName:   {rpc.Everyone},
		identityv1.IdentityService_ListAddresses_FullMethodName: {"billing", "support", "waitlist"},
		identityv1.IdentityService_FindAccount_FullMethodName:   {"support"},
	}
}
