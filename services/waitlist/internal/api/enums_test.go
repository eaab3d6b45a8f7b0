package api_test

import (
	"testing"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/enumtest"
	"fledge.dev/services/platform/mail"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/wave"
)

func TestEnums(t *testing.T) {
	enumtest.Same[waitlistv1.Status](t, entry.Pending, entry.Approved, entry.Rejected)
	enumtest.Same[waitlistv1.Source](t, entry.HeroSection, entry.CTASection, entry.Admin, entry.Import)
	enumtest.Same[waitlistv1.Channel](t, entry.Beta, entry.Alpha)
	enumtest.Same[waitlistv1.Mail](t, mail.Waiting, mail.Sent, mail.Bounced, mail.GivenUp, mail.Complained)
	enumtest.Same[waitlistv1.Wave_State](t, wave.Scheduled, wave.Running, wave.Paused, wave.Done, wave.Cancelled)
	enumtest.Same[waitlistv1.ChangeWaveRequest_Action](t, wave.Pause, wave.Resume, wave.Cancel, wave.Undo, wave.DropChannel)
}
