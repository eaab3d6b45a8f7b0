package github

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Release is one release as a test or a seed writes it down.
type Release struct {
	// ID is GitHub's id. Zero lets the stand-in choose one.
	ID int64
	// Tag is the git tag, such as "v1.2.0".
	Tag string
	// Name is the title. GitHub allows it to be empty.
	Name string
	// Body is the release notes, in Markdown.
	Body string
	// Draft releases are seen by authorised requests alone.
	Draft bool
	// Prerelease is GitHub's own mark; it need not agree with the tag.
	Prerelease bool
	// Published is when the release went public; the zero time for a draft.
	Published time.Time
	// Created is the date of the commit that the tag names, by which the list is ordered, latest
	// first. Zero is that of the publication.
	Created time.Time
	// Assets are the uploaded files.
	Assets []Asset
}

// Asset is one uploaded file.
type Asset struct {
	// ID is GitHub's id. Zero lets the stand-in choose one.
	ID int64
	// Name is the file's name.
	Name string
	// State is "uploaded", or "starter" while an upload is incomplete.
	// Empty means uploaded.
	State string
	// Content is the file's bytes.
	Content []byte
	// Downloads is how often the file was fetched.
	Downloads int
	// URL replaces the address that browser_download_url carries, for tests
	// of clients that must not trust it.
	URL string
}

const stateUploaded = "uploaded"

func (a Asset) digest() string {
	sum := sha256.Sum256(a.Content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (r Release) created() time.Time {
	if r.Created.IsZero() {
		return r.Published
	}
	return r.Created
}

func (r Release) clone() Release {
	r.Assets = append([]Asset(nil), r.Assets...)
	return r
}
