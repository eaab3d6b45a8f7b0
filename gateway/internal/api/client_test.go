package api_test

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/services/platform/clientinfo"
)

// TestServicesLearnWhereARequestCameFrom: from the connection or a front door that
// we know, whatever else a client sends.
func TestServicesLearnWhereARequestCameFrom(t *testing.T) {
	const spoofed = "6.6.6.6"
	lies := []option{
		header("X-Fledge-Client-Ip", spoofed), header("X-Fledge-User-Agent-Bin", "bGll"), header("X-Real-Ip", spoofed), header("Forwarded", "for="+spoofed),
		header("Cf-Connecting-Ip", spoofed), header("Grpc-Metadata-X-Fledge-Client-Ip", spoofed),
	}
	for name, tt := range map[string]struct {
		trusted []string
		options []option
		want    clientinfo.Info
	}{
		"directly":                        {nil, nil, clientinfo.Info{IP: "127.0.0.1"}},
		"directly, with a list":           {nil, []option{from(spoofed)}, clientinfo.Info{IP: "127.0.0.1"}},
		"through the front door":          {[]string{"127.0.0.0/8"}, []option{from("203.0.113.7")}, clientinfo.Info{IP: "203.0.113.7"}},
		"through it, with a longer list":  {[]string{"127.0.0.0/8"}, []option{from(spoofed + ", 203.0.113.7")}, clientinfo.Info{IP: "203.0.113.7"}},
		"with a name":                     {nil, []option{header("User-Agent", "Bücherwurm/1")}, clientinfo.Info{IP: "127.0.0.1", UserAgent: "Bücherwurm/1"}},
		"with a name that is very long":   {nil, []option{header("User-Agent", strings.Repeat("x", 4000))}, clientinfo.Info{IP: "127.0.0.1", UserAgent: strings.Repeat("x", 512)}},
		"with a name that is not a text":  {nil, []option{header("User-Agent", "a\xffb")}, clientinfo.Info{IP: "127.0.0.1", UserAgent: "ab"}},
		"with an empty list of addresses": {[]string{"127.0.0.0/8"}, []option{from("")}, clientinfo.Info{IP: "127.0.0.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t, func(c *api.Config) { c.TrustedProxies = tt.trusted })
			_, admin := g.issuer.Admin("admin@example.com")
			body := `{"waitlistUserId":"` + anyID + `","action":"approve"}`
			options := append(append([]option{bearer(admin), header("User-Agent", "")}, lies...), tt.options...)
			g.post("/api/approve-waitlist-user", body, options...).is(http.StatusOK)
			if got := g.waitlist.clients; len(got) != 1 || got[0] != tt.want {
				t.Errorf("the service was told %+v, want %+v", got, tt.want)
			}
		})
	}
}
