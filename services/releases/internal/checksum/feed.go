package checksum

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"path"

	"go.yaml.in/yaml/v3"

	"fledge.dev/services/releases/internal/release"
)

// maxFeed bounds a feed in bytes; one of two archives has about 500.
const maxFeed = 64 << 10

// sumLength is a SHA-512 in bytes.
const sumLength = 64

type feed struct {
	Version string `yaml:"version"`
	Files   []struct {
		URL    string `yaml:"url"`
		SHA512 string `yaml:"sha512"`
		Size   int64  `yaml:"size"`
	} `yaml:"files"`
}

// claimed are the checksums that the release's own feed names for archives it
// has, by the ids of the assets. A feed that cannot be had or read names none.
func (f *Finder) claimed(ctx context.Context, r release.Release) map[int64]string {
	sums := map[int64]string{}
	asset, ok := r.Asset(feedName)
	if !ok {
		return sums
	}
	found, err := f.readFeed(ctx, asset)
	if err != nil {
		f.log.WarnContext(ctx, "a release's own update feed cannot be used", "version", r.Version, "error", err)
		return sums
	}
	for name, file := range found {
		if a, ok := r.Asset(name); ok && a.NeedsChecksum() && a.Size == file.size {
			sums[a.GitHubID] = file.sha512
		}
	}
	return sums
}

func (f *Finder) readFeed(ctx context.Context, asset release.Asset) (map[string]claim, error) {
	body, err := f.fetch.Open(ctx, asset.URL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }() // everything of use was read
	content, err := io.ReadAll(io.LimitReader(body, maxFeed+1))
	if err != nil {
		return nil, fmt.Errorf("read feed: %w", err)
	}
	if len(content) > maxFeed {
		return nil, fmt.Errorf("feed has more than %d bytes", maxFeed)
	}
	return parseFeed(content)
}

// claim is what a feed says about a file.
type claim struct {
	sha512 string
	size   int64
}

// parseFeed reads the files of a feed by their names as release.Filename has them.
// Files whose checksum is not one are left out.
func parseFeed(content []byte) (map[string]claim, error) {
	var parsed feed
	if err := yaml.Unmarshal(content, &parsed); err != nil {
		return nil, fmt.Errorf("parse feed: %w", err)
	}
	claims := map[string]claim{}
	for _, file := range parsed.Files {
		sum, err := base64.StdEncoding.Strict().DecodeString(file.SHA512)
		u, urlErr := url.Parse(file.URL)
		if err != nil || urlErr != nil || len(sum) != sumLength {
			continue
		}
		claims[release.Filename(path.Base(u.Path), 0)] = claim{sha512: base64.StdEncoding.EncodeToString(sum), size: file.Size}
	}
	return claims, nil
}
