package releases

import (
	"os"
	"path/filepath"
	"testing"

	"fledge.dev/deploy/mac"
)

// TestTheReferenceClientUpdates finds the build for its Mac, and keeps it once its bytes are those of the feed.
func TestTheReferenceClientUpdates(t *testing.T) {
	r := start(t)
	site, err := mac.ParseSite(r.serve())
	if err != nil {
		t.Fatal(err)
	}
	store, err := mac.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	client := mac.New(mac.Options{Site: site, Store: store})
	look := func(version, arch string) *mac.Update {
		t.Helper()
		u, err := client.CheckForUpdate(t.Context(), mac.App{Version: version, Arch: arch})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	if u := look("1.0.0", "arm64"); u != nil {
		t.Errorf("before anything is offered: %+v", u)
	}
	r.offer("1.1.0")
	for arch, want := range archives("1.1.0") {
		u := look("1.0.0", arch)
		if u == nil {
			t.Fatalf("nothing for %s", arch)
		}
		path := filepath.Join(t.TempDir(), "update.zip")
		if err := client.Download(t.Context(), *u, path); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil || u.Version != "1.1.0" || u.Required || sha(content) != want {
			t.Errorf("%s got %+v, %v", arch, u, err)
		}
	}
	if u := look("1.1.0", "arm64"); u != nil {
		t.Errorf("once it is installed: %+v", u)
	}
}
