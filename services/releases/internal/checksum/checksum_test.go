package checksum_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases/internal/checksum"
	"fledge.dev/services/releases/internal/release"
)

// shelf is a Store with one release, and the Fetcher of its files.
type shelf struct {
	release release.Release
	taken   bool
	files   map[string][]byte
	endless string // the file that never ends
	fetched []string
	sums    map[string]string
	stored  int
}

func (s *shelf) ClaimChecksums(_ context.Context, retry time.Duration) (release.Release, bool, error) {
	if retry <= 10*time.Minute {
		return release.Release{}, false, errors.New("the claim ends before the work must")
	}
	ok := !s.taken
	s.taken = true
	return s.release, ok, nil
}

func (s *shelf) PutChecksums(ctx context.Context, _ release.Version, sums map[int64]string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.stored++
	for id, sum := range sums {
		s.sums[s.release.Assets[id-1].Name] = sum
	}
	return nil
}

func (s *shelf) Open(ctx context.Context, asset release.Asset) (io.ReadCloser, error) {
	url := asset.URL
	s.fetched = append(s.fetched, url)
	if url == s.endless {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	content, ok := s.files[url]
	if !ok {
		return nil, errors.New("404")
	}
	return io.NopCloser(bytes.NewReader(content)), nil
}

func sum(content string) string {
	raw := sha512.Sum512([]byte(content))
	return base64.StdEncoding.EncodeToString(raw[:])
}

// stocked has two archives, a feed that cannot be had, and a disk image.
func stocked() *shelf {
	s := &shelf{sums: map[string]string{}, files: map[string][]byte{"arm64.zip": []byte("silicon"), "x64.zip": []byte("intel")}}
	for i, name := range []string{"arm64.zip", "x64.zip", "latest-mac.yml", "arm64.dmg"} {
		raw := sha256.Sum256(s.files[name])
		s.release.Assets = append(s.release.Assets, release.Asset{
			GitHubID: int64(i + 1), Name: name, URL: name, Size: int64(max(1, len(s.files[name]))), Digest: "sha256:" + hex.EncodeToString(raw[:]),
		})
	}
	return s
}

// work finds checksums until there is nothing to do and returns how often something was
// announced.
func (s *shelf) work(t *testing.T) (changes int) {
	t.Helper()
	f, err := checksum.New(s, s, slog.New(slog.DiscardHandler), prometheus.NewRegistry(), func() { changes++ })
	errtest.None(t, err)
	for more := true; more; {
		if more, err = f.FindNext(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return changes
}

// TestTheBytesAreRead, and not what the release says of them: an archive that was signed
// again after the feed was written has the feed's size and not its checksum.
func TestTheBytesAreRead(t *testing.T) {
	s := stocked()
	s.files["latest-mac.yml"] = []byte("files:\n  - url: arm64.zip\n    sha512: " + sum("another upload") + "\n    size: 7\n")
	if changes := s.work(t); changes != 1 {
		t.Errorf("%d changes", changes)
	}
	if want := map[string]string{"arm64.zip": sum("silicon"), "x64.zip": sum("intel")}; !maps.Equal(s.sums, want) {
		t.Errorf("found %v", s.sums)
	}
	if got := strings.Join(s.fetched, " "); got != "arm64.zip x64.zip" {
		t.Errorf("fetched %s", got)
	}
}

func TestBytesThatAreNotTheUploadAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(*shelf){
		"too short": func(s *shelf) { s.files["arm64.zip"] = []byte("sil") },
		"endless":   func(s *shelf) { s.files["arm64.zip"] = bytes.Repeat([]byte("x"), 1<<20) },
		"too short for one that GitHub has no checksum of": func(s *shelf) {
			s.release.Assets[0].Digest, s.files["arm64.zip"] = "", []byte("sil")
		},
		"too long for it": func(s *shelf) {
			s.release.Assets[0].Digest, s.files["arm64.zip"] = "", []byte("silicon and more")
		},
		"other bytes":      func(s *shelf) { s.files["arm64.zip"] = []byte("SILICON") },
		"gone":             func(s *shelf) { delete(s.files, "arm64.zip") },
		"larger than any":  func(s *shelf) { s.release.Assets[0].Size = 3 << 30 },
		"known already":    func(s *shelf) { s.release.Assets[0].SHA512 = "known" },
		"without any size": func(s *shelf) { s.release.Assets[0].Size = 0 },
	} {
		s := stocked()
		spoil(s)
		s.work(t)
		if want := map[string]string{"x64.zip": sum("intel")}; !maps.Equal(s.sums, want) {
			t.Errorf("%s: found %v; the other archive must be there all the same", name, s.sums)
		}
	}
}

// TestADownloadThatNeverEndsCostsOnlyItsOwnChecksum: what the run has found before is
// kept, and the log says what is missing.
func TestADownloadThatNeverEndsCostsOnlyItsOwnChecksum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stocked()
		s.endless = "x64.zip"
		var log bytes.Buffer
		f, err := checksum.New(s, s, slog.New(slog.NewTextHandler(&log, nil)), prometheus.NewRegistry(), func() {})
		errtest.None(t, err)
		if more, err := f.FindNext(t.Context()); !more || err != nil {
			t.Errorf("%t, %v", more, err)
		}
		if want := map[string]string{"arm64.zip": sum("silicon")}; !maps.Equal(s.sums, want) {
			t.Errorf("found %v", s.sums)
		}
		if !strings.Contains(log.String(), "checksums are missing") {
			t.Errorf("logged %s", log.String())
		}
	})
}

// several is a Store with more than one release.
type several struct {
	*shelf
	left int
}

func (s *several) ClaimChecksums(ctx context.Context, retry time.Duration) (release.Release, bool, error) {
	s.taken = s.left == 0
	s.left = max(0, s.left-1)
	return s.shelf.ClaimChecksums(ctx, retry)
}

// TestARunIsForOneRelease, and the next one follows at once until there is nothing to do.
func TestARunIsForOneRelease(t *testing.T) {
	s := &several{stocked(), 2}
	f, err := checksum.New(s, s, slog.New(slog.DiscardHandler), prometheus.NewRegistry(), func() {})
	errtest.None(t, err)
	task := f.Task()
	if task.Timeout != 10*time.Minute {
		t.Errorf("a run may take %s", task.Timeout)
	}
	for run, want := range []struct{ stored, woken int }{{1, 1}, {2, 1}, {2, 0}} {
		errtest.None(t, task.Run(t.Context()))
		if s.stored != want.stored || len(task.Wake) != want.woken {
			t.Fatalf("after run %d: %d releases, woken %d times", run+1, s.stored, len(task.Wake))
		}
		if want.woken > 0 {
			<-task.Wake
		}
	}
}

func TestTheFinderWorksWhenWokenAndStops(t *testing.T) {
	s := stocked()
	s.taken = true
	woken := make(chan struct{})
	f, err := checksum.New(s, s, slog.New(slog.DiscardHandler), prometheus.NewRegistry(), func() { close(woken) })
	errtest.None(t, err)
	background, err := periodic.New(nil, service.NewRuntime("releases", "test", slog.New(slog.DiscardHandler)))
	errtest.None(t, err)
	stop, err := background.Unit(f.Task()).Start(t.Context())
	errtest.None(t, err)
	errtest.None(t, stop(t.Context()))
	s.taken = false
	f.Wake()
	f.Wake() // never waits
	if stop, err = background.Unit(f.Task()).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-woken
	errtest.None(t, stop(t.Context()))
}
