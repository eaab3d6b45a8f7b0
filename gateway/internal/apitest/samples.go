package apitest

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/services/platform/authntest"
)

// sample is a request that a route takes, and the status that each kind of
// caller gets for it.
type sample struct {
	Path, Body string
	Who        verdicts
}

type verdicts map[authntest.Caller]int

// everybody gets the same, whatever they send as a token.
func everybody(status int) verdicts {
	v := verdicts{}
	for _, caller := range []authntest.Caller{
		authntest.Nobody, authntest.Expired, authntest.Garbage, authntest.ForeignIssuer, authntest.ForeignKey, authntest.UserU,
		authntest.UserV, authntest.Moderator, authntest.Admin, authntest.Disabled, authntest.SignedOut,
		authntest.AdminMac, authntest.OldAdmin, authntest.EarlierAdmin, authntest.OneFactor, authntest.Server,
	} {
		v[caller] = status
	}
	return v
}

func (v verdicts) but(status int, callers ...authntest.Caller) verdicts {
	changed := maps.Clone(v)
	for _, caller := range callers {
		changed[caller] = status
	}
	return changed
}

// optional takes no token or a good one.
func optional(status int) verdicts {
	return everybody(status).but(401, authntest.Expired, authntest.Garbage, authntest.ForeignIssuer, authntest.ForeignKey).but(403, authntest.Server)
}

// people have a token that is good by itself.
func people(status int) verdicts { return optional(status).but(401, authntest.Nobody) }

// living people are, besides, asked about at identity.
func living() verdicts { return livingPeople(http.StatusOK) }

func livingPeople(status int) verdicts {
	return people(status).but(401, authntest.SignedOut).but(403, authntest.Disabled)
}

// staff are admins and moderators, in a browser that signed in lately.
func staff() verdicts {
	return living().but(403, authntest.UserU, authntest.UserV, authntest.AdminMac, authntest.OldAdmin, authntest.OneFactor)
}

func admins() verdicts { return adminsGet(http.StatusOK) }

func adminsGet(status int) verdicts {
	return livingPeople(status).but(403, authntest.UserU, authntest.UserV, authntest.Moderator, authntest.AdminMac, authntest.OldAdmin, authntest.OneFactor)
}

func freshAdmins() verdicts { return freshAdminsGet(http.StatusOK) }

func freshAdminsGet(status int) verdicts { return adminsGet(status).but(403, authntest.EarlierAdmin) }

// Samples has a row for every route; the tests fail for a route without one.
var Samples = map[string]sample{
	"POST /api/add-waitlist-user":                          {"/api/add-waitlist-user", `{"email":"a@b.co","source":"hero_section"}`, optional(200)},
	"GET /api/get-waitlist-status":                         {"/api/get-waitlist-status", "", people(200)},
	"POST /api/note-download":                              {"/api/note-download", "{}", people(204)},
	"POST /api/get-invitation":                             {"/api/get-invitation", `{"claim":"` + Challenge + `"}`, living()},
	"POST /api/open-invitation":                            {"/api/open-invitation", `{"claim":"` + Challenge + `"}`, everybody(204)},
	"POST /api/claim-invitation":                           {"/api/claim-invitation", `{"claim":"` + Challenge + `"}`, living()},
	"POST /api/confirm-waitlist":                           {"/api/confirm-waitlist", `{"token":"` + AnyID + `"}`, everybody(200)},
	"GET /api/get-unconfirmed-sign-ups":                    {"/api/get-unconfirmed-sign-ups", "", staff()},
	"GET /api/leave-waitlist":                              {LeavePath + "?token=" + AnyID, "", everybody(303)},
	"POST /api/leave-waitlist":                             {LeavePath + "?token=" + AnyID, "", everybody(200)},
	"GET /api/get-waitlist-users":                          {"/api/get-waitlist-users", "", staff()},
	"POST /api/approve-waitlist-user":                      {"/api/approve-waitlist-user", `{"waitlistUserId":"` + AnyID + `","action":"approve"}`, admins()},
	"POST /api/bulk-approve-waitlist-users":                {"/api/bulk-approve-waitlist-users", `{"waitlistUserIds":["` + AnyID + `"]}`, admins()},
	"GET /api/get-mails":                                   {"/api/get-mails?service=waitlist&state=bounced", "", admins()},
	"POST /api/change-mails":                               {"/api/change-mails", `{"service":"waitlist","ids":[7],"action":"resend"}`, freshAdmins()},
	"GET /api/get-waves":                                   {"/api/get-waves", "", admins()},
	"POST /api/start-wave":                                 {"/api/start-wave", `{"waveId":"` + AnyID + `","people":10}`, admins()},
	"POST /api/change-wave":                                {"/api/change-wave", `{"waveId":"` + AnyID + `","action":"pause"}`, admins()},
	"GET /api/export-waitlist-users":                       {"/api/export-waitlist-users?status=pending&search=a", "", freshAdmins()},
	"POST /api/preview-waitlist-import":                    {PreviewPath, "email\r\na@b.co\r\n", admins()},
	"POST /api/import-waitlist-users":                      {ImportPath, "email\r\na@b.co\r\n", admins()},
	"POST /api/auth/signin/:provider":                      {"/api/auth/signin/google", `{"return_to":"/auth/callback"}`, everybody(200)},
	"GET /api/auth/session":                                {"/api/auth/session", "", everybody(401)},
	"GET /api/auth/user":                                   {"/api/auth/user", "", people(200)},
	"POST /api/auth/sign-out":                              {"/api/auth/sign-out", `{"scope":"device"}`, optional(204)},
	"POST /api/auth/hand-off":                              {"/api/auth/hand-off", `{"callback":"fledge://auth/callback","code_challenge":"` + Challenge + `","code_challenge_method":"S256"}`, living()},
	"POST /api/auth/token":                                 {"/api/auth/token", `{"grant_type":"refresh_token","refresh_token":"rt"}`, everybody(200)},
	"POST /api/auth/revoke":                                {"/api/auth/revoke", `{"token":"rt"}`, everybody(200)},
	"GET /api/auth/devices":                                {"/api/auth/devices", "", people(200)},
	"POST /api/auth/revoke-device":                         {"/api/auth/revoke-device", `{"device_id":"` + AnyID + `"}`, people(204)},
	"POST /api/auth/unlink-provider":                       {"/api/auth/unlink-provider", `{"provider":"apple"}`, people(200)},
	"GET /api/auth/second-factor":                          {"/api/auth/second-factor", "", everybody(401)},
	"POST /api/auth/begin-second-factor":                   {"/api/auth/begin-second-factor", `{}`, everybody(401)},
	"POST /api/auth/confirm-second-factor":                 {"/api/auth/confirm-second-factor", `{"flow":"` + FlowID + `","code":"123456"}`, everybody(401)},
	"POST /api/auth/verify-second-factor":                  {"/api/auth/verify-second-factor", `{"code":"123456"}`, everybody(401)},
	"POST /api/auth/create-recovery-codes":                 {"/api/auth/create-recovery-codes", `{}`, everybody(401)},
	"POST /api/auth/remove-second-factor":                  {"/api/auth/remove-second-factor", `{}`, everybody(401)},
	"POST /api/auth/delete-account":                        {"/api/auth/delete-account", `{}`, livingPeople(202)},
	"GET /api/auth/export":                                 {"/api/auth/export", "", living()},
	"GET /api/auth/jwks.json":                              {"/api/auth/jwks.json", "", everybody(200)},
	"GET /.well-known/oauth-authorization-server":          {"/.well-known/oauth-authorization-server", "", everybody(200)},
	"GET " + CallbackPath + "google":                       {CallbackPath + "google?code=x&state=y", "", everybody(303)},
	"GET " + CallbackPath + "apple":                        {CallbackPath + "apple?code=x&state=y", "", everybody(303)},
	"POST " + CallbackPath + "apple":                       {CallbackPath + "apple", `code=x&state=y`, everybody(302)},
	"GET /api/auth/kratos/self-service/login/flows":        {"/api/auth/kratos/self-service/login/flows?id=" + FlowID, "", everybody(200)},
	"GET /api/auth/kratos/self-service/registration/flows": {"/api/auth/kratos/self-service/registration/flows?id=" + FlowID, "", everybody(200)},
	"GET /api/auth/kratos/self-service/errors":             {"/api/auth/kratos/self-service/errors?id=" + FlowID, "", everybody(200)},
	"GET /api/is-admin":                                    {"/api/is-admin", "", people(200)},
	"GET /api/get-users-with-roles":                        {"/api/get-users-with-roles", "", staff()},
	"POST /api/set-user-roles":                             {"/api/set-user-roles", `{"userId":"` + AnyID + `","roles":["moderator"],"reason":"because"}`, freshAdmins()},
	"GET /api/get-person":                                  {"/api/get-person?person=zoe@example.com", "", staff()},
	"GET /api/get-person-devices":                          {"/api/get-person-devices?userId=" + AnyID, "", admins()},
	"POST /api/revoke-person-device":                       {"/api/revoke-person-device", `{"userId":"` + AnyID + `","deviceId":"` + AnyID + `","reason":"because"}`, adminsGet(204)},
	"POST /api/sign-out-person":                            {"/api/sign-out-person", `{"userId":"` + AnyID + `","reason":"because"}`, admins()},
	"POST /api/set-person-state":                           {"/api/set-person-state", `{"userId":"` + AnyID + `","state":"disabled","reason":"because"}`, freshAdmins()},
	"POST /api/delete-person":                              {"/api/delete-person", `{"userId":"` + AnyID + `","reason":"because"}`, freshAdmins()},
	"POST /api/reset-second-factor":                        {"/api/reset-second-factor", `{"userId":"` + AnyID + `","reason":"because"}`, freshAdminsGet(204)},
	"GET /api/get-audit-log":                               {"/api/get-audit-log?action=waitlist.approved&limit=10", "", admins()},
	"GET /api/get-admin-stats":                             {"/api/get-admin-stats", "", admins()},
	"GET /api/get-plans":                                   {"/api/get-plans", "", everybody(200)},
	"POST /api/create-checkout-session":                    {"/api/create-checkout-session", CheckoutBody, living()},
	"POST /api/sync-checkout-session":                      {"/api/sync-checkout-session", `{"sessionId":"cs_test_1"}`, living()},
	"GET /api/stripe-portal":                               {"/api/stripe-portal", "", everybody(302)},
	"POST /api/create-portal-session":                      {"/api/create-portal-session", PortalBody, living()},
	"GET /api/get-subscription":                            {"/api/get-subscription", "", people(200)},
	"GET /api/get-credit-balance":                          {"/api/get-credit-balance", "", people(200)},
	"GET /api/get-token-balance":                           {"/api/get-token-balance", "", people(200)},
	"GET /api/get-credit-history":                          {"/api/get-credit-history?limit=10", "", people(200)},
	"GET /api/export-credit-history":                       {"/api/export-credit-history", "", people(200)},
	"POST /api/consume-credits":                            {"/api/consume-credits", `{"amount":0.29,"description":"Generated screen","idempotencyKey":"k1"}`, living().but(400, authntest.Server)},
	"POST /api/hold-credits":                               {"/api/hold-credits", `{"amount":2,"description":"Generated screen","idempotencyKey":"k1","lifetimeSeconds":60}`, living().but(400, authntest.Server)},
	"POST /api/settle-credits":                             {"/api/settle-credits", `{"holdId":"` + AnyID + `","amount":0}`, living().but(400, authntest.Server)},
	"GET /api/get-person-billing":                          {"/api/get-person-billing?userId=" + AnyID + "&limit=10", "", admins()},
	"POST /api/adjust-credits":                             {"/api/adjust-credits", `{"userId":"` + AnyID + `","amount":-2.5,"reason":"because","idempotencyKey":"k1"}`, freshAdmins()},
	"POST /api/set-person-renewal":                         {"/api/set-person-renewal", `{"userId":"` + AnyID + `","renews":true,"reason":"because"}`, freshAdminsGet(204)},
	"GET /api/get-finances":                                {"/api/get-finances", "", admins()},
	"GET /api/export-month-end":                            {"/api/export-month-end?month=2026-10", "", freshAdmins()},
	"GET /api/get-billing-cases":                           {"/api/get-billing-cases", "", admins()},
	"POST /api/decide-billing-case":                        {"/api/decide-billing-case", `{"object":"in_1","decision":"grant","amount":2.5,"reason":"because"}`, freshAdminsGet(204)},
	"POST /api/stripe-webhook":                             {WebhookPath, `{"id":"evt_1"}`, everybody(200)},
	"POST /api/mail-webhook/:provider":                     {MailReportPath, `{"events":[{"id":"1","email":"a@b.co","kind":"bounced","reason":"550 5.1.1","at":"2026-11-21T09:30:00Z"}]}`, everybody(200)},
	"POST /api/create-support-ticket":                      {"/api/create-support-ticket", NewTicket, living()},
	"GET /api/get-my-support-tickets":                      {"/api/get-my-support-tickets?limit=5", "", people(200)},
	"POST /api/reply-support-ticket":                       {"/api/reply-support-ticket", NewReply, living()},
	"GET /api/get-support-tickets":                         {"/api/get-support-tickets?status=open", "", staff()},
	"GET /api/get-support-ticket":                          {"/api/get-support-ticket?id=" + AnyID, "", staff()},
	"PUT /api/update-support-ticket":                       {"/api/update-support-ticket", UpdateBody, staff()},
	"POST /api/bulk-update-support-tickets":                {"/api/bulk-update-support-tickets", BulkBody, staff()},
	"GET /api/get-support-desk":                            {"/api/get-support-desk", "", staff()},
	"POST /api/edit-support-ticket":                        {"/api/edit-support-ticket", EditBody, staff()},
	"POST /api/add-support-note":                           {"/api/add-support-note", `{"ticketId":"` + AnyID + `","note":"Knows the founder."}`, staff()},
	"POST /api/set-support-notices":                        {"/api/set-support-notices", `{"notices":"daily"}`, staff()},
	"POST /api/view-support-ticket":                        {"/api/view-support-ticket", `{"ticketId":"` + AnyID + `","writing":true}`, staff()},
	"POST /api/open-support-ticket-for":                    {"/api/open-support-ticket-for", `{"email":"ZOE@example.com","category":"bug","message":"It crashes.","idempotencyKey":"for-ada"}`, staff()},
	"POST /api/save-canned-answer":                         {"/api/save-canned-answer", `{"title":"Update","body":"Hi {{name}}, please update."}`, admins()},
	"POST /api/delete-canned-answer":                       {"/api/delete-canned-answer", `{"id":"` + AnyID + `"}`, admins()},
	"GET /api/get-earlier-support-messages":                {"/api/get-earlier-support-messages?id=" + AnyID + "&before=" + OtherID, "", staff()},
	"GET /api/get-my-earlier-support-messages":             {"/api/get-my-earlier-support-messages?id=" + AnyID + "&before=" + OtherID, "", people(200)},
	"GET /api/export-support-tickets":                      {"/api/export-support-tickets?status=open", "", freshAdmins()},
	"GET /api/get-github-releases":                         {"/api/get-github-releases", "", admins()},
	"POST /api/toggle-release-availability":                {"/api/toggle-release-availability", `{"releaseId":1,"version":"1.2.3","isAvailable":true}`, admins()},
	"POST /api/set-release-rollout":                        {"/api/set-release-rollout", `{"releaseId":1,"version":"1.2.3","percentage":25}`, admins()},
	"POST /api/set-release-channel":                        {"/api/set-release-channel", `{"releaseId":1,"version":"1.2.3","channel":"beta"}`, admins()},
	"POST /api/set-release-required":                       {"/api/set-release-required", `{"releaseId":1,"version":"1.2.3","isRequired":true}`, admins()},
	"GET /api/get-update-channel":                          {"/api/get-update-channel", "", people(200)},
	"GET /api/get-person-channel":                          {"/api/get-person-channel?userId=" + AnyID, "", admins()},
	"POST /api/set-person-channel":                         {"/api/set-person-channel", `{"userId":"` + AnyID + `","channel":"beta","reason":"helps us test"}`, admins()},
	"GET /api/get-preview-links":                           {"/api/get-preview-links?version=1.2.3", "", admins()},
	"POST /api/create-preview-link":                        {"/api/create-preview-link", `{"releaseId":1,"version":"1.2.3","days":7}`, admins()},
	"POST /api/revoke-preview-link":                        {"/api/revoke-preview-link", `{"linkId":1}`, admins()},
	"GET /api/preview/:token/:filename":                    {"/api/preview/" + PreviewToken + "/Fledge-arm64.dmg", "", everybody(302)},
	"GET /api/get-version-usage":                           {"/api/get-version-usage?days=7", "", admins()},
	"GET /api/explain-update":                              {"/api/explain-update?stagingId=" + AnyID + "&channel=beta&arch=arm64&version=1.2.2", "", admins()},
	"GET /api/get-download-stats":                          {"/api/get-download-stats?days=7", "", admins()},
	"GET /api/get-latest-downloads":                        {"/api/get-latest-downloads", "", everybody(200)},
	"GET /api/download/:version/:filename":                 {"/api/download/1.2.3/Fledge-arm64.dmg", "", everybody(302)},
	"HEAD /api/download/:version/:filename":                {"/api/download/1.2.3/Fledge-arm64.dmg", "", everybody(302)},
	"GET /api/download/arm64":                              {"/api/download/arm64", "", everybody(302)},
	"HEAD /api/download/arm64":                             {"/api/download/arm64", "", everybody(302)},
	"GET /api/download/x64":                                {"/api/download/x64", "", everybody(302)},
	"HEAD /api/download/x64":                               {"/api/download/x64", "", everybody(302)},
	"GET /api/updates/latest-mac.yml":                      {"/api/updates/latest-mac.yml?noCache=1jb4k2m3v", "", everybody(200)},
	"GET /api/updates/beta-mac.yml":                        {"/api/updates/beta-mac.yml", "", everybody(200)},
	"GET /api/updates/alpha-mac.yml":                       {"/api/updates/alpha-mac.yml", "", everybody(200)},
	"GET /api/updates/darwin-:arch/:version":               {"/api/updates/darwin-arm64/1.2.2", "", everybody(204)},
	"POST /api/auth/apple-notification":                    {ApplePath, `{"payload":"a.b.c"}`, everybody(200)},
	"POST /api/github-webhook":                             {GitHubWebhookPath, `{"action":"published"}`, everybody(202)},
	"GET /api/health":                                      {"/api/health", "", everybody(200)},
	"GET /api/openapi.json":                                {"/api/openapi.json", "", everybody(200)},
	"GET /api/docs":                                        {"/api/docs", "", everybody(200)},
}

// Send sends the sample of a route.
func (g *Gateway) Send(route string, options ...Option) Answer {
	g.T.Helper()
	s, ok := Samples[route]
	if !ok {
		g.T.Fatalf("%s has no row in the table", route)
	}
	method, _, _ := strings.Cut(route, " ")
	if method == http.MethodPost || method == http.MethodPut {
		if strings.HasPrefix(s.Body, "code=") {
			options = append([]Option{Header("Content-Type", "application/x-www-form-urlencoded")}, options...)
		}
		if s.Path == ImportPath || s.Path == PreviewPath {
			options = append([]Option{Header("Content-Type", "text/csv")}, options...)
		}
		if s.Path == GitHubWebhookPath {
			options = append([]Option{Header("X-Hub-Signature-256", "sha256=00"), Header("X-GitHub-Event", "release")}, options...)
		}
		if s.Path == MailReportPath {
			options = append([]Option{SignedReport(g.clock.Now(), s.Body)}, options...)
		}
		if s.Path == WebhookPath {
			options = append([]Option{Header("Stripe-Signature", "t=1,v1=00")}, options...)
		}
		options = append([]Option{Header("Origin", "http://localhost:8080"), JSONBody(s.Body)}, options...)
	}
	return g.Do(method, s.Path, options...)
}

// Ready gives the fakes what the samples ask for.
func Ready(t *testing.T, change ...func(*api.Config)) *Gateway {
	t.Helper()
	g := Start(t, change...)
	g.Identity.Session = ASession()
	g.Identity.User = AListedUser()
	g.Billing.Portal, g.Billing.Checkout = PortalLink(), CheckoutLink()
	g.Releases.URL = "https://github.com/o/r/releases/download/v1.2.3/Fledge-arm64.dmg"
	g.Kratos.Failure = map[string]any{"code": 400}
	return g
}
