// Package certs creates the certificates of the chart's workloads for a cluster
// without cert-manager (tls.mode: secret): an authority whose key nobody keeps, and a
// Secret for each workload.
package certs

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"fledge.dev/services"
	"fledge.dev/services/platform/certstest"
)

// Options name an installation of the chart.
type Options struct {
	Release, Namespace string
	// Chart is the chart's nameOverride; empty is the chart's own name.
	Chart string
	// Full is its fullnameOverride, which counts instead of both.
	Full string
	// Domain is the cluster's, usually cluster.local.
	Domain   string
	Lifetime time.Duration
}

// workloads are those that the chart mounts a certificate into.
func workloads() []string { return append(services.Names(), "gateway", "nats", "postgres") }

// Names returns the DNS names of each Secret's certificate. The first is who it is to
// the others, the rest are where it is found.
func (o Options) Names() map[string][]string {
	full := o.fullname()
	names := map[string][]string{}
	for _, workload := range workloads() {
		host := full + "-" + workload
		list := append([]string{workload}, o.hosts(host)...)
		if workload == "nats" { // its servers call each other by their own names
			list = append(list, o.hosts("*."+host)...)
		}
		names[host+"-tls"] = list
	}
	return names
}

// fullname is the release's name in the names of objects, as in the chart's _names.tpl.
func (o Options) fullname() string {
	if o.Full != "" {
		return o.Full
	}
	chart := cmp.Or(o.Chart, "fledge")
	full := o.Release
	if !strings.Contains(full, chart) {
		full += "-" + chart
	}
	return strings.TrimSuffix(full[:min(len(full), 37)], "-")
}

func (o Options) hosts(host string) []string {
	return []string{host, host + "." + o.Namespace, host + "." + o.Namespace + ".svc", host + "." + o.Namespace + ".svc." + o.Domain}
}

type list struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Items      []secret `json:"items"`
}

type secret struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Type       string            `json:"type"`
	Metadata   metadata          `json:"metadata"`
	Data       map[string][]byte `json:"data"`
}

type metadata struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels"`
}

// Write writes the Secrets as `kubectl apply -f -` reads them. Each call makes a new
// authority, so all of them are replaced together.
func (o Options) Write(w io.Writer) error {
	issuer, err := certstest.New(o.Lifetime)
	if err != nil {
		return err
	}
	all := list{APIVersion: "v1", Kind: "List"}
	names := o.Names()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		files, err := issuer.Issue(certstest.Leaf{Name: names[name][0], Hosts: names[name][1:], Lifetime: o.Lifetime})
		if err != nil {
			return err
		}
		all.Items = append(all.Items, secret{
			APIVersion: "v1", Kind: "Secret", Type: "kubernetes.io/tls", Data: files,
			Metadata: metadata{Name: name, Namespace: o.Namespace, Labels: map[string]string{"app.kubernetes.io/part-of": "fledge"}},
		})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(all)
}
