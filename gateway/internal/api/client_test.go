package api_test

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/services/platform/clientinfo"
)

// TestServicesLearnWhereARequestCameFrom: from the connection or a front door that
// we know, whatever else a client sends.
func TestServicesLearnWhereARequestCameFrom(t *testing.T) {
	const spoofed = "6.6.6.6"
	lies := []apitest.Option{
		apitest.Header("X-Fledge-Client-Ip", spoofed), apitest.Header("X-Fledge-User-Agent-Bin", "bGll"), apitest.Header("X-Real-Ip", spoofed), apitest.Header("Forwarded", "for="+spoofed),
		apitest.Header("Cf-Connecting-Ip", spoofed), apitest.Header("Grpc-Metadata-X-Fledge-Client-Ip", spoofed),
	}
	for name, tt := range map[string]struct {
		trusted []string
		options []apitest.Option
		want    clientinfo.Info
	}{
		"directly":                        {nil, nil, clientinfo.Info{IP: "127.0.0.1"}},
		"directly, with a list":           {nil, []apitest.Option{apitest.From(spoofed)}, clientinfo.Info{IP: "127.0.0.1"}},
		"through the front door":          {[]string{"127.0.0.0/8"}, []apitest.Option{apitest.From("203.0.113.7")}, clientinfo.Info{IP: "203.0.113.7"}},
		"through it, with a longer list":  {[]string{"127.0.0.0/8"}, []apitest.Option{apitest.From(spoofed + ", 203.0.113.7")}, clientinfo.Info{IP: "203.0.113.7"}},
		"with a name":                     {nil, []apitest.Option{apitest.Header("User-Agent", "Bücherwurm/1")}, clientinfo.Info{IP: "127.0.0.1", UserAgent: "Bücherwurm/1"}},
		"with a name that is very long":   {nil, []apitest.Option{apitest.Header("User-Agent", strings.Repeat("x", 4000))}, clientinfo.Info{IP: "127.0.0.1", UserAgent: strings.Repeat("x", 512)}},
		"with a name that is not a text":  {nil, []apitest.Option{apitest.Header("User-Agent", "a\xffb")}, clientinfo.Info{IP: "127.0.0.1", UserAgent: "ab"}},
		"with an empty list of addresses": {[]string{"127.0.0.0/8"}, []apitest.Option{apitest.From("")}, clientinfo.Info{IP: "127.0.0.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := apitest.Start(t, func(c *api.Config) { c.TrustedProxies = tt.trusted })
			_, admin := g.Issuer.Admin("admin@example.com")
			body := `{"waitlistUserId":"` + apitest.AnyID + `","action":"approve"}`
			options := append(append([]apitest.Option{apitest.Bearer(admin), apitest.Header("User-Agent", "")}, lies...), tt.options...)
			g.Post("/api/approve-waitlist-user", body, options...).Is(http.StatusOK)
			if got := g.Waitlist.Clients; len(got) != 1 || got[0] != tt.want {
				t.Errorf("the service was told %+v, want %+v", got, tt.want)
			}
		})
	}
}
