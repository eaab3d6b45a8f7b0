package api_test

import (
	"context"
	"errors"
	"testing"
	"time"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// TestAPreviewLink downloads the disk images of a release that is not offered, until it ends.
func TestAPreviewLink(t *testing.T) {
	r := newRig(t)
	r.github.set(nil, made(1, "1.0.0-beta.1", "Fledge-arm64.dmg", "Fledge-x64.DMG", "Fledge.zip"), made(2, "2.0.0", "Fledge.zip"))
	r.list(t)
	create := func() *releasesv1.CreatePreviewLinkResponse {
		t.Helper()
		resp, err := r.client.CreatePreviewLink(r.admin, &releasesv1.CreatePreviewLinkRequest{ReleaseId: 1, Version: "1.0.0-beta.1", Days: 30})
		if err != nil || len(resp.GetToken()) < 26 {
			t.Fatalf("%v, %v", resp, err)
		}
		return resp
	}
	get := func(token, filename string) (string, error) {
		resp, err := r.client.ResolvePreviewDownload(t.Context(), &releasesv1.ResolvePreviewDownloadRequest{Token: token, Filename: filename})
		return resp.GetUrl(), err
	}
	works := func(token string, want bool) {
		t.Helper()
		url, err := get(token, "Fledge-arm64.dmg")
		if want != (err == nil && url == host+"Fledge-arm64.dmg") || !want && !errors.Is(err, fault.NotFound) {
			t.Errorf("it works: want %t, got %q, %v", want, url, err)
		}
	}
	first, second := create(), create()
	if names := first.GetFilenames(); len(names) != 2 || names[0] != "Fledge-arm64.dmg" || names[1] != "Fledge-x64.DMG" {
		t.Errorf("the files are %q", names)
	}
	if lasts := first.GetLink().GetEndsAt().AsTime().Sub(first.GetLink().GetCreatedAt().AsTime()); lasts != 30*24*time.Hour {
		t.Errorf("it works for %v", lasts)
	}
	works(first.GetToken(), true)
	for _, token := range []string{"", "A", second.GetToken() + "A", first.GetToken()[1:]} {
		works(token, false)
	}
	for _, other := range []string{"Fledge.zip", "x.dmg", ""} {
		if url, err := get(first.GetToken(), other); !errors.Is(err, fault.NotFound) {
			t.Errorf("%q: %q, %v", other, url, err)
		}
	}
	r.settle()
	if n := r.query(`SELECT count(*) FROM downloads`); n != 0 {
		t.Errorf("%d of them are counted as downloads", n)
	}

	r.exec(t, `UPDATE preview_links SET created_at = now() - interval '2 days', ends_at = now() WHERE id = (SELECT min(id) FROM preview_links)`)
	works(first.GetToken(), false)
	works(second.GetToken(), true)
	listed, err := r.client.ListPreviewLinks(r.admin, &releasesv1.ListPreviewLinksRequest{Version: "1.0.0-beta.1"})
	if err != nil || len(listed.GetLinks()) != 1 || listed.GetLinks()[0].GetId() != second.GetLink().GetId() {
		t.Errorf("in use: %v, %v", listed, err)
	}

	revoke := &releasesv1.RevokePreviewLinkRequest{LinkId: second.GetLink().GetId()}
	if _, err := r.client.RevokePreviewLink(r.admin, revoke); err != nil {
		t.Fatal(err)
	}
	works(second.GetToken(), false)
	for _, id := range []int64{second.GetLink().GetId(), first.GetLink().GetId(), 1 << 40} {
		if _, err := r.client.RevokePreviewLink(r.admin, &releasesv1.RevokePreviewLinkRequest{LinkId: id}); !errors.Is(err, fault.NotFound) {
			t.Errorf("link %d has ended: %v", id, err)
		}
	}
	create()
	if n := r.query(`SELECT count(*) FROM preview_links`); n != 1 {
		t.Errorf("%d links are kept: those that ended go with the next", n)
	}
}

func TestPreviewLinksThatCannotBe(t *testing.T) {
	r := newRig(t)
	r.github.set(nil, made(1, "1.0.0", "Fledge.dmg"), made(2, "2.0.0", "Fledge.zip"))
	r.list(t)
	create := func(ctx context.Context, id int64, version string, days int32) error {
		_, err := r.client.CreatePreviewLink(ctx, &releasesv1.CreatePreviewLinkRequest{ReleaseId: id, Version: version, Days: days})
		return err
	}
	for _, tc := range []struct {
		name    string
		id      int64
		version string
		days    int32
		want    fault.Kind
	}{
		{"no days", 1, "1.0.0", 0, fault.Invalid},
		{"31 days", 1, "1.0.0", 31, fault.Invalid},
		{"no release", 0, "1.0.0", 7, fault.Invalid},
		{"no version", 1, "latest", 7, fault.Invalid},
		{"another release", 3, "1.0.0", 7, fault.NotFound},
		{"another version", 1, "1.0.1", 7, fault.Conflict},
		{"no disk image", 2, "2.0.0", 7, fault.Conflict},
	} {
		if err := create(r.admin, tc.id, tc.version, tc.days); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	for range 20 {
		errtest.None(t, create(r.admin, 1, "1.0.0", 1))
	}
	if err := create(r.admin, 1, "1.0.0", 1); !errors.Is(err, fault.Conflict) {
		t.Errorf("the 21st: %v", err)
	}
	if _, err := r.client.ListPreviewLinks(r.admin, &releasesv1.ListPreviewLinksRequest{Version: "latest"}); !errors.Is(err, fault.Invalid) {
		t.Errorf("links to no version: %v", err)
	}
}
