package email_test

import (
	"testing"

	"fledge.dev/services/platform/mailtest"
	"fledge.dev/services/waitlist/internal/email"
)

func TestMailProgramsShowTheEmails(t *testing.T) {
	mailtest.Check(t, email.BuiltIn("https://fledge.example"))
}
