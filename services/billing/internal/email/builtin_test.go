package email_test

import (
	"testing"

	"fledge.dev/services/billing/internal/email"
	"fledge.dev/services/platform/mailtest"
)

func TestMailProgramsShowTheEmails(t *testing.T) {
	mailtest.Check(t, email.BuiltIn("https://fledge.example"))
}
