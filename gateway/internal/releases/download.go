package releases

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/hostname"
)

const (
	maxVersion  = 64
	maxFilename = 255
)

var errNoDownload = fault.New(fault.NotFound, "download_not_found", "This download does not exist or is no longer available.")

// download redirects the browser to the asset. GitHub serves it under the asset's filename
// (Content-Disposition), so that a redirect is enough.
func (h *handlers) download(c *gin.Context) error {
	version, filename := c.Param("version"), c.Param("filename")
	if !isName(version, maxVersion) || !isName(filename, maxFilename) {
		return errNoDownload
	}
	resp, err := h.releases.ResolveDownload(c.Request.Context(), &releasesv1.ResolveDownloadRequest{
		Version: version, Filename: filename, LookOnly: looksOnly(c.Request),
	})
	if err != nil {
		return err
	}
	return h.sendTo(c, resp.GetUrl())
}

// downloadLatest does the same for the newest disk image of an architecture.
func (h *handlers) downloadLatest(arch releasesv1.Arch) route.Handler {
	return func(c *gin.Context) error {
		resp, err := h.releases.ResolveLatestDownload(c.Request.Context(), &releasesv1.ResolveLatestDownloadRequest{
			Arch: arch, LookOnly: looksOnly(c.Request),
		})
		if err != nil {
			return err
		}
		return h.sendTo(c, resp.GetUrl())
	}
}

// looksOnly reports whether a request is no download: it has no use for the bytes yet, or for
// a part of them only, as an updater that has most of a file, and whatever resumes a download
// that was counted.
func looksOnly(r *http.Request) bool {
	if r.Method == http.MethodHead {
		return true
	}
	if part := r.Header.Get("Range"); part != "" && part != "bytes=0-" {
		return true
	}
	for _, header := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		purpose := strings.ToLower(r.Header.Get(header))
		if strings.Contains(purpose, "prefetch") || strings.Contains(purpose, "preview") {
			return true
		}
	}
	return false
}

func (h *handlers) sendTo(c *gin.Context, target string) error {
	if !h.isDownloadTarget(target) {
		return fault.New(fault.Unavailable, "download_unavailable", "This download is not available right now. Please try again.").
			Wrap(errors.New("not in DOWNLOAD_HOSTS: " + target))
	}
	c.Redirect(http.StatusFound, target)
	return nil
}

// downloadPath is where download serves an asset.
func downloadPath(version, filename string) string {
	return "/api/download/" + url.PathEscape(version) + "/" + url.PathEscape(filename)
}

// isDownloadTarget reports whether a download may lead to an address: https on a listed
// host or, on a local site, the local stand-in. A list of releases that was tampered with
// must not lead people to another program.
func (h *handlers) isDownloadTarget(target string) bool {
	u, err := url.Parse(target)
	if err != nil || u.User != nil {
		return false
	}
	if u.Scheme == "http" {
		return hostname.IsTest(h.site.Origin.Hostname()) && hostname.IsTest(u.Hostname())
	}
	return u.Scheme == "https" && slices.Contains(h.downloadHosts, u.Host)
}

// isName reports whether s could name a version or an asset: visible ASCII
// without path syntax.
func isName(s string, maxBytes int) bool {
	if s == "" || len(s) > maxBytes || s[0] == '.' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`/\"'<>|:*?;%`, r) })
}
