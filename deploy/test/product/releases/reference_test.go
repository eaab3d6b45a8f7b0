package releases

import (
	"os"
	"path/filepath"
	"testing"

	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

// TestTheReferenceClientUpdates finds the build for its Mac, and keeps it once its bytes are those of the feed.
func TestTheReferenceClientUpdates(t *testing.T) {
	r := start(t)
	site, err := mac.ParseSite(r.serve())
	errtest.None(t, err)
	store, err := mac.OpenStore(t.TempDir())
	errtest.None(t, err)
	client := mac.New(mac.Options{Site: site, Store: store})
	look := func(version, arch string) *mac.Update {
		t.Helper()
		u, err := client.CheckForUpdate(t.Context(), mac.App{Version: version, Arch: arch})
		errtest.None(t, err)
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
		errtest.None(t, client.Download(t.Context(), *u, path))
		content, err := os.ReadFile(path)
		if err != nil || u.Version != "1.1.0" || u.Required || sha(content) != want {
			t.Errorf("%s got %+v, %v", arch, u, err)
		}
	}
	if u := look("1.1.0", "arm64"); u != nil {
		t.Errorf("once it is installed: %+v", u)
	}
}
