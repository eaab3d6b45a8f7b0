package waitlist_test

import (
	"strings"
	"testing"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/servicetest"
	"fledge.dev/services/waitlist"
)

var required = map[string]string{
	"DATABASE_URL": "postgres://waitlist@127.0.0.1:5432/waitlist", "IDENTITY_ADDR": "127.0.0.1:9000",
	"SITE_ORIGIN": "https://fledge.example", "INTERNAL_TOKEN": servicetest.InternalToken,
}

func TestTheDefaultsAreComplete(t *testing.T) {
	t.Parallel()
	if _, err := config.Load[waitlist.Config](servicetest.Environment(required)); err != nil {
		t.Fatal(err)
	}
}

func TestABadConfigurationNamesEveryProblem(t *testing.T) {
	t.Parallel()
	_, err := config.Load[waitlist.Config]([]string{"JOIN_QUEUE=0", "SMTP_TLS=maybe", "SITE_ORIGIN=nowhere"})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, key := range []string{"DATABASE_URL", "IDENTITY_ADDR", "INTERNAL_TOKEN", "JOIN_QUEUE", "SMTP_TLS", "SITE_ORIGIN"} {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("%s is not named in: %v", key, err)
		}
	}
}

func TestAnApprovalIsUndoneForSecondsOrMinutes(t *testing.T) {
	t.Parallel()
	for value, ok := range map[string]bool{"0": true, "10s": true, "1m": true, "10m": true, "9s": false, "11m": false, "-1m": false} {
		_, err := config.Load[waitlist.Config](append(servicetest.Environment(required), "APPROVAL_UNDO="+value))
		if ok != (err == nil) || !ok && !strings.Contains(err.Error(), "APPROVAL_UNDO must be 0") {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestTheTermsOfAnInvitationAreDays(t *testing.T) {
	t.Parallel()
	for terms, fault := range map[[2]string]string{
		{"0", "0"}: "", {"168h", "0"}: "", {"0", "336h"}: "", {"168h", "336h"}: "", {"720h", "2112h"}: "",
		{"7s", "0"}: "INVITATION_REMINDER_AFTER must be 0", {"721h", "0"}: "INVITATION_REMINDER_AFTER must be 0",
		{"0", "-24h"}: "INVITATION_EXPIRES_AFTER must be 0", {"0", "2113h"}: "INVITATION_EXPIRES_AFTER must be 0",
		{"168h", "168h"}: "INVITATION_EXPIRES_AFTER must be longer",
	} {
		_, err := config.Load[waitlist.Config](append(servicetest.Environment(required), "INVITATION_REMINDER_AFTER="+terms[0], "INVITATION_EXPIRES_AFTER="+terms[1]))
		if fault == "" && err != nil || fault != "" && (err == nil || !strings.Contains(err.Error(), fault)) {
			t.Errorf("%v: %v, want %q", terms, err, fault)
		}
	}
}
