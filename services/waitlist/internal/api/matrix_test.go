package api_test

import (
	"testing"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/waitlist/internal/api"
)

func TestWhoMayCallEachMethod(t *testing.T) {
	authntest.Matrix(t, &waitlistv1.WaitlistService_ServiceDesc, api.Policy(), map[string]authn.Access{
		"Join":             authn.Public,
		"Confirm":          authn.Public,
		"Leave":            authn.Public,
		"GetStatus":        authn.Active,
		"NoteDownload":     authn.Active,
		"GetInvitation":    authn.Active,
		"OpenInvitation":   authn.Public,
		"ClaimInvitation":  authn.Active,
		"AddUser":          authn.Admin,
		"ListUsers":        authn.Staff,
		"ListUnconfirmed":  authn.Staff,
		"ApproveUser":      authn.Admin,
		"ResendApproval":   authn.Admin,
		"UndoApproval":     authn.Admin,
		"RemoveUser":       authn.Admin,
		"BulkApproveUsers": authn.Admin,
		"StartWave":        authn.Admin,
		"ListWaves":        authn.Admin,
		"ChangeWave":       authn.Admin,
		"ExportUsers":      authn.FreshAdmin,
		"ImportUsers":      authn.Admin,
		"GetStats":         authn.Admin,
		"ExportAccount":    authn.Internal,
	})
}
