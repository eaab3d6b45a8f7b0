package api_test

import (
	"testing"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/releases/internal/api"
)

func TestWhoMayCallEachMethod(t *testing.T) {
	authntest.Matrix(t, &releasesv1.ReleasesService_ServiceDesc, api.Policy(), map[string]authn.Access{
		"ListReleases":           authn.Admin,
		"SetAvailability":        authn.Admin,
		"GetLatestDownloads":     authn.Public,
		"ResolveDownload":        authn.Public,
		"SetRollout":             authn.Admin,
		"SetChannel":             authn.Admin,
		"SetRequired":            authn.Admin,
		"CreatePreviewLink":      authn.Admin,
		"ListPreviewLinks":       authn.Admin,
		"RevokePreviewLink":      authn.Admin,
		"ResolvePreviewDownload": authn.Public,
		"GetDownloadStats":       authn.Admin,
		"GetStats":               authn.Admin,
		"ResolveLatestDownload":  authn.Public,
		"GetUpdate":              authn.Public,
		"ListUpdates":            authn.Public,
		"ExplainUpdate":          authn.Admin,
		"GetUsage":               authn.Admin,
		"CountUpdateChecks":      authn.Internal,
		"ReceiveGitHubEvent":     authn.Internal,
		"GetOwnChannel":          authn.Active,
		"GetUserChannel":         authn.Admin,
		"SetUserChannel":         authn.Admin,
		"ExportAccount":          authn.Internal,
	})
}
