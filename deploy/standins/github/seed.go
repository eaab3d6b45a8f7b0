package github

import (
	"time"

	"fledge.dev/services/platform/brand"
)

// Seeds are the releases of a fresh stand-in, newest first: two stable ones, a
// beta on its way, a draft that nobody may see, as the Mac app's build would
// publish them. Every call returns the same bytes.
func Seeds() []Release {
	return []Release{
		{
			Tag:    "v1.3.0",
			Name:   brand.Name + " 1.3.0",
			Body:   "Not finished.",
			Draft:  true,
			Assets: Build("1.3.0"),
		},
		{
			Tag:        "v1.2.0-beta.1",
			Name:       brand.Name + " 1.2.0 beta 1",
			Body:       "First look at Figma import. Expect rough edges.",
			Prerelease: true,
			Published:  time.Date(2026, time.November, 3, 14, 5, 0, 0, time.UTC),
			Assets:     Build("1.2.0-beta.1"),
		},
		{
			Tag:       "v1.1.0",
			Name:      brand.Name + " 1.1.0",
			Body:      "Exports straight to Xcode and starts twice as fast.",
			Published: time.Date(2026, time.October, 12, 9, 30, 0, 0, time.UTC),
			Assets:    downloaded(Build("1.1.0"), 148, 61),
		},
		{
			Tag:       "v1.0.0",
			Name:      brand.Name + " 1.0.0",
			Body:      "The first build for closed beta testers.",
			Published: time.Date(2026, time.September, 1, 16, 0, 0, 0, time.UTC),
			Assets:    downloaded(Build("1.0.0"), 412, 187),
		},
	}
}

// downloaded sets the counts of the arm64 and x64 disk images.
func downloaded(assets []Asset, arm64, x64 int) []Asset {
	assets[0].Downloads, assets[1].Downloads = arm64, x64
	return assets
}
