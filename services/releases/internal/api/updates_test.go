package api_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/release"
)

// offer makes the releases available, with the checksums of their archives known.
func (r *rig) offer(t *testing.T, releases ...release.Release) {
	t.Helper()
	r.github.set(nil, releases...)
	r.list(t)
	for _, rel := range releases {
		r.set(t, rel.GitHubID, string(rel.Version), true)
	}
	r.exec(t, `UPDATE release_assets SET sha512 = repeat('A', 86) || '==' WHERE name LIKE '%.zip'`)
	r.clock.Advance(2 * time.Second) // beyond what the catalog keeps
}

func zipped(id int64, v release.Version) release.Release {
	name := "F-" + string(v)
	return made(id, v, name+"-arm64-mac.zip", name+"-x64-mac.zip", name+"-arm64.dmg", name+"-x64.dmg")
}

func (r *rig) rollout(t *testing.T, id int64, version string, percentage int32) {
	t.Helper()
	resp, err := r.client.SetRollout(r.admin, &releasesv1.SetRolloutRequest{ReleaseId: id, Version: version, Percentage: percentage})
	if err != nil || resp.GetRelease().GetRolloutPercentage() != percentage {
		t.Fatalf("%s to %d %%: %v, %v", version, percentage, resp, err)
	}
}

func (r *rig) update(t *testing.T, req *releasesv1.GetUpdateRequest) string {
	t.Helper()
	resp, err := r.client.GetUpdate(t.Context(), req)
	errtest.None(t, err)
	out := resp.GetUpdate().GetVersion()
	for _, f := range resp.GetUpdate().GetFiles() {
		out += " " + f.GetFilename()
	}
	return out
}

const (
	firstQuarter = "6ba7b810-9dad-51d1-80b4-00c03fffffff"
	theRest      = "6ba7b810-9dad-51d1-80b4-00c040000000"
)

func TestAnUpdateIsWhatTheAppMayHave(t *testing.T) {
	r := newRig(t)
	if got := r.update(t, &releasesv1.GetUpdateRequest{StagingId: firstQuarter}); got != "" {
		t.Errorf("nothing is on offer, and yet %s", got)
	}
	two := zipped(2, "2.0.0")
	two.Notes = "New."
	r.offer(t, zipped(1, "1.0.0"), two)
	r.rollout(t, 2, "2.0.0", 25)

	resp, err := r.client.GetUpdate(t.Context(), &releasesv1.GetUpdateRequest{StagingId: firstQuarter})
	sum := strings.Repeat("A", 86) + "=="
	want := &releasesv1.Update{
		Version: "2.0.0", Name: "Fledge 2.0.0", Notes: "New.", PublishedAt: timestamppb.New(noon.Add(-time.Hour)),
		Files: []*releasesv1.UpdateFile{{Filename: "F-2.0.0-arm64-mac.zip", Size: 4711, Sha512: sum}, {Filename: "F-2.0.0-x64-mac.zip", Size: 4711, Sha512: sum}},
	}
	if err != nil || !proto.Equal(resp.GetUpdate(), want) {
		t.Errorf("got %v, %v, want %v", resp, err, want)
	}
	const previous = "1.0.0 F-1.0.0-arm64-mac.zip F-1.0.0-x64-mac.zip"
	for _, id := range []string{theRest, "", "nonsense"} {
		if got := r.update(t, &releasesv1.GetUpdateRequest{StagingId: id}); got != previous {
			t.Errorf("%q is offered %s", id, got)
		}
	}
	x64 := &releasesv1.GetUpdateRequest{Arch: releasesv1.Arch_ARCH_X64, InstalledVersion: "0.9.0"}
	if got := r.update(t, x64); got != "1.0.0 F-1.0.0-x64-mac.zip" {
		t.Errorf("Squirrel is offered %s", got)
	}

	r.rollout(t, 2, "2.0.0", 0)
	if got := r.update(t, &releasesv1.GetUpdateRequest{StagingId: firstQuarter}); got != previous {
		t.Errorf("at 0 %% %s is offered", got)
	}
	if got := r.offers(t); !strings.Contains(got, "@1.0.0") {
		t.Errorf("at 0 %% the buttons offer %s", got)
	}
	// Who has the link, such as staff who try the build, may use it.
	if _, err := r.client.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: "2.0.0", Filename: "F-2.0.0-arm64.dmg"}); err != nil {
		t.Errorf("the link: %v", err)
	}
	r.rollout(t, 2, "2.0.0", 1)
	if got := r.offers(t); !strings.Contains(got, "@2.0.0") {
		t.Errorf("at 1 %% the buttons offer %s", got)
	}
	r.set(t, 2, "2.0.0", false)
	r.set(t, 1, "1.0.0", false)
	if got := r.update(t, &releasesv1.GetUpdateRequest{StagingId: firstQuarter}); got != "" {
		t.Errorf("all are disabled, and yet %s", got)
	}

	_, err = r.client.GetUpdate(t.Context(), &releasesv1.GetUpdateRequest{InstalledVersion: "latest"})
	if !errors.Is(err, fault.Invalid) {
		t.Errorf("a version that is none: %v", err)
	}
}

// TestAnAppThatSaysItsVersionIsToldWhatItMissed up to what it is offered, and of its channel alone.
func TestAnAppThatSaysItsVersionIsToldWhatItMissed(t *testing.T) {
	r := newRig(t)
	all := []release.Release{zipped(1, "1.0.0"), zipped(2, "1.1.0-beta.1"), zipped(3, "1.1.0"), zipped(4, "1.2.0"), zipped(5, "1.3.0"), zipped(6, "2.0.0")}
	for i := range all {
		all[i].Notes, all[i].Prerelease = "Of "+string(all[i].Version), all[i].Version.IsPrerelease()
	}
	all[3].Notes = ""
	r.offer(t, all...)
	r.rollout(t, 6, "2.0.0", 25)
	for _, tc := range []struct {
		installed string
		channel   releasesv1.Channel
		want      []string
	}{
		{"0.9.0", stable, []string{"1.3.0", "1.1.0", "1.0.0"}},
		{"1.0.0", beta, []string{"1.3.0", "1.1.0", "1.1.0-beta.1"}},
		{"v1.1.0", stable, []string{"1.3.0"}},
		{"1.2.0+build.7", stable, []string{"1.3.0"}},
		{"1.3.0", stable, nil},
		{"", stable, nil},
	} {
		resp, err := r.client.GetUpdate(t.Context(), &releasesv1.GetUpdateRequest{InstalledVersion: tc.installed, Channel: tc.channel, Arch: releasesv1.Arch_ARCH_ARM64})
		var got []string
		for _, n := range resp.GetNotes() {
			got = append(got, n.GetVersion())
			if n.GetNotes() != "Of "+n.GetVersion() {
				t.Errorf("%v", n)
			}
		}
		if err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("from %q on %s: %q, want %q, %v", tc.installed, tc.channel, got, tc.want, err)
		}
	}
}

func TestAllUpdatesWithWhomTheyReach(t *testing.T) {
	r := newRig(t)
	r.offer(t, zipped(1, "1.0.0"), zipped(2, "2.0.0"), zipped(3, "3.0.0"), zipped(4, "4.0.0"), zipped(5, "5.0.0"))
	r.rollout(t, 5, "5.0.0", 0)
	r.rollout(t, 4, "4.0.0", 25)
	r.rollout(t, 3, "3.0.0", 10) // reaches nobody whom 4.0.0 does not
	all := func() (steps []string) {
		resp, err := r.client.ListUpdates(t.Context(), &releasesv1.ListUpdatesRequest{})
		errtest.None(t, err)
		for _, u := range resp.GetUpdates() {
			if len(u.GetUpdate().GetFiles()) != 2 || u.GetUpdate().GetName() == "" {
				t.Errorf("%v", u)
			}
			steps = append(steps, fmt.Sprintf("%s %d", u.GetUpdate().GetVersion(), u.GetReach()))
		}
		return steps
	}
	if got, want := all(), []string{"4.0.0 1073741824", "2.0.0 4294967296"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r.exec(t, `UPDATE releases SET notes = 'About ' || version WHERE version <> '3.0.0'`)
	r.clock.Advance(time.Second)
	resp, err := r.client.ListUpdates(t.Context(), &releasesv1.ListUpdatesRequest{})
	if n := resp.GetNotes(); err != nil || len(n) != 3 || n[0].GetNotes() != "About 4.0.0" || n[1].GetVersion() != "2.0.0" || n[2].GetVersion() != "1.0.0" {
		t.Errorf("notes %v, %v", n, err)
	}
	r.set(t, 2, "2.0.0", false)
	if got, want := all(), []string{"4.0.0 1073741824", "1.0.0 4294967296"}; !slices.Equal(got, want) {
		t.Errorf("without 2.0.0 %q, want %q", got, want)
	}
}

func TestStaffAskWhyAnAppIsOfferedARelease(t *testing.T) {
	r := newRig(t)
	r.offer(t, zipped(1, "1.0.0"), zipped(2, "2.0.0"))
	r.rollout(t, 2, "2.0.0", 25)
	for id, want := range map[string]string{firstQuarter: "2.0.0", theRest: "1.0.0"} {
		got, err := r.client.ExplainUpdate(r.admin, &releasesv1.ExplainUpdateRequest{StagingId: id, InstalledVersion: "0.9.0"})
		if offered := r.update(t, &releasesv1.GetUpdateRequest{StagingId: id}); err != nil || got.GetVersion() != want || !strings.HasPrefix(offered, want+" ") {
			t.Errorf("%s: %v, %v, and it is offered %s", id, got, err, offered)
		}
	}
	for name, req := range map[string]*releasesv1.ExplainUpdateRequest{"version": {InstalledVersion: "latest"}, "channel": {Channel: 7}, "arch": {Arch: 7}} {
		if _, err := r.client.ExplainUpdate(r.admin, req); !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOlderAppsAreToldThatTheyHaveToUpdate(t *testing.T) {
	r := newRig(t)
	r.offer(t, zipped(1, "1.0.0"), zipped(2, "2.0.0"))
	require := func(id int64, version string, required bool) error {
		resp, err := r.client.SetRequired(r.admin, &releasesv1.SetRequiredRequest{ReleaseId: id, Version: version, IsRequired: required})
		if err == nil && resp.GetRelease().GetIsRequired() != required {
			t.Errorf("%s is answered with %v", version, resp)
		}
		return err
	}
	expect := func(when, minimum string) {
		t.Helper()
		one, err := r.client.GetUpdate(t.Context(), &releasesv1.GetUpdateRequest{Arch: releasesv1.Arch_ARCH_ARM64, InstalledVersion: "0.9.0"})
		all, errAll := r.client.ListUpdates(t.Context(), &releasesv1.ListUpdatesRequest{})
		if err := errors.Join(err, errAll); err != nil || one.GetUpdate().GetMinimumVersion() != minimum {
			t.Errorf("%s: %v, %v, want %s", when, one, err, minimum)
		}
		for _, u := range all.GetUpdates() {
			if u.GetUpdate().GetMinimumVersion() != minimum {
				t.Errorf("%s: %v, want %s", when, u, minimum)
			}
		}
	}
	expect("none is required", "")
	for range 2 {
		errtest.None(t, require(1, "1.0.0", true))
	}
	expect("the previous is", "1.0.0")
	r.rollout(t, 2, "2.0.0", 99)
	if err := require(2, "2.0.0", true); !errors.Is(err, fault.Conflict) {
		t.Errorf("not all are offered it: %v", err)
	}
	r.rollout(t, 2, "2.0.0", 100)
	errtest.None(t, require(2, "2.0.0", true))
	expect("the newest is", "2.0.0")
	r.rollout(t, 2, "2.0.0", 50)
	expect("half of them are offered it", "1.0.0")
	r.rollout(t, 2, "2.0.0", 100)
	r.set(t, 2, "2.0.0", false)
	r.set(t, 2, "2.0.0", true)
	expect("it was withdrawn for a while", "1.0.0")
	errtest.None(t, require(1, "1.0.0", false))
	expect("none is any more", "")
	for name, err := range map[error]error{fault.Invalid: require(0, "1.0.0", true), fault.NotFound: require(9, "1.0.0", true)} {
		if !errors.Is(err, name) {
			t.Errorf("%v, want %v", err, name)
		}
	}
}

func TestUpdatesGoOnWithoutTheDatabase(t *testing.T) {
	r := newRig(t)
	r.offer(t, zipped(1, "1.0.0"))
	want := r.update(t, &releasesv1.GetUpdateRequest{})
	r.killDatabase()
	r.clock.Advance(time.Hour)
	if got := r.update(t, &releasesv1.GetUpdateRequest{}); got != want || got == "" {
		t.Errorf("offers %q, want %q", got, want)
	}
}

func TestBadRolloutsAreRefused(t *testing.T) {
	r := newRig(t)
	r.github.set(nil, made(1, "1.0.0"), made(2, "2.0.0"))
	r.list(t)
	for name, tc := range map[string]struct {
		id         int64
		version    string
		percentage int32
		want       fault.Kind
	}{
		"no id":           {0, "1.0.0", 50, fault.Invalid},
		"no version":      {1, "", 50, fault.Invalid},
		"SQL":             {1, "1.0.0' OR 1=1--", 50, fault.Invalid},
		"below":           {1, "1.0.0", -1, fault.Invalid},
		"above":           {1, "1.0.0", 101, fault.Invalid},
		"far above":       {1, "1.0.0", 1 << 30, fault.Invalid},
		"unknown id":      {1 << 62, "1.0.0", 50, fault.NotFound},
		"another version": {2, "1.0.0", 50, fault.Conflict},
	} {
		_, err := r.client.SetRollout(r.admin, &releasesv1.SetRolloutRequest{ReleaseId: tc.id, Version: tc.version, Percentage: tc.percentage})
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %s", name, err, tc.want)
		}
	}
	if n := r.query(`SELECT count(*) FROM releases WHERE rollout_percentage <> 100`); n != 0 {
		t.Error("a refused rollout had an effect")
	}
}

func TestTheNewestDiskImageHasALinkThatStays(t *testing.T) {
	r := newRig(t)
	resolve := func(arch releasesv1.Arch, look bool) (string, error) {
		resp, err := r.client.ResolveLatestDownload(t.Context(), &releasesv1.ResolveLatestDownloadRequest{Arch: arch, LookOnly: look})
		return resp.GetUrl(), err
	}
	if _, err := resolve(releasesv1.Arch_ARCH_ARM64, false); !errors.Is(err, fault.NotFound) {
		t.Errorf("nothing is on offer: %v", err)
	}
	r.offer(t, made(1, "1.0.0", "F-1.0.0-arm64.dmg", "F-1.0.0-x64.dmg"), made(2, "2.0.0", "F-2.0.0-arm64.dmg"))
	for _, look := range []bool{true, false} {
		if got, err := resolve(releasesv1.Arch_ARCH_ARM64, look); err != nil || got != host+"F-2.0.0-arm64.dmg" {
			t.Errorf("arm64: %s, %v", got, err)
		}
	}
	for _, arch := range []releasesv1.Arch{releasesv1.Arch_ARCH_X64, releasesv1.Arch_ARCH_UNSPECIFIED, 7} {
		if got, err := resolve(arch, false); !errors.Is(err, fault.NotFound) {
			t.Errorf("%s: %s, %v", arch, got, err)
		}
	}
	r.settle()
	if n := r.query(`SELECT sum(count) FROM downloads`); n != 1 {
		t.Errorf("counted %d", n)
	}
}

func TestDownloadStats(t *testing.T) {
	r := newRig(t)
	r.offer(t, zipped(1, "1.0.0"))
	for _, file := range []string{"F-1.0.0-arm64.dmg", "F-1.0.0-arm64-mac.zip", "F-1.0.0-x64.dmg"} {
		if _, err := r.client.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: "1.0.0", Filename: file}); err != nil {
			t.Fatal(err)
		}
	}
	versions := []*releasesv1.VersionDownloads{{Version: "1.0.0", Total: 3, Arm64: 2, X64: 1}}
	got, err := r.client.GetDownloadStats(r.admin, &releasesv1.GetDownloadStatsRequest{Days: 2})
	want := &releasesv1.GetDownloadStatsResponse{Days: []*releasesv1.DayDownloads{{Day: "2026-11-19"}, {Day: "2026-11-20", Total: 3}}, Versions: versions}
	if err != nil || !proto.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	stats, err := r.client.GetStats(r.admin, &releasesv1.GetStatsRequest{})
	if err != nil || stats.GetTotal() != 3 || len(stats.GetDays()) != 30 || len(stats.GetVersions()) != 1 || stats.GetDays()[29].GetTotal() != 3 {
		t.Errorf("got %v, %v", stats, err)
	}
	if list := r.list(t); list.GetReleases()[0].GetSiteDownloadCount() != 3 {
		t.Errorf("the list shows %v", list)
	}
	for days, length := range map[int32]int{0: 30, 1: 1, 365: 365} {
		if got, err := r.client.GetDownloadStats(r.admin, &releasesv1.GetDownloadStatsRequest{Days: days}); err != nil || len(got.GetDays()) != length {
			t.Errorf("%d days: %d, %v", days, len(got.GetDays()), err)
		}
	}
	for _, days := range []int32{-1, 366, 1 << 30} {
		if _, err := r.client.GetDownloadStats(r.admin, &releasesv1.GetDownloadStatsRequest{Days: days}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%d days: %v", days, err)
		}
	}
}
