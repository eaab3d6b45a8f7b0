package rpc_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/rpc"
)

// TestReplicasComeAndGo: calls spread evenly, a replica that dies costs nobody who only
// reads, and at most one change; when it is back it works again.
func TestReplicasComeAndGo(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.User("ann@example.com")
	var served [3]atomic.Int64
	var wires []*wire
	var servers, addresses []string
	for i := range served {
		count := func() { served[i].Add(1) }
		server := serve(t, io.Discard, issuer, identity{
			getUser: func(context.Context) (*identityv1.GetUserResponse, error) {
				count()
				return &identityv1.GetUserResponse{}, nil
			},
			setUserRoles: func(context.Context) error { count(); return nil },
		})
		wires = append(wires, newWire(t, server.Addr()))
		servers, addresses = append(servers, server.Addr()), append(addresses, wires[i].Addr().String())
	}
	client := dial(t, strings.Join(addresses, ","), rpc.ClientConfig{})
	read := func() {
		t.Helper()
		if _, err := client.GetUser(as(token), &identityv1.GetUserRequest{}); err != nil {
			t.Fatalf("reading: %v", err)
		}
	}
	took := func() []int64 { return []int64{served[0].Load(), served[1].Load(), served[2].Load()} }
	until := func(i int, limit time.Duration) {
		t.Helper()
		before := served[i].Load()
		for began := time.Now(); served[i].Load() == before; read() {
			if time.Since(began) > limit {
				t.Fatalf("replica %d got nothing in %v; served %v", i, limit, took())
			}
		}
	}
	for i := range served {
		until(i, time.Minute)
	}
	for i := range served {
		served[i].Store(0)
	}
	for range 300 {
		read()
	}
	if all := took(); slices.Max(all)*10 > slices.Min(all)*13 {
		t.Errorf("the replicas served %v", all)
	}

	_ = wires[0].Close()
	wires[0].cut()
	failed := 0
	for range 200 {
		read()
		if _, err := client.SetUserRoles(as(token), &identityv1.SetUserRolesRequest{}); err != nil {
			failed++
		}
	}
	if failed > 1 {
		t.Errorf("a replica that died cost %d changes", failed)
	}

	wireAt(t, addresses[0], servers[0])
	until(0, 15*time.Second)
}
