package checksum

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"fledge.dev/services/releases/internal/release"
)

// maxArchive bounds what is downloaded, in bytes; GitHub's own limit.
const maxArchive = 2 << 30

// Fetcher downloads an asset from GitHub, and from nowhere else.
type Fetcher interface {
	Open(ctx context.Context, asset release.Asset) (io.ReadCloser, error)
}

// hash works the checksum out from the bytes, which must be those that GitHub has
// described: the size, and its own checksum where there is one.
func (f *Finder) hash(ctx context.Context, a release.Asset) (string, error) {
	if a.Size > maxArchive {
		return "", fmt.Errorf("%s: %d bytes are too many", a.Name, a.Size)
	}
	body, err := f.fetch.Open(ctx, a)
	if err != nil {
		return "", fmt.Errorf("%s: %w", a.Name, err)
	}
	defer func() { _ = body.Close() }() // everything of use was read
	ours, gitHubs := sha512.New(), sha256.New()
	n, err := io.Copy(io.MultiWriter(ours, gitHubs), io.LimitReader(body, a.Size+1))
	if err != nil {
		return "", fmt.Errorf("%s: %w", a.Name, err)
	}
	if n != a.Size {
		return "", fmt.Errorf("%s: the download does not have the %d bytes that GitHub lists", a.Name, a.Size)
	}
	if want, ok := strings.CutPrefix(a.Digest, "sha256:"); ok && !strings.EqualFold(want, hex.EncodeToString(gitHubs.Sum(nil))) {
		return "", fmt.Errorf("%s: the download does not have the checksum that GitHub lists", a.Name)
	}
	return base64.StdEncoding.EncodeToString(ours.Sum(nil)), nil
}
