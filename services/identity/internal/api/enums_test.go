package api_test

import (
	"testing"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/enumtest"
)

func TestEnums(t *testing.T) {
	enumtest.Same[identityv1.Role](t, account.RoleUser, account.RoleModerator, account.RoleAdmin)
	enumtest.Same[identityv1.DeviceKind](t, session.Browser, session.Mac)
	enumtest.Same[identityv1.UserState](t, account.StateActive, account.StateDisabled, account.StateDeleting)
	enumtest.Same[identityv1.DisabledReason](t, account.ByStaff, account.Inactive, account.Gone)
}
