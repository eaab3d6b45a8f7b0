package github

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	gogithub "github.com/google/go-github/v84/github"

	"fledge.dev/services/releases/internal/release"
)

// maxAssets bounds one release; a Mac build has about eight files.
const maxAssets = 100

const stateUploaded = "uploaded"

// decode keeps what can be offered: published releases with a semantic version,
// each version once, and those of their assets that are completely uploaded and
// whose URL is on a host we may send people to.
func decode(found []*gogithub.RepositoryRelease, hosts Hosts) (releases []release.Release, skipped []string) {
	skip := func(format string, args ...any) { skipped = append(skipped, fmt.Sprintf(format, args...)) }
	// Where two tags name one version, such as v1.0.0 and 1.0.0, the later
	// publication counts.
	slices.SortStableFunc(found, func(a, b *gogithub.RepositoryRelease) int {
		return b.GetPublishedAt().Compare(a.GetPublishedAt().Time)
	})
	taken := map[release.Version]bool{}
	for _, r := range found {
		version, ok := release.ParseTag(r.GetTagName())
		switch {
		case r.GetDraft():
			continue // expected, nothing to tell
		case !ok:
			skip("release %d: tag %.80q is not a semantic version that apps can read", r.GetID(), r.GetTagName())
			continue
		case taken[version]:
			skip("release %d: version %s exists twice", r.GetID(), version)
			continue
		case r.GetID() <= 0:
			skip("release %s has no id", version)
			continue
		}
		taken[version] = true
		releases = append(releases, release.Release{
			GitHubID:    r.GetID(),
			Version:     version,
			Name:        release.Title(cmp.Or(r.GetName(), r.GetTagName()), version),
			Notes:       release.Notes(r.GetBody()),
			Prerelease:  r.GetPrerelease() || version.IsPrerelease(),
			PublishedAt: published(r),
			CreatedAt:   r.GetCreatedAt().UTC(),
			Assets:      decodeAssets(r, hosts, skip),
		})
	}
	return releases, skipped
}

func decodeAssets(r *gogithub.RepositoryRelease, hosts Hosts, skip func(string, ...any)) []release.Asset {
	var assets []release.Asset
	for _, a := range r.Assets {
		switch {
		case len(assets) == maxAssets:
			skip("release %d: more than %d assets", r.GetID(), maxAssets)
			return assets
		case a.GetState() != stateUploaded:
			skip("asset %d: state %.20q", a.GetID(), a.GetState())
			continue
		case a.GetID() <= 0:
			skip("release %d: asset %.80q has no id", r.GetID(), a.GetName())
			continue
		case a.GetSize() <= 0:
			skip("asset %d: empty", a.GetID())
			continue
		case !hosts.Allow(a.GetBrowserDownloadURL()):
			skip("asset %d: URL %.200q is not on an allowed host", a.GetID(), a.GetBrowserDownloadURL())
			continue
		}
		assets = append(assets, release.Asset{
			GitHubID:      a.GetID(),
			Name:          release.Filename(a.GetName(), a.GetID()),
			Size:          int64(a.GetSize()),
			URL:           a.GetBrowserDownloadURL(),
			Digest:        a.GetDigest(),
			DownloadCount: int64(max(0, a.GetDownloadCount())),
		})
	}
	slices.SortFunc(assets, func(a, b release.Asset) int { return cmp.Compare(a.GitHubID, b.GitHubID) })
	release.UniqueNames(assets)
	return assets
}

func published(r *gogithub.RepositoryRelease) time.Time {
	if r.PublishedAt != nil {
		return r.PublishedAt.UTC()
	}
	return r.GetCreatedAt().UTC()
}
