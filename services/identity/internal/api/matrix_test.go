package api_test

import (
	"testing"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/api"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
)

func TestWhoMayCallEachMethod(t *testing.T) {
	authntest.Matrix(t, &identityv1.IdentityService_ServiceDesc, api.Policy(), map[string]authn.Access{
		"CreateSession":            authn.Internal,
		"RefreshSession":           authn.Public,
		"CreateHandOffCode":        authn.User,
		"ExchangeHandOffCode":      authn.Internal,
		"CreateDeviceSession":      authn.User,
		"CreateServerToken":        authn.Internal,
		"SignOut":                  authn.Public,
		"ListDevices":              authn.User,
		"RevokeDevice":             authn.User,
		"DeleteAccount":            authn.User,
		"UnlinkProvider":           authn.User,
		"ExportAccount":            authn.User,
		"GetUser":                  authn.Active,
		"ListUsers":                authn.Staff,
		"ListUserStates":           authn.Staff,
		"GetPerson":                authn.Staff,
		"ListUserDevices":          authn.Admin,
		"RevokeUserDevice":         authn.Admin,
		"SignOutUser":              authn.Admin,
		"SetUserState":             authn.FreshAdmin,
		"DeleteUser":               authn.FreshAdmin,
		"SetUserRoles":             authn.FreshAdmin,
		"ListAuditEntries":         authn.Admin,
		"ResetSecondFactor":        authn.FreshAdmin,
		"GetSecondFactor":          authn.User,
		"AdmitSecondFactorCode":    authn.User,
		"IsAdmin":                  authn.User,
		"ReceiveAppleNotification": authn.Internal,
		"CheckAccess":              authn.Internal,
		"ListAddresses":            authn.Internal,
		"FindAccount":              authn.Internal,
		"GetJWKS":                  authn.Public,
	})
}
