package releases

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

const (
	previewPath = "/api/preview/"
	// maxToken is more than a token has.
	maxToken = 64
	// linkEnded is read by whoever was given a link, in a browser.
	linkEnded = "This download link has ended, or it never existed. Ask the person who sent it to you for a new one.\n"
)

func (h *handlers) getPreviewLinks(c *gin.Context) error {
	resp, err := h.releases.ListPreviewLinks(c.Request.Context(), &releasesv1.ListPreviewLinksRequest{Version: route.Query(c).Get("version")})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.PreviewLinks{Links: route.Each(resp.GetLinks(), previewLinkOf)})
	return nil
}

func (h *handlers) createPreviewLink(c *gin.Context, req wire.CreatePreviewLinkRequest) error {
	resp, err := h.releases.CreatePreviewLink(c.Request.Context(), &releasesv1.CreatePreviewLinkRequest{
		ReleaseId: req.ReleaseID, Version: req.Version, Days: req.Days,
	})
	if err != nil {
		return err
	}
	created := wire.CreatedPreviewLink{Link: previewLinkOf(resp.GetLink()), Downloads: make([]wire.PreviewDownload, 0, len(resp.GetFilenames()))}
	for _, name := range resp.GetFilenames() {
		address := h.site.Origin.String() + previewPath + resp.GetToken() + "/" + url.PathEscape(name)
		created.Downloads = append(created.Downloads, wire.PreviewDownload{Filename: name, URL: address})
	}
	c.JSON(http.StatusOK, created)
	return nil
}

func previewLinkOf(l *releasesv1.PreviewLink) wire.PreviewLink {
	return wire.PreviewLink{ID: l.GetId(), CreatedAt: l.GetCreatedAt().AsTime(), EndsAt: l.GetEndsAt().AsTime()}
}

func (h *handlers) revokePreviewLink(c *gin.Context, req wire.RevokePreviewLinkRequest) error {
	if _, err := h.releases.RevokePreviewLink(c.Request.Context(), &releasesv1.RevokePreviewLinkRequest{LinkId: req.LinkID}); err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.Message{Message: "The link no longer works"})
	return nil
}

// downloadPreview redirects whoever has a preview link to the file, as download does. Every
// link that does not work is answered alike, so that nobody learns which ones there were.
func (h *handlers) downloadPreview(c *gin.Context) error {
	c.Header("X-Robots-Tag", "noindex")
	token, filename := c.Param("token"), c.Param("filename")
	if !isName(token, maxToken) || !isName(filename, maxFilename) {
		return errNoDownload
	}
	resp, err := h.releases.ResolvePreviewDownload(c.Request.Context(), &releasesv1.ResolvePreviewDownloadRequest{Token: token, Filename: filename})
	switch {
	case errors.Is(err, fault.NotFound):
		c.String(http.StatusGone, linkEnded)
		return nil
	case err != nil:
		return err
	}
	return h.sendTo(c, resp.GetUrl())
}
