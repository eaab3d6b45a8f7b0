package door

import (
	"net/http"
	"net/netip"
	"testing"
)

const (
	ingress = "10.244.0.7:41000"
	cdn     = "172.68.1.1"
)

// TestClient has the rows of the gateway's own test: both cap the same client.
func TestClient(t *testing.T) {
	trusted := networks{netip.MustParsePrefix("10.244.0.0/16"), netip.MustParsePrefix("172.64.0.0/13"), netip.MustParsePrefix("fd00::/64")}
	for name, tt := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"no proxy":                         {"203.0.113.9:4711", nil, "203.0.113.9"},
		"a stranger names somebody":        {"203.0.113.9:4711", []string{"198.51.100.1"}, "203.0.113.9"},
		"the ingress":                      {ingress, []string{"203.0.113.9"}, "203.0.113.9"},
		"the ingress names nobody":         {ingress, nil, "10.244.0.7"},
		"an empty list":                    {ingress, []string{""}, "10.244.0.7"},
		"what the client made up":          {ingress, []string{"1.1.1.1, 203.0.113.9"}, "203.0.113.9"},
		"what looks like a proxy's":        {ingress, []string{"10.1.1.1, 203.0.113.9"}, "203.0.113.9"},
		"a CDN and the ingress":            {ingress, []string{"203.0.113.9, " + cdn}, "203.0.113.9"},
		"three hops, three lines":          {ingress, []string{"1.1.1.1,203.0.113.9", cdn, "10.244.0.9"}, "203.0.113.9"},
		"a CDN that is not trusted":        {ingress, []string{"203.0.113.9, 192.0.2.77"}, "192.0.2.77"},
		"proxies alone":                    {ingress, []string{"10.244.0.1, " + cdn}, "10.244.0.1"},
		"with a port":                      {ingress, []string{"203.0.113.9:51234"}, "203.0.113.9"},
		"a hop with a port":                {ingress, []string{"203.0.113.9:51234, " + cdn + ":443"}, "203.0.113.9"},
		"IPv6":                             {ingress, []string{"2001:db8::1"}, "2001:db8::1"},
		"IPv6 in brackets":                 {ingress, []string{"[2001:db8::1]"}, "2001:db8::1"},
		"IPv6 with a port":                 {ingress, []string{"[2001:db8::1]:443"}, "2001:db8::1"},
		"IPv6 with a zone":                 {ingress, []string{"fe80::1%eth0"}, "fe80::1"},
		"IPv6 with a zone and a port":      {ingress, []string{"[fe80::1%eth0]:443"}, "fe80::1"},
		"IPv6 in capitals and in full":     {ingress, []string{"2001:0DB8:0:0::0001"}, "2001:db8::1"},
		"IPv4 inside IPv6":                 {ingress, []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		"IPv4 inside IPv6 with a port":     {ingress, []string{"[::ffff:203.0.113.9]:443"}, "203.0.113.9"},
		"IPv4 translated to IPv6":          {ingress, []string{"64:ff9b::203.0.113.9"}, "203.0.113.9"},
		"a proxy's IPv4 translated":        {"[64:ff9b::af4:7]:41000", []string{"64:ff9b::cb00:7109"}, "203.0.113.9"},
		"another /96 beside it":            {ingress, []string{"64:ff9b:0:0:0:1:cb00:7109"}, "64:ff9b::1:cb00:7109"},
		"a proxy as IPv4 inside IPv6":      {"[::ffff:10.244.0.7]:41000", []string{"203.0.113.9, ::ffff:" + cdn}, "203.0.113.9"},
		"a proxy by IPv6":                  {"[fd00::7]:41000", []string{"203.0.113.9"}, "203.0.113.9"},
		"a name":                           {ingress, []string{"203.0.113.9, unknown"}, "10.244.0.7"},
		"a name behind the CDN":            {ingress, []string{"_hidden, " + cdn}, cdn},
		"RFC 7239's form is another one":   {ingress, []string{"for=203.0.113.9"}, "10.244.0.7"},
		"a number that is not an address":  {ingress, []string{"203.0.113.999"}, "10.244.0.7"},
		"a port that is none":              {ingress, []string{"203.0.113.9:http"}, "10.244.0.7"},
		"an empty place in the list":       {ingress, []string{"203.0.113.9,,"}, "10.244.0.7"},
		"a socket that is no address":      {"@", []string{"203.0.113.9"}, "invalid IP"},
		"spaces and tabs around addresses": {ingress, []string{"\t203.0.113.9 ,\t" + cdn + " "}, "203.0.113.9"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
			if got := trusted.client(r).String(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
