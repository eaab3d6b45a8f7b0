package certs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
)

// TestEveryWorkloadIsKnownToTheOthers checks the Secrets as clients and servers will.
func TestEveryWorkloadIsKnownToTheOthers(t *testing.T) {
	var out bytes.Buffer
	options := Options{Release: "shop", Namespace: "apps", Domain: "cluster.local", Lifetime: time.Hour}
	errtest.None(t, options.Write(&out))
	var written list
	errtest.None(t, json.Unmarshal(out.Bytes(), &written))
	if len(written.Items) != len(workloads()) {
		t.Fatalf("%d Secrets for %d workloads", len(written.Items), len(workloads()))
	}
	where := map[string][]string{
		"shop-fledge-gateway-tls":  {"gateway"},
		"shop-fledge-postgres-tls": {"postgres", "shop-fledge-postgres", "shop-fledge-postgres.apps.svc.cluster.local"},
		"shop-fledge-nats-tls":     {"shop-fledge-nats", "shop-fledge-nats-2.shop-fledge-nats", "shop-fledge-nats.apps"},
	}
	for _, secret := range written.Items {
		pair, err := tls.X509KeyPair(secret.Data["tls.crt"], secret.Data["tls.key"])
		if err != nil {
			t.Errorf("%s: %v", secret.Metadata.Name, err)
			continue
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(written.Items[0].Data["ca.crt"])
		for _, host := range append(where[secret.Metadata.Name], "") {
			for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
				_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, KeyUsages: []x509.ExtKeyUsage{usage}})
				if err != nil {
					t.Errorf("%s for %q: %v", secret.Metadata.Name, host, err)
				}
			}
		}
		if err := pair.Leaf.VerifyHostname("shop-fledge-gateway.elsewhere"); err == nil {
			t.Errorf("%s speaks for another namespace", secret.Metadata.Name)
		}
	}
}

// TestNamesAreTheCharts: the Secrets are found under the names that the chart gives its objects.
func TestNamesAreTheCharts(t *testing.T) {
	for _, tc := range []struct{ release, override, want string }{
		{"fledge", "", "fledge"},
		{"shop", "", "shop-fledge"},
		{"shop", "site", "shop-site"},
		{"site", "site", "site"},
		{"this-is-a-release-name-with-exactly-50-characters-xx", "", "this-is-a-release-name-with-exactly-5"},
		{"a-release-name-with-thirty-six-chars", "", "a-release-name-with-thirty-six-chars"},
	} {
		o := Options{Release: tc.release, Chart: tc.override, Namespace: "apps"}
		if got := o.fullname(); got != tc.want {
			t.Errorf("release %s, override %q: %s, want %s", tc.release, tc.override, got, tc.want)
		}
	}
}
