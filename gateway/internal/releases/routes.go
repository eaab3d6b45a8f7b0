// Package releases serves the routes of the Mac app's releases: downloads, updates, and what
// admins see and change of them.
package releases

import (
	"log/slog"
	"net/http"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/route"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/clock"
)

type handlers struct {
	releases      releasesv1.ReleasesServiceClient
	waitlist      waitlistv1.WaitlistServiceClient
	site          *route.Site
	downloadHosts []string
	offers        *offers
	checks        *checks
}

// appNames are those of requests that say what an app says of itself.
var appNames = route.But(map[string]string{"installed_version": "version"})

// Routes returns the routes. A download may lead to downloadHosts.
func Routes(services *backend.Services, site *route.Site, downloadHosts []string, clk clock.Clock, log *slog.Logger) []route.Route {
	client := services.Releases
	h := &handlers{releases: client, waitlist: services.Waitlist, site: site, downloadHosts: downloadHosts, offers: newOffers(client, clk), checks: &checks{releases: client, log: log, waiting: map[check]int64{}}}
	get, head, post := http.MethodGet, http.MethodHead, http.MethodPost
	return []route.Route{
		{Method: get, Path: "/api/get-github-releases", Access: route.Admin, Handle: h.getReleases},
		{Method: post, Path: "/api/toggle-release-availability", Access: route.Admin, Handle: route.JSON(h.toggleRelease)},
		{Method: post, Path: "/api/set-release-rollout", Access: route.Admin, Handle: route.JSON(h.setReleaseRollout)},
		{Method: post, Path: "/api/set-release-channel", Access: route.Admin, Handle: route.JSON(h.setReleaseChannel)},
		{Method: post, Path: "/api/set-release-required", Access: route.Admin, Handle: route.JSON(h.setReleaseRequired)},
		{Method: get, Path: "/api/get-update-channel", Access: route.User, Handle: h.getUpdateChannel},
		{Method: get, Path: "/api/get-person-channel", Access: route.Admin, Query: []string{"userId"}, Handle: h.getPersonChannel},
		{Method: post, Path: "/api/set-person-channel", Access: route.Admin, Handle: route.JSON(h.setPersonChannel)},
		{Method: get, Path: "/api/get-preview-links", Access: route.Admin, Query: []string{"version"}, Handle: h.getPreviewLinks},
		{Method: post, Path: "/api/create-preview-link", Access: route.Admin, Handle: route.JSON(h.createPreviewLink)},
		{Method: post, Path: "/api/revoke-preview-link", Access: route.Admin, Handle: route.JSON(h.revokePreviewLink)},
		{Method: get, Path: previewPath + ":token/:filename", Access: route.Anyone, AnyQuery: true, Handle: h.downloadPreview},
		{Method: get, Path: "/api/get-version-usage", Access: route.Admin, Query: []string{"days"}, Handle: h.getUsage},
		{Method: get, Path: "/api/explain-update", Access: route.Admin, Query: []string{"stagingId", "channel", "arch", "version"}, Names: appNames, Handle: h.explainUpdate},
		{Method: get, Path: "/api/get-download-stats", Access: route.Admin, Query: []string{"days"}, Handle: h.getDownloadStats},
		{Method: get, Path: "/api/get-latest-downloads", Access: route.Anyone, Handle: h.getLatestDownloads},
		{Method: get, Path: "/api/download/:version/:filename", Access: route.Anyone, AnyQuery: true, Objective: true, Handle: h.download},
		{Method: head, Path: "/api/download/:version/:filename", Access: route.Anyone, AnyQuery: true, Handle: h.download},
		{Method: get, Path: "/api/download/arm64", Access: route.Anyone, AnyQuery: true, Objective: true, Handle: h.downloadLatest(releasesv1.Arch_ARCH_ARM64)},
		{Method: head, Path: "/api/download/arm64", Access: route.Anyone, AnyQuery: true, Handle: h.downloadLatest(releasesv1.Arch_ARCH_ARM64)},
		{Method: get, Path: "/api/download/x64", Access: route.Anyone, AnyQuery: true, Objective: true, Handle: h.downloadLatest(releasesv1.Arch_ARCH_X64)},
		{Method: head, Path: "/api/download/x64", Access: route.Anyone, AnyQuery: true, Handle: h.downloadLatest(releasesv1.Arch_ARCH_X64)},
		{Method: get, Path: "/api/updates/latest-mac.yml", Access: route.Anyone, Query: []string{"noCache"}, Handle: h.getUpdateFeed(releasesv1.Channel_CHANNEL_STABLE)},
		{Method: get, Path: "/api/updates/beta-mac.yml", Access: route.Anyone, Query: []string{"noCache"}, Handle: h.getUpdateFeed(releasesv1.Channel_CHANNEL_BETA)},
		{Method: get, Path: "/api/updates/alpha-mac.yml", Access: route.Anyone, Query: []string{"noCache"}, Handle: h.getUpdateFeed(releasesv1.Channel_CHANNEL_ALPHA)},
		{Method: get, Path: "/api/updates/darwin-:arch/:version", Access: route.Anyone, Query: []string{"channel"}, Names: appNames, Handle: h.getSquirrelUpdate},
		{Method: post, Path: "/api/github-webhook", Access: route.Anyone, Webhook: true, Handle: h.receiveGitHubEvent},
	}
}
