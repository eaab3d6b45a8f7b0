package releases

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/standins/github"
	"fledge.dev/services/platform/errtest"
)

const block = 32 << 10 // bytes

// blockMap is what electron-builder uploads beside an archive: the checksums of its blocks.
func blockMap(t *testing.T, archive []byte) []byte {
	t.Helper()
	file := struct {
		Name      string   `json:"name"`
		Offset    int      `json:"offset"`
		Checksums []string `json:"checksums"`
		Sizes     []int    `json:"sizes"`
	}{Name: "file"}
	for from := 0; from < len(archive); from += block {
		part := archive[from:min(from+block, len(archive))]
		sum := sha256.Sum256(part)
		file.Checksums = append(file.Checksums, base64.StdEncoding.EncodeToString(sum[:18]))
		file.Sizes = append(file.Sizes, len(part))
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	errtest.None(t, json.NewEncoder(w).Encode(map[string]any{"version": "2", "files": []any{file}}))
	errtest.None(t, w.Close())
	return out.Bytes()
}

// large is a build whose archives have 4 MiB, all but the given part of them the same in every
// version, and block maps.
func large(t *testing.T, version string, own []byte) []github.Asset {
	t.Helper()
	content := make([]byte, 4<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(content) // never fails
	copy(content[40*block:], own)
	assets := github.Build(version)
	for _, i := range []int{2, 3} {
		assets[i].Content = append(bytes.Clone(content), assets[i].Name[:len("Fledge")]...)
		assets = append(assets, github.Asset{Name: assets[i].Name + ".blockmap", Content: blockMap(t, assets[i].Content)})
	}
	return assets
}

// TestTheNextUpdateIsWhatHasChanged: an app that has updated before loads the blocks that it
// lacks, each by a request for one range, which is all that GitHub's storage serves.
func TestTheNextUpdateIsWhatHasChanged(t *testing.T) {
	r := start(t)
	feed, home := r.serve()+"/api/updates", t.TempDir()
	const whole = 4 << 20
	for _, step := range []struct {
		from, to    string
		own         []byte
		least, most int
	}{
		{"1.0.0", "2.0.0", bytes.Repeat([]byte("a"), block), whole, whole + whole/8},
		{"2.0.0", "2.1.0", bytes.Repeat([]byte("b"), 2*block), 2 * block, 6 * block},
	} {
		assets := large(t, step.to, step.own)
		r.github.Put(github.Release{Tag: "v" + step.to, Published: time.Now(), Assets: assets})
		r.offer(step.to)
		o := r.look(app{Feed: feed, Arch: "arm64", Version: step.from, Home: home, Install: true})[0]
		if o.Error != "" || o.Installed != sha(assets[2].Content) {
			t.Errorf("to %s: %s\n%s", step.to, o, strings.Join(o.Log, "\n"))
		}
		if o.Received < step.least || o.Received > step.most {
			t.Errorf("to %s: %d bytes for %d\n%s", step.to, o.Received, whole, strings.Join(o.Log, "\n"))
		}
		t.Logf("%s to %s: %d bytes over the wire", step.from, step.to, o.Received)
	}
	list, err := r.list()
	if err != nil || list["2.0.0"].GetSiteDownloadCount() != 1 || list["2.1.0"].GetSiteDownloadCount() != 0 {
		t.Errorf("a part of a file counts as a download: %v, %v", list, err)
	}
}
