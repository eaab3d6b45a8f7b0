// Command clustercerts prints Secrets with certificates for the chart's workloads,
// see deploy/cluster/certs.
//
//	go run ./deploy/cluster/cmd/clustercerts -namespace fledge | kubectl apply -f -
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"fledge.dev/deploy/cluster/certs"
)

func main() {
	var options certs.Options
	flag.StringVar(&options.Release, "release", "fledge", "name of the helm release")
	flag.StringVar(&options.Chart, "name-override", "", "the chart's nameOverride, if it has one")
	flag.StringVar(&options.Full, "fullname-override", "", "the chart's fullnameOverride, if it has one")
	flag.StringVar(&options.Namespace, "namespace", "fledge", "where it is, or will be, installed")
	flag.StringVar(&options.Domain, "domain", "cluster.local", "DNS domain of the cluster")
	flag.DurationVar(&options.Lifetime, "lifetime", 90*24*time.Hour, "of the certificates")
	flag.Parse()
	if err := options.Write(os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
