package charttest

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"fledge.dev/deploy/cluster/certs"
	"fledge.dev/services"
)

// TestEveryCertificateIsIssued: whoever issues, cert-manager or clustercerts, makes
// the very Secrets that pods mount, for the names that others call.
func TestEveryCertificateIsIssued(t *testing.T) {
	issued := map[string][]string{}
	for name, c := range of[*certificate](objectsOf(t, over(t, "cluster", "tls: {mode: cert-manager, issuerRef: {name: workloads}}"))) {
		if c.Spec.SecretName != name+"-tls" || c.Spec.IssuerRef.Name != "workloads" || !slices.Contains(c.Spec.Usages, "client auth") {
			t.Errorf("%s: %+v", name, c.Spec)
		}
		issued[c.Spec.SecretName] = c.Spec.DNSNames
	}
	made := certs.Options{Release: releaseName, Namespace: namespace, Domain: "cluster.local", Lifetime: time.Hour}.Names()
	if !maps.EqualFunc(issued, made, slices.Equal) {
		t.Errorf("cert-manager issues %v\nclustercerts issues %v", issued, made)
	}

	mounted := map[string]bool{}
	for _, pods := range podsOf(render(t, "cluster")) {
		for _, volume := range pods.Spec.Volumes {
			if volume.Secret != nil && strings.HasSuffix(volume.Secret.SecretName, "-tls") {
				mounted[volume.Secret.SecretName] = true
			}
		}
	}
	if got, want := slices.Sorted(maps.Keys(mounted)), slices.Sorted(maps.Keys(issued)); !slices.Equal(got, want) {
		t.Errorf("mounted %v\nissued %v", got, want)
	}
}

// TestNothingIsPlainBetweenWorkloads: with certificates, NATS and PostgreSQL of the
// release are only reached over TLS.
func TestNothingIsPlainBetweenWorkloads(t *testing.T) {
	objects := render(t, "cluster")
	for _, o := range objects {
		if strings.Contains(o.text, "nats://fledge-nats:4222") {
			t.Errorf("%s speaks plainly to NATS", o)
		}
	}
	secrets := of[*corev1.Secret](objects)
	told := func(secret, key string) string { return string(secrets[secret].Data[key]) }
	for _, name := range services.Names() {
		if url := told("fledge-"+name, "DATABASE_URL"); !strings.Contains(url, "sslmode=verify-full&sslrootcert=/run/postgres-ca/ca.crt") {
			t.Errorf("%s speaks plainly to PostgreSQL: %s", name, url)
		}
	}
	if door := told("fledge-postgres", "pg_hba.conf"); !strings.Contains(door, "hostssl all all all") || strings.Contains(door, "host all") {
		t.Errorf("PostgreSQL lets people in without TLS:\n%s", door)
	}
	if conf := told("fledge-nats", "nats.conf"); strings.Count(conf, "verify: true") != 2 {
		t.Errorf("NATS takes clients or servers without a certificate:\n%s", conf)
	}
}
