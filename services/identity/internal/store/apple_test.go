package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/errtest"
)

func TestReportsOnEmailsComeInAnyOrder(t *testing.T) {
	f := newFixture(t)
	const email = "relay@privaterelay.appleid.com"
	ann := f.person(email, 0)
	at := func(minute int) time.Time { return epoch.Add(time.Duration(minute) * time.Minute) }
	for _, step := range []struct {
		email  string
		off    bool
		minute int
		want   time.Time
	}{
		{email, true, 5, at(5)},
		{email, true, 5, at(5)},
		{email, false, 4, at(5)}, // came late
		{"ann@example.com", false, 6, at(5)},
		{email, false, 7, time.Time{}},
		{email, true, 5, time.Time{}}, // came again
		{email, true, 8, at(8)},
	} {
		errtest.None(t, f.SetEmailOff(t.Context(), ann.ID, step.email, step.off, at(step.minute)))
		found, err := f.Person(t.Context(), ann.ID.String())
		if err != nil || !found.User.EmailOffSince.Equal(step.want) {
			t.Errorf("after %+v: off since %s, %v", step, found.User.EmailOffSince, err)
		}
	}
	for _, another := range []func(email string) error{
		func(email string) error {
			_, err := f.RecordSignIn(t.Context(), account.SignIn{UserID: ann.ID, Email: email, Provider: "google", At: epoch}, epoch)
			return err
		},
		func(email string) error {
			_, _, err := f.repair(epoch, account.Known{UserID: ann.ID, Email: email, Identities: []string{"google"}, ConfirmedAt: epoch, CreatedAt: epoch})
			return err
		},
	} {
		for _, email := range []string{email, "ann@example.com"} {
			errtest.None(t, another(email))
			told := f.count(`SELECT count(*) FROM users WHERE id = $1 AND email_off_since IS NOT NULL AND email_reported_at IS NOT NULL`, ann.ID)
			if isOff := email != "ann@example.com"; isOff != (told == 1) {
				t.Errorf("%s is told to be off: %t", email, told == 1)
			}
		}
		f.exec(`UPDATE users SET email = $2, email_off_since = $3, email_reported_at = $3 WHERE id = $1`, ann.ID, email, epoch)
	}
	if err := f.SetEmailOff(t.Context(), uuid.New(), email, true, epoch); err != nil {
		t.Errorf("nobody: %v", err)
	}
}
