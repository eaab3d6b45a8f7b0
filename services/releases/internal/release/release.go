// Package release defines releases of the Mac app and which builds the site offers,
// independently of where releases come from or are stored.
package release

import (
	"cmp"
	"slices"
	"time"
)

// OldestMacOS is the major version that the app needs; feeds name its kernel, Darwin 21.
const OldestMacOS = 12

// Release is one published version of the app.
type Release struct {
	// GitHubID is GitHub's id. It changes when a release is made again under
	// the same tag; Version is what stays.
	GitHubID int64
	Version  Version
	// Name is the title, cleaned by Title; never empty.
	Name string
	// Prerelease is GitHub's mark or a pre-release part in the version.
	Prerelease bool
	// Chosen is our own decision about the channel; empty follows Prerelease and Version.
	Chosen      Channel
	PublishedAt time.Time
	// CreatedAt is what GitHub orders its list by: the date of the commit that the tag names.
	CreatedAt time.Time
	// Notes are the release notes, cleaned by Notes; may be empty.
	Notes string
	// Available is our own decision to offer the release.
	Available bool
	// ReplacedAt is when it was made unavailable because builds of it were uploaded again;
	// nil if they were not, or somebody has made it available since.
	ReplacedAt *time.Time
	// PromotedAt is when it was kept on its channel, which counts as chosen, though it is no prerelease on GitHub
	// any more; nil if it was not, is one again, or somebody has chosen a channel since.
	PromotedAt *time.Time
	Rollout    Rollout
	// Required is our decision that older apps have to update.
	Required bool
	// SiteDownloads is how often its builds were fetched through our own links.
	SiteDownloads int64
	// Assets are in the order of their upload, each name once.
	Assets []Asset
}

// Asset is one uploaded file of a release.
type Asset struct {
	GitHubID int64
	// Name is safe as a file name and in a header, see Filename.
	Name string
	// Size in bytes.
	Size int64
	// URL is where a browser gets the bytes.
	URL string
	// Digest is "sha256:<hex>", or empty for files uploaded before June 2025.
	Digest string
	// SHA512 is the checksum in base64, 88 characters; empty until it is known,
	// and for files that need none.
	SHA512 string
	// DownloadCount is GitHub's count.
	DownloadCount int64
}

// DownloadCount is how often the release's builds were fetched, by GitHub's
// count. Feeds and block maps are left out, as updaters ask for them without
// installing anything. Our own redirects end at GitHub and are in this number
// already, so they are not added.
func (r Release) DownloadCount() int64 {
	var n int64
	for _, a := range r.Assets {
		if a.isBuild() {
			n += a.DownloadCount
		}
	}
	return n
}

// OfferedOn reports whether the release is offered to anybody on the channel: available, with
// a rollout that is not empty, and of this channel or of one that is more stable.
func (r Release) OfferedOn(c Channel) bool {
	return r.Available && r.Rollout.Percentage > 0 && c.carries(r.Channel())
}

// Asset returns the asset with this name.
func (r Release) Asset(name string) (Asset, bool) {
	if i := slices.IndexFunc(r.Assets, func(a Asset) bool { return a.Name == name }); i >= 0 {
		return r.Assets[i], true
	}
	return Asset{}, false
}

// Sort orders releases with the newest version first. Versions that differ in
// build metadata alone are ordered by publication.
func Sort(releases []Release) {
	slices.SortFunc(releases, func(a, b Release) int {
		return cmp.Or(b.Version.Compare(a.Version), b.PublishedAt.Compare(a.PublishedAt), cmp.Compare(b.Version, a.Version))
	})
}

// Offer is one download button.
type Offer struct {
	Arch    Arch // Arm64 or X64
	Asset   Asset
	Version Version
}

// Latest returns what the site offers: the disk images of the newest release on
// offer on the channel that has any, at most one for each architecture. How far its rollout is does not count:
// people who come to the site have chosen to download. An architecture that the newest
// release lacks is absent, even where an older release had it: both buttons always show
// the same version. prerelease is whether that release is not a stable one.
func Latest(releases []Release, c Channel) (offers []Offer, prerelease bool) {
	for _, r := range releases {
		if !r.OfferedOn(c) || len(offers) > 0 && r.Version.Compare(offers[0].Version) <= 0 {
			continue
		}
		if images := r.diskImages(); len(images) > 0 {
			offers, prerelease = images, r.Channel() != Stable
		}
	}
	return offers, prerelease
}

// diskImages are those that the site offers of a release.
func (r Release) diskImages() []Offer {
	var offers []Offer
	for _, arch := range []Arch{Arm64, X64} {
		if a, ok := r.build(arch, diskImage); ok {
			offers = append(offers, Offer{Arch: arch, Asset: a, Version: r.Version})
		}
	}
	return offers
}
