// Package fuzz sends the product requests that its API description allows, and others that
// it does not.
package fuzz

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/gateway"
	"fledge.dev/gateway/contract"
	"fledge.dev/services/platform/errtest"
)

// Whatever is sent: no failure of ours, no panic, and an answer that the
// description foresees. `-rapid.checks` says how many requests.
func TestNoRequestBreaksTheProduct(t *testing.T) {
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		errtest.None(t, checks.Value.Set("2000"))
	}
	opts := stacktest.Options(t, stack.InProcess)
	opts.Settings = map[string][]string{"gateway": stacktest.NoLimits()}
	stacktest.Patient(&opts)
	s := stacktest.Start(t, opts)
	site := s.URLs().Site
	senders := map[string]*person.Person{"nobody": person.New(site), "stranger": person.New(site)}
	for name, email := range map[string]string{"customer": "ann@fledge.test", "admin": stack.AdminEmail} {
		senders[name] = person.New(site)
		errtest.None(t, senders[name].SignIn(t.Context(), email))
	}
	doc, err := openapi3.NewLoader().LoadFromData(gateway.OpenAPI)
	errtest.None(t, err)
	described, err := contract.Load(gateway.OpenAPI)
	errtest.None(t, err)
	ops := operations(doc)
	client := &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	errtest.None(t, stacktest.Buy(t.Context(), senders["customer"], site, s.URLs().Stripe))
	seen := known{"email": {"ann@fledge.test", "new@example.test"}, "return_to": {"/profile"}, "userId": {senders["customer"].ID()}}
	statuses, fine := map[int]int{}, map[string]bool{}

	rapid.Check(t, func(t *rapid.T) {
		r := draw(t, ops, seen)
		req, err := http.NewRequest(r.method, site+r.target, bytes.NewReader(r.body))
		if err != nil {
			t.Skip("no URL")
		}
		if r.contentType != "" {
			req.Header.Set("Content-Type", r.contentType)
		}
		if r.who == "stranger" {
			req.Header.Set("Authorization", "Bearer eyJhbGciOiJub25lIn0.e30.")
		} else {
			senders[r.who].Authorize(req)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode >= http.StatusInternalServerError {
			t.Fatalf("%v: %d %s", r, resp.StatusCode, answer)
		}
		if err := described.Check(req, resp, answer); err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		seen.learn(answer)
		statuses[resp.StatusCode]++
		if resp.StatusCode < http.StatusBadRequest {
			fine[r.OperationID] = true
		}
	})
	t.Logf("answers by status: %v; %d of %d operations were answered with success", statuses, len(fine), len(ops))
	var failed []string
	for _, op := range ops {
		if !fine[op.OperationID] {
			failed = append(failed, op.OperationID)
		}
	}
	t.Logf("only refused: %v", failed)
	healthy(t, client, site)
}

// healthy asks whether the product is still there.
func healthy(t *testing.T, client *http.Client, site string) {
	t.Helper()
	resp, err := client.Get(site + "/api/health")
	errtest.None(t, err)
	defer func() { _ = resp.Body.Close() }()
	var health struct {
		Status   string
		Services map[string]any
	}
	if err := json.NewDecoder(resp.Body).Decode(&health); err != nil || health.Status != "ok" {
		t.Errorf("afterwards: %v %v, %s", health.Status, err, fmt.Sprint(slices.Collect(maps.Keys(health.Services))))
	}
}
