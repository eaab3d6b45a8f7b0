package releases

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
)

const (
	stagingHeader = "X-User-Staging-Id"
	// oldestDarwin is the kernel of macOS 12, the oldest that the app runs on:
	// electron-updater compares it with the kernel's version, not with the system's.
	oldestDarwin = "21.0.0"
)

// noUpdate is a version that no app installs: it is older than any, its share is 0, and an
// app that allows downgrades finds no file in it.
const noUpdate = "version: \"0.0.0\"\nfiles: []\nstagingPercentage: 0\n"

// getUpdateFeed answers electron-updater's generic provider on a channel
// (https://www.electron.build/auto-update).
func (h *handlers) getUpdateFeed(channel releasesv1.Channel) route.Handler {
	return func(c *gin.Context) error {
		feeds, err := h.offers.feeds[channel].Get(c.Request.Context())
		if err != nil {
			return err
		}
		h.checks.count(c, channel, "", "")
		c.Header("Vary", stagingHeader+", "+versionHeader)
		feedFor(feeds, c.GetHeader(stagingHeader), said(c, versionHeader)).send(c)
		return nil
	}
}

// feedOf encodes the feed; missed are the notes of all releases that the app has missed, if it
// is known which. Texts are quoted as Go's plain ASCII, whose escapes are YAML's,
// too. Paths have no host, because the client takes any "arm64" in an address for the
// architecture.
func feedOf(u *releasesv1.Update, missed []*releasesv1.ReleaseNotes) string {
	if u == nil {
		return noUpdate
	}
	var b strings.Builder
	fmt.Fprintf(&b, "version: %+q\nfiles:\n", u.GetVersion())
	for _, f := range u.GetFiles() {
		path := downloadPath(u.GetVersion(), f.GetFilename())
		fmt.Fprintf(&b, "  - url: %+q\n    sha512: %+q\n    size: %d\n", path, f.GetSha512(), f.GetSize())
	}
	fmt.Fprintf(&b, "releaseDate: %+q\nreleaseName: %+q\n", u.GetPublishedAt().AsTime().Format(time.RFC3339), u.GetName())
	switch {
	case len(missed) > 0:
		b.WriteString("releaseNotes:\n")
		for _, n := range missed {
			fmt.Fprintf(&b, "  - version: %+q\n    note: %+q\n", n.GetVersion(), n.GetNotes())
		}
	case u.GetNotes() != "":
		fmt.Fprintf(&b, "releaseNotes: %+q\n", u.GetNotes())
	}
	fmt.Fprintf(&b, "minimumSystemVersion: %+q\n", oldestDarwin)
	if u.GetMinimumVersion() != "" {
		fmt.Fprintf(&b, "minimumVersion: %+q\n", u.GetMinimumVersion())
	}
	return b.String()
}

var errNoArch = fault.New(fault.NotFound, "unknown_architecture", "There are builds for arm64 and for x64.")

// getSquirrelUpdate answers Squirrel.Mac
// (https://github.com/Squirrel/Squirrel.Mac#server-support), which installs whatever it is
// offered, so that it is offered newer versions only.
func (h *handlers) getSquirrelUpdate(c *gin.Context) error {
	version := c.Param("version")
	if !isName(version, maxVersion) {
		return errNoDownload
	}
	arch := enum.Of[releasesv1.Arch](c.Param("arch"))
	if enum.Name(arch) == "" {
		return errNoArch
	}
	channel := route.Enum[releasesv1.Channel](route.Query(c).Get("channel"))
	resp, err := h.releases.GetUpdate(c.Request.Context(), &releasesv1.GetUpdateRequest{Arch: arch, InstalledVersion: version, Channel: channel})
	if err != nil {
		return err
	}
	h.checks.count(c, cmp.Or(channel, releasesv1.Channel_CHANNEL_STABLE), version, c.Param("arch"))
	u := resp.GetUpdate()
	if len(u.GetFiles()) == 0 {
		c.Status(http.StatusNoContent)
		return nil
	}
	c.JSON(http.StatusOK, wire.SquirrelUpdate{
		URL:  h.site.Origin.String() + downloadPath(u.GetVersion(), u.GetFiles()[0].GetFilename()),
		Name: u.GetName(), Notes: notesSince(resp), PubDate: u.GetPublishedAt().AsTime().Truncate(time.Second),
		MinimumVersion: route.OrNull(u.GetMinimumVersion()),
	})
	return nil
}

// notesSince is one text, as Squirrel has no other form: the notes of all releases that the app has missed,
// each below its version, or those of the one that it is offered.
func notesSince(resp *releasesv1.GetUpdateResponse) string {
	missed := resp.GetNotes()
	if len(missed) == 0 || len(missed) == 1 && missed[0].GetVersion() == resp.GetUpdate().GetVersion() {
		return resp.GetUpdate().GetNotes()
	}
	parts := make([]string, len(missed))
	for i, n := range missed {
		parts[i] = n.GetVersion() + "\n" + n.GetNotes()
	}
	return strings.Join(parts, "\n\n")
}

// explainUpdate says what the two above decide about one app, and why.
func (h *handlers) explainUpdate(c *gin.Context) error {
	query := route.Query(c)
	resp, err := h.releases.ExplainUpdate(c.Request.Context(), &releasesv1.ExplainUpdateRequest{
		StagingId: query.Get("stagingId"), Channel: route.Enum[releasesv1.Channel](query.Get("channel")),
		Arch: route.Enum[releasesv1.Arch](query.Get("arch")), InstalledVersion: query.Get("version"),
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.UpdateExplanation{Version: route.OrNull(resp.GetVersion()), Sentences: resp.GetSentences()})
	return nil
}
