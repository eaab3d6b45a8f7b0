package api_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	exportv1 "fledge.dev/proto/gen/go/fledge/export/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/fault"
)

const (
	stable = releasesv1.Channel_CHANNEL_STABLE
	beta   = releasesv1.Channel_CHANNEL_BETA
	alpha  = releasesv1.Channel_CHANNEL_ALPHA
)

func (r *rig) give(t *testing.T, userID string, channel releasesv1.Channel) *timestamppb.Timestamp {
	t.Helper()
	resp, err := r.client.SetUserChannel(r.admin, &releasesv1.SetUserChannelRequest{UserId: userID, Channel: channel, Reason: "helps us test"})
	if err != nil || resp.GetChannel().GetChannel() != max(channel, stable) {
		t.Fatalf("giving %s: %v, %v", channel, resp, err)
	}
	return resp.GetChannel().GetSetAt()
}

// TestAPersonFollowsTheChannelThatStaffGave, to the beta and back; nobody else does.
func TestAPersonFollowsTheChannelThatStaffGave(t *testing.T) {
	r := newRig(t)
	r.github.set(nil, made(1, "1.0.0", "A-arm64.dmg", "A-x64.dmg"), made(2, "1.1.0-beta.1", "B-arm64.dmg"), made(3, "1.2.0-alpha.1", "C-arm64.dmg"))
	r.list(t)
	for id, version := range map[int64]string{1: "1.0.0", 2: "1.1.0-beta.1", 3: "1.2.0-alpha.1"} {
		r.set(t, id, version, true)
	}
	annID, ann := r.issuer.User("ann@example.com")
	_, bob := r.issuer.User("bob@example.com")
	own := func(token string, channel releasesv1.Channel, prerelease bool, files ...string) {
		t.Helper()
		resp, err := r.client.GetOwnChannel(as(t, token), &releasesv1.GetOwnChannelRequest{})
		var got []string
		for _, d := range resp.GetDownloads() {
			got = append(got, d.GetFilename())
		}
		if err != nil || resp.GetChannel() != channel || resp.GetIsPrerelease() != prerelease || !slices.Equal(got, files) {
			t.Errorf("%v, %v; want %s, %t, %q", resp, err, channel, prerelease, files)
		}
	}
	own(ann, stable, false, "A-arm64.dmg", "A-x64.dmg")
	if r.give(t, annID, beta) == nil {
		t.Error("a channel was given at no time")
	}
	own(ann, beta, true, "B-arm64.dmg")
	own(bob, stable, false, "A-arm64.dmg", "A-x64.dmg")
	r.give(t, annID, alpha)
	own(ann, alpha, true, "C-arm64.dmg")
	if resp, err := r.client.GetUserChannel(r.admin, &releasesv1.GetUserChannelRequest{UserId: annID}); err != nil || resp.GetChannel().GetChannel() != alpha || resp.GetChannel().GetSetAt() == nil {
		t.Errorf("staff see %v, %v", resp, err)
	}
	r.give(t, annID, alpha) // changes nothing
	if r.give(t, annID, stable) == nil {
		t.Error("stable was given at no time")
	}
	own(ann, stable, false, "A-arm64.dmg", "A-x64.dmg")
	r.give(t, annID, 0)
	r.give(t, annID, 0) // changes nothing
	var records []string
	for _, a := range audittest.Actions(t, r.pool) {
		if a.GetAction() == "account.channel_changed" {
			records = append(records, a.GetBefore()+a.GetAfter()+a.GetReason())
			if a.GetSubject() != annID {
				t.Errorf("a record about %q", a.GetSubject())
			}
		}
	}
	if want := []string{
		`{"channel":"none"}{"channel":"beta"}helps us test`, `{"channel":"beta"}{"channel":"alpha"}helps us test`, `{"channel":"alpha"}{"channel":"stable"}helps us test`,
		`{"channel":"stable"}{"channel":"none"}helps us test`,
	}; !slices.Equal(records, want) {
		t.Errorf("the audit log is told %q", records)
	}
}

// TestAPersonFollowsTheChannelOfTheirGroup unless staff have given them another, stable included.
func TestAPersonFollowsTheChannelOfTheirGroup(t *testing.T) {
	r := newRig(t)
	annID, ann := r.issuer.User("ann@example.com")
	is := func(group, want releasesv1.Channel) {
		t.Helper()
		resp, err := r.client.GetOwnChannel(as(t, ann), &releasesv1.GetOwnChannelRequest{GroupChannel: group})
		if err != nil || resp.GetChannel() != want {
			t.Errorf("in a group on %s: %v, %v, want %s", group, resp, err, want)
		}
	}
	is(0, stable)
	is(stable, stable)
	is(beta, beta)
	is(alpha, alpha)
	r.give(t, annID, alpha)
	is(beta, alpha)
	r.give(t, annID, stable)
	is(beta, stable)
	for range 2 {
		if at := r.give(t, annID, 0); at != nil {
			t.Errorf("none was given at %s", at.AsTime())
		}
		is(beta, beta)
	}
	r.give(t, annID, stable)
	if _, err := r.client.GetOwnChannel(as(t, ann), &releasesv1.GetOwnChannelRequest{GroupChannel: 9}); !errors.Is(err, fault.Invalid) {
		t.Errorf("a channel that is none: %v", err)
	}
	r.issuer.Disable(annID)
	if at := r.give(t, annID, stable); at != nil {
		t.Errorf("of an account that is not in use, stable was given at %s", at.AsTime())
	}
	if n := r.query("SELECT count(*) FROM user_channels"); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

func TestWhatChannelCannotBeGiven(t *testing.T) {
	r := newRig(t)
	gone, _ := r.issuer.User("gone@example.com")
	r.give(t, gone, beta)
	r.issuer.Disable(gone)
	for reason, req := range map[string]*releasesv1.SetUserChannelRequest{
		"invalid_user_id":    {UserId: "ann", Channel: beta, Reason: "why"},
		"invalid_channel":    {UserId: gone, Channel: 9, Reason: "why"},
		"invalid_reason":     {UserId: gone, Channel: beta},
		"account_not_in_use": {UserId: gone, Channel: alpha, Reason: "why"},
	} {
		if _, err := r.server.SetUserChannel(audittest.As(t.Context()), req); fault.Of(err) == nil || fault.Of(err).Reason != reason {
			t.Errorf("%v: %v, want %s", req, err, reason)
		}
	}
	r.give(t, gone, 0)
	r.give(t, gone, stable)
}

func TestAPersonTakesTheirChannelAlong(t *testing.T) {
	r := newRig(t)
	annID, _ := r.issuer.User("ann@example.com")
	r.give(t, annID, beta)
	for id, rows := range map[string]int{annID: 1, uuid.NewString(): 0} {
		resp, err := r.gateway.ExportAccount(t.Context(), &releasesv1.ExportAccountRequest{Account: &exportv1.Account{Id: id}})
		if err != nil || len(resp.GetParts()) != 1 || resp.GetParts()[0].GetFile() != "update-channel" || len(resp.GetParts()[0].GetRows()) != rows {
			t.Errorf("%v, %v", resp, err)
		}
	}
}
