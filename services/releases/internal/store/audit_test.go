package store_test

import (
	"fmt"
	"slices"
	"testing"

	"fledge.dev/services/platform/audittest"
)

// TestTheAuditLogIsToldOfEveryChange, and of nothing that changed nothing.
func TestTheAuditLogIsToldOfEveryChange(t *testing.T) {
	s, pool := open(t)
	apply(t, s, true, made(1, "1.0.0"))
	ctx := audittest.As(t.Context())
	for _, on := range []bool{true, true, false} {
		if _, _, err := s.SetAvailability(ctx, 1, "1.0.0", on); err != nil {
			t.Fatal(err)
		}
	}
	for _, percentage := range []int{100, 25, 25} {
		if _, _, err := s.SetRollout(ctx, 1, "1.0.0", percentage); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, a := range audittest.Actions(t, pool) {
		if a.GetActorId() != audittest.Staff.UserID || a.GetClientIp() == "" || a.GetRequestId() == "" {
			t.Errorf("by whom, from where, in which request: %v", a)
		}
		got = append(got, fmt.Sprintf("%s %s %s %s→%s", a.GetAction(), a.GetSubject(), a.GetSubjectLabel(), a.GetBefore(), a.GetAfter()))
	}
	want := []string{
		`release.availability_changed 1.0.0 v1.0.0 {"is_available":false}→{"is_available":true}`,
		`release.availability_changed 1.0.0 v1.0.0 {"is_available":true}→{"is_available":false}`,
		`release.rollout_changed 1.0.0 v1.0.0 {"percentage":100,"rises":false}→{"percentage":25,"rises":false}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if _, _, err := s.SetRollout(t.Context(), 1, "1.0.0", 50); err == nil {
		t.Error("a change by nobody is possible")
	}
}
