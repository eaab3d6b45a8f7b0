// Command pairs tries every connection between the workloads of a release in a cluster:
// allowed connections must succeed, all others must fail. It uses kubectl and exits with
// 1 if any result differs from the NetworkPolicies.
//
//	go run ./cmd/pairs -namespace fledge -listed testdata/network/cluster.txt
//
// It adds a container of deploy/cluster/cmd/probe to a pod of each component, which stays
// listed there until the pod is replaced.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"

	"fledge.dev/helm/charttest/network"
	"fledge.dev/helm/charttest/pairs"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	release := pairs.Release{Kubectl: kubectl}
	flag.StringVar(&release.Name, "release", "fledge", "name of the helm release")
	flag.StringVar(&release.Namespace, "namespace", "fledge", "where it is installed")
	flag.StringVar(&release.Elsewhere, "elsewhere", "default", "another namespace, from which a stranger tries")
	flag.StringVar(&release.Image, "image", "fledge.test/fledge/probe:dev", "of deploy/cluster/cmd/probe: deploy/images/build.sh probe")
	listed := flag.String("listed", "", "table of allowed pairs, such as testdata/network/cluster.txt: what was open must be in it")
	limit := flag.Duration("timeout", 5*time.Minute, "of everything")
	verbose := flag.Bool("v", false, "print every pair")
	flag.Parse()
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	report, err := release.Try(ctx)
	if err != nil {
		return err
	}
	if *verbose {
		show("open", report.Open)
		show("closed", report.Closed)
	}
	for _, name := range report.Alone {
		fmt.Printf("not tried: %s from another pod of its kind, there is only one\n", name)
	}
	if *listed != "" {
		if report.Wrong, err = unlisted(report, *listed); err != nil {
			return err
		}
	}
	for _, line := range report.Wrong {
		fmt.Println(line)
	}
	fmt.Printf("%d pairs: %d allowed and open, %d denied and closed, %d wrong\n",
		len(report.Open)+len(report.Closed)+len(report.Wrong), len(report.Open), len(report.Closed), len(report.Wrong))
	if len(report.Wrong) > 0 {
		return errors.New("the network is not what the policies say")
	}
	return nil
}

func show(what string, list []network.Pair) {
	for _, pair := range list {
		fmt.Println(what, pair)
	}
}

// unlisted adds the open pairs that are not in the table to the wrong ones. The table's
// stranger has no component, so its lines apply to any pod.
func unlisted(report pairs.Report, file string) ([]string, error) {
	table, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(table), "\n")
	wrong := report.Wrong
	for _, pair := range report.Open {
		if !slices.Contains(lines, pair.String()) {
			wrong = append(wrong, "open, but not listed: "+pair.String())
		}
	}
	return wrong, nil
}

func kubectl(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "kubectl", args...)
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &problem
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("kubectl %s: %w: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return out.Bytes(), nil
}
