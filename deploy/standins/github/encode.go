package github

import (
	"fmt"
	"net/url"
	"time"
)

// releaseJSON has the fields of GitHub's release schema that describe the
// release itself (https://docs.github.com/rest/releases/releases).
type releaseJSON struct {
	URL         string      `json:"url"`
	AssetsURL   string      `json:"assets_url"`
	HTMLURL     string      `json:"html_url"`
	ID          int64       `json:"id"`
	TagName     string      `json:"tag_name"`
	Target      string      `json:"target_commitish"`
	Name        *string     `json:"name"`
	Body        *string     `json:"body"`
	Draft       bool        `json:"draft"`
	Prerelease  bool        `json:"prerelease"`
	Immutable   bool        `json:"immutable"`
	CreatedAt   time.Time   `json:"created_at"`
	PublishedAt *time.Time  `json:"published_at"`
	Assets      []assetJSON `json:"assets"`
}

type assetJSON struct {
	URL                string    `json:"url"`
	ID                 int64     `json:"id"`
	Name               string    `json:"name"`
	Label              *string   `json:"label"`
	State              string    `json:"state"`
	ContentType        string    `json:"content_type"`
	Size               int       `json:"size"`
	Digest             *string   `json:"digest"`
	DownloadCount      int       `json:"download_count"`
	CreatedAt          time.Time `json:"created_at"`
	UpdatedAt          time.Time `json:"updated_at"`
	BrowserDownloadURL string    `json:"browser_download_url"`
}

func (s *Server) encodeRelease(r Release) releaseJSON {
	self := fmt.Sprintf("%s/repos/%s/%s/releases/%d", s.api, s.owner(), s.repo(), r.ID)
	out := releaseJSON{
		URL:        self,
		AssetsURL:  self + "/assets",
		HTMLURL:    fmt.Sprintf("%s/%s/%s/releases/tag/%s", s.url, s.owner(), s.repo(), url.PathEscape(r.Tag)),
		ID:         r.ID,
		TagName:    r.Tag,
		Target:     "main",
		Name:       optional(r.Name),
		Body:       optional(r.Body),
		Draft:      r.Draft,
		Prerelease: r.Prerelease,
		CreatedAt:  r.created().UTC().Truncate(time.Second),
		Assets:     []assetJSON{},
	}
	if !r.Published.IsZero() {
		published := r.Published.UTC().Truncate(time.Second)
		out.PublishedAt = &published
	}
	for _, a := range r.Assets {
		out.Assets = append(out.Assets, s.encodeAsset(r, a))
	}
	return out
}

func (s *Server) encodeAsset(r Release, a Asset) assetJSON {
	out := assetJSON{
		URL:                fmt.Sprintf("%s/repos/%s/%s/releases/assets/%d", s.api, s.owner(), s.repo(), a.ID),
		ID:                 a.ID,
		Name:               a.Name,
		State:              a.State,
		ContentType:        contentType(a.Name),
		Size:               len(a.Content),
		DownloadCount:      a.Downloads,
		CreatedAt:          r.Published.UTC().Truncate(time.Second),
		UpdatedAt:          r.Published.UTC().Truncate(time.Second),
		BrowserDownloadURL: a.URL,
	}
	if out.BrowserDownloadURL == "" {
		out.BrowserDownloadURL = s.downloadURL(r, a)
	}
	if a.State == stateUploaded {
		out.Digest = optional(a.digest())
	}
	return out
}

func (s *Server) downloadURL(r Release, a Asset) string {
	return fmt.Sprintf("%s/%s/%s/releases/download/%s/%s", s.url, s.owner(), s.repo(), url.PathEscape(r.Tag), url.PathEscape(a.Name))
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
