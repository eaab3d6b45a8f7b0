package github

import (
	"archive/zip"
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"fledge.dev/services/platform/brand"
)

// imageSize is large enough for several network writes and small enough for a
// test, in bytes.
const imageSize = 256 << 10

// Build returns the files that electron-builder uploads for a version: disk
// images and update archives for arm64 and x64, in that order, and the update
// feed latest-mac.yml with their true checksums. The archives are valid zip
// files; the disk images have the right names and stable bytes but hold no
// file system. The same version always gives the same bytes.
func Build(version string) []Asset {
	var images, archives []Asset
	for _, arch := range []string{"arm64", "x64"} {
		stem := fmt.Sprintf("%s-%s-%s", brand.Name, version, arch)
		images = append(images, Asset{Name: stem + ".dmg", Content: image(stem)})
		archives = append(archives, Asset{Name: stem + "-mac.zip", Content: archive(version, arch)})
	}
	assets := append(images, archives...)
	return append(assets, Asset{Name: "latest-mac.yml", Content: feed(version, archives)})
}

func image(stem string) []byte {
	var seed [32]byte
	copy(seed[:], stem)
	content := make([]byte, imageSize)
	_, _ = rand.NewChaCha8(seed).Read(content) // never fails
	copy(content, stem+": stand-in for a disk image, holds no file system\n")
	return content
}

func archive(version, arch string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	header := &zip.FileHeader{
		Name:     brand.Name + ".app/Contents/Info.plist",
		Method:   zip.Deflate,
		Modified: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
	}
	// Writing to memory cannot fail, and the header is well-formed.
	f, err := w.CreateHeader(header)
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintf(f, `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0">
<dict>
  <key>CFBundleName</key><string>%s</string>
  <key>CFBundleShortVersionString</key><string>%s</string>
  <key>LSArchitecturePriority</key><array><string>%s</string></array>
  <key>LSMinimumSystemVersion</key><string>12.0</string>
</dict>
</plist>
`, brand.Name, version, arch)
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// feed is electron-updater's generic provider file.
func feed(version string, archives []Asset) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, "version: %s\nfiles:\n", version)
	for _, a := range archives {
		sum := sha512.Sum512(a.Content)
		fmt.Fprintf(&out, "  - url: %s\n    sha512: %s\n    size: %d\n", a.Name, base64.StdEncoding.EncodeToString(sum[:]), len(a.Content))
	}
	fmt.Fprintf(&out, "minimumSystemVersion: 21.0.0\nreleaseDate: '2026-01-01T00:00:00.000Z'\n")
	return []byte(out.String())
}
