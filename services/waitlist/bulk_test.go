package waitlist_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// TestManyApprovedByADyingServiceGetOneEmailEach: the service is killed in the
// middle of the list, and the admin asks again.
func TestManyApprovedByADyingServiceGetOneEmailEach(t *testing.T) {
	r := newRig(t)
	s := r.spawn()
	var ids []string
	for n := range 20 {
		ids = append(ids, r.joined(s, fmt.Sprintf("person%02d@example.com", n)))
	}
	var calling sync.WaitGroup
	calling.Go(func() { // its answer gets lost
		_, _ = s.BulkApproveUsers(r.asAdmin(), &waitlistv1.BulkApproveUsersRequest{Ids: ids})
	})
	approved := func() int { return r.count(`SELECT count(*) FROM waitlist_users WHERE status = 'approved'`) }
	waittest.Eventually(t, "the first is approved", func() bool { return approved() > 0 })
	s.kill()
	calling.Wait()
	next := r.serve()
	resp, err := next.BulkApproveUsers(r.asAdmin(), &waitlistv1.BulkApproveUsersRequest{Ids: ids})
	errtest.None(t, err)
	for _, result := range resp.GetResults() {
		if result.GetCode() != "" {
			t.Errorf("%v", result)
		}
	}
	if approved() != len(ids) {
		t.Errorf("%d of %d are approved", approved(), len(ids))
	}
	waittest.Eventually(t, "everybody has an email", func() bool { return r.mailbox.count("person") >= len(ids) })
	for n := range ids {
		if emails := r.mailbox.count(fmt.Sprintf("person%02d@", n)); emails != 1 {
			t.Errorf("person %d got %d emails", n, emails)
		}
	}
	seen := map[string]int{}
	for _, action := range audittest.Actions(t, r.pool) {
		seen[action.GetAction()+action.GetSubject()]++
	}
	for _, id := range ids {
		if seen["waitlist.approved"+id] != 1 {
			t.Errorf("%s has %d records", id, seen["waitlist.approved"+id])
		}
	}
}

// TestAnImportCutShortIsCompletedByTheSameFile: what was acknowledged is there
// once, and nobody gets an email.
func TestAnImportCutShortIsCompletedByTheSameFile(t *testing.T) {
	r := newRig(t)
	s := r.spawn()
	req := &waitlistv1.ImportUsersRequest{ImportId: uuid.NewString()}
	for n := range 1500 {
		req.Lines = append(req.Lines, &waitlistv1.ImportLine{Line: int32(n + 1), Email: fmt.Sprintf("person%d@example.com", n)})
	}
	var calling sync.WaitGroup
	calling.Go(func() { _, _ = s.ImportUsers(r.asAdmin(), req) })
	entries := func() int { return r.count(`SELECT count(*) FROM waitlist_users`) }
	waittest.Eventually(t, "a connection of the service works", func() bool {
		return entries() > 0 || r.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%AddEntries%' AND state = 'active' AND pid <> pg_backend_pid()`) > 0
	})
	s.kill()
	calling.Wait()
	if n := entries(); n != 0 && n != len(req.GetLines()) {
		t.Errorf("a part of a part is in: %d entries", n)
	}
	next := r.serve()
	for range 2 {
		resp, err := next.ImportUsers(r.asAdmin(), req)
		if err != nil || len(resp.GetResults()) != len(req.GetLines()) {
			t.Fatal(resp, err)
		}
	}
	if n := entries(); n != len(req.GetLines()) {
		t.Errorf("%d entries", n)
	}
	if records := audittest.Actions(t, r.pool); len(records) != 1 || records[0].GetAction() != "waitlist.imported" || records[0].GetSubject() != req.GetImportId() {
		t.Errorf("records %v", records)
	}
}
