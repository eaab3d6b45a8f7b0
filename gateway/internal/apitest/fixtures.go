package apitest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
)

// Encode is JSON.
func Encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// BreakOff sends a form in chunks, of which the second is none, and returns the answer.
func (g *Gateway) BreakOff(method, path string) string {
	g.T.Helper()
	const rest = " HTTP/1.1\r\nHost: x\r\nCookie: " + Begun + "\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nno chunk\r\n"
	return g.Speak(method + " " + path + rest)
}

// Speak sends what is said and returns what is answered until the server closes.
func (g *Gateway) Speak(said string) string {
	g.T.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.URL, "http://"))
	if err != nil {
		g.T.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, said); err != nil {
		g.T.Fatal(err)
	}
	answered, err := io.ReadAll(conn)
	if err != nil {
		g.T.Fatal(err)
	}
	return string(answered)
}

// Begun is the cookie of a browser that has begun a sign-in.
const Begun = "ory_kratos_continuity=k1"

// Me stands in a sample's body for the account of whoever sends it.
const Me = "{{me}}"

const (
	CheckoutPath = "/api/create-checkout-session"
	PortalPath   = "/api/create-portal-session"
	Profile      = "http://localhost:8080/profile"
	CheckoutBody = `{"productId":"prod_1","priceId":"price_1","successUrl":"` + Profile + `?success=true&session_id={CHECKOUT_SESSION_ID}","cancelUrl":"` + Profile + `?canceled=true","userId":"` + Me + `"}`
	PortalBody   = `{"userId":"` + Me + `","returnUrl":"` + Profile + `"}`
)

// fillIn puts the bearer's account where a sample says me.
func (g *Gateway) fillIn(r *http.Request) {
	g.T.Helper()
	if r.Body == nil {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		g.T.Fatal(err)
	}
	filled := bytes.ReplaceAll(body, []byte(Me), []byte(Subject(r)))
	r.Body = io.NopCloser(bytes.NewReader(filled))
	if r.ContentLength > 0 {
		r.ContentLength = int64(len(filled))
	}
}

// Subject is the account of a request's bearer; AnyID without one.
func Subject(r *http.Request) string {
	claims := struct{ Sub string }{AnyID}
	if parts := strings.Split(r.Header.Get("Authorization"), "."); len(parts) == 3 {
		if raw, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil {
			_ = json.Unmarshal(raw, &claims)
		}
	}
	return claims.Sub
}

// PortalSignIn is Stripe's page into the portal.
const PortalSignIn = "https://billing.stripe.com/p/login/1"

// PortalLink leads to Stripe's portal.
func PortalLink() *billingv1.CreatePortalSessionResponse {
	return &billingv1.CreatePortalSessionResponse{Answer: &billingv1.CreatePortalSessionResponse_Url{Url: "https://billing.stripe.com/p/1"}}
}

// CheckoutLink leads to a checkout.
func CheckoutLink() *billingv1.CreateCheckoutSessionResponse {
	return &billingv1.CreateCheckoutSessionResponse{SessionId: "cs_1", Url: "https://checkout.stripe.com/c/1"}
}

const (
	HandOffPath = "/api/auth/hand-off"
	WithPKCE    = `,"code_challenge":"` + Challenge + `","code_challenge_method":"S256"`
)

// Effects are the calls that reached a handler of a service.
func (g *Gateway) Effects() []proto.Message {
	var all []proto.Message
	for _, c := range []*Calls{&g.Identity.Calls, &g.Billing.Calls, &g.Waitlist.Calls, &g.Support.Calls, &g.Releases.Calls} {
		c.Mu.Lock()
		for _, request := range c.Requests {
			all = append(all, request.(proto.Message))
		}
		c.Mu.Unlock()
	}
	return all
}

// Served lists the routes, as "METHOD template", sorted.
func (g *Gateway) Served() []string {
	var all []string
	for _, r := range g.API.Routes() {
		all = append(all, r.Method+" "+r.Path)
	}
	slices.Sort(all)
	return all
}

const (
	AnyID     = "0d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d1c11"
	Challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	Verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

	WebhookPath       = "/api/stripe-webhook"
	ImportPath        = "/api/import-waitlist-users"
	PreviewPath       = "/api/preview-waitlist-import"
	LeavePath         = "/api/leave-waitlist"
	GitHubWebhookPath = "/api/github-webhook"
	ApplePath         = "/api/auth/apple-notification"
	MailWebhookPath   = "/api/mail-webhook/:provider"
	MailReportPath    = "/api/mail-webhook/generic"
	CallbackPath      = "/api/auth/kratos/self-service/methods/oidc/callback/"
)

// ASession is what UserJSON and SessionJSON are made of.
func ASession() *identityv1.Session {
	return &identityv1.Session{
		AccessToken: "at", RefreshToken: "rt", ExpiresAt: timestamppb.New(time.Unix(1_800_000_000, 0)), ExpiresIn: 600,
		User: &identityv1.User{Id: AnyID, Email: "zoe@example.com", Provider: "google", Identities: []string{"apple", "google"}},
	}
}

// UserJSON is the user of ASession as the interface tells it.
const UserJSON = `{"id":"` + AnyID + `","email":"zoe@example.com","app_metadata":{"provider":"google"},
	"identities":[{"provider":"apple"},{"provider":"google"}],"factors":[]}`

// FromOurPage is how a page of the site sends a request.
var FromOurPage = Header("Origin", "http://localhost:8080")

// ATicket is what TicketFields are made of.
func ATicket() *supportv1.Ticket {
	return &supportv1.Ticket{
		Id: AnyID, Number: "TKT-000123", UserEmail: "user@example.com", CreatedAt: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		UpdatedAt: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)), Status: supportv1.Status_STATUS_IN_PROGRESS,
		Priority: supportv1.Priority_PRIORITY_HIGH, Category: supportv1.Category_CATEGORY_FEATURE_REQUEST, Message: "<b>Help</b>", AppVersion: "1.2.3", Version: 4,
	}
}

const (
	TicketFields = `"id":"` + AnyID + `","ticket_id":"TKT-000123","user_email":"user@example.com","created_at":"2026-01-02T03:04:05Z",
		"updated_at":"2026-01-02T03:04:06Z","status":"in_progress","priority":"high","category":"feature_request","subject":null,
		"message":"<b>Help</b>","app_version":"1.2.3","operating_system":null,"version":4`
	NewTicket = `{"category":"bug","message":"It broke","subject":"Broken","priority":"urgent","appVersion":"1.2.3","operatingSystem":"macOS 15.1","idempotencyKey":"k1"}`
	NewReply  = `{"ticketId":"` + AnyID + `","message":"Still broken","idempotencyKey":"k2"}`
)

const (
	UpdateBody = `{"ticketId":"` + AnyID + `","status":"resolved","adminResponse":"Done","version":3}`
	EditBody   = `{"ticketId":"` + AnyID + `","priority":"urgent","category":"billing","assigneeId":"` + OtherID + `","tags":["crash"]}`
	BulkBody   = `{"tickets":[{"ticketId":"` + AnyID + `","version":3}],"status":"closed"}`
	OtherID    = "1d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d1c11"
)

const (
	TokenPath = "/api/auth/token"
	CodeGrant = `{"grant_type":"authorization_code","code":"c1","code_verifier":"` + Verifier + `","redirect_uri":"fledge://auth/callback","device_name":"Zoë's Mac 🖥"}`

	SessionJSON = `{"access_token":"at","refresh_token":"rt","expires_in":600,"expires_at":1800000000,"token_type":"bearer","user":` + UserJSON + `}`
)

// AnUpdate is an update whose texts are hard to quote.
func AnUpdate() *releasesv1.Update {
	sum := strings.Repeat("A", 86) + "=="
	return &releasesv1.Update{
		Version: "1.10.0", Name: "Fledge: \"it's\" 1.10.0", Notes: "# New\n\n- a: b\t\u2028\u0085'\"\\ ü 🎨\n---\n", PublishedAt: timestamppb.New(time.Date(2026, 10, 12, 9, 30, 0, 123456789, time.UTC)),
		Files: []*releasesv1.UpdateFile{
			{Filename: "Fledge-1.10.0-arm64-mac.zip", Size: 104857600, Sha512: sum}, {Filename: "Fledge-1.10.0+5-mac.zip", Size: 104857601, Sha512: sum},
		},
	}
}

// AListedUser is an account as admins see it.
func AListedUser() *identityv1.ListedUser {
	at := timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return &identityv1.ListedUser{
		User:  &identityv1.User{Id: AnyID, Email: "zoe@example.com", Provider: "google", Identities: []string{"google"}, CreatedAt: at, LastSignInAt: at, EmailConfirmedAt: at},
		Roles: []identityv1.Role{identityv1.Role_ROLE_ADMIN, identityv1.Role_ROLE_USER}, State: identityv1.UserState_USER_STATE_ACTIVE,
	}
}

// Signed is the signature of Stripe's event.
func Signed(signature string) Option { return Header("Stripe-Signature", signature) }

// ReportSecret signs reports on emails.
const ReportSecret = "fedcba9876543210fedcba9876543210"

// SignedReport signs the body as the emails' provider does.
func SignedReport(at time.Time, body string) Option {
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(ReportSecret))
	mac.Write([]byte(seconds + "." + body))
	return Header("Fledge-Signature", "t="+seconds+",v1="+hex.EncodeToString(mac.Sum(nil)))
}
