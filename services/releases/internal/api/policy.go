package api

import (
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/rpc"
)

// Policy says who may call each method: downloads and updates are for everybody, the
// dashboard is for admins, a person's own channel is for that person, and the gateway passes on
// GitHub's deliveries and the counts of what it answered itself.
func Policy() authn.Policy {
	return authn.Policy{
		releasesv1.ReleasesService_ListReleases_FullMethodName:           authn.Admin,
		releasesv1.ReleasesService_SetAvailability_FullMethodName:        authn.Admin,
		releasesv1.ReleasesService_SetRollout_FullMethodName:             authn.Admin,
		releasesv1.ReleasesService_SetChannel_FullMethodName:             authn.Admin,
		releasesv1.ReleasesService_SetRequired_FullMethodName:            authn.Admin,
		releasesv1.ReleasesService_GetDownloadStats_FullMethodName:       authn.Admin,
		releasesv1.ReleasesService_GetStats_FullMethodName:               authn.Admin,
		releasesv1.ReleasesService_GetUsage_FullMethodName:               authn.Admin,
		releasesv1.ReleasesService_ExplainUpdate_FullMethodName:          authn.Admin,
		releasesv1.ReleasesService_CreatePreviewLink_FullMethodName:      authn.Admin,
		releasesv1.ReleasesService_ListPreviewLinks_FullMethodName:       authn.Admin,
		releasesv1.ReleasesService_RevokePreviewLink_FullMethodName:      authn.Admin,
		releasesv1.ReleasesService_GetUserChannel_FullMethodName:         authn.Admin,
		releasesv1.ReleasesService_SetUserChannel_FullMethodName:         authn.Admin,
		releasesv1.ReleasesService_GetOwnChannel_FullMethodName:          authn.Active,
		releasesv1.ReleasesService_ExportAccount_FullMethodName:          authn.Internal,
		releasesv1.ReleasesService_ResolvePreviewDownload_FullMethodName: authn.Public,
		releasesv1.ReleasesService_GetLatestDownloads_FullMethodName:     authn.Public,
		releasesv1.ReleasesService_ResolveDownload_FullMethodName:        authn.Public,
		releasesv1.ReleasesService_ResolveLatestDownload_FullMethodName:  authn.Public,
		releasesv1.ReleasesService_GetUpdate_FullMethodName:              authn.Public,
		releasesv1.ReleasesService_ListUpdates_FullMethodName:            authn.Public,
		releasesv1.ReleasesService_CountUpdateChecks_FullMethodName:      authn.Internal,
		releasesv1.ReleasesService_ReceiveGitHubEvent_FullMethodName:     authn.Internal,
	}
}

// Callers are those besides the gateway: identity, for the operator's command export-account.
func Callers() rpc.Callers {
	return rpc.Callers{releasesv1.ReleasesService_ExportAccount_FullMethodName: {"identity"}}
}
