package product

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"fledge.dev/deploy/bench/product/bare"
	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/ready"
)

// Bare is the word by which this program becomes one of the two processes of package bare.
const Bare = "bare"

// The processes, and what they are told in the environment: where the other one or the
// database is.
const (
	bareGateway = "bare gateway"
	bareService = "bare service"
	bareTarget  = "BARE_TARGET"
)

// ServeBare is a part of package bare at an address, until ctx ends.
func ServeBare(ctx context.Context, part, address string) error {
	switch part {
	case bareGateway:
		return bare.Gateway(ctx, address, os.Getenv(bareTarget))
	case bareService:
		return bare.Service(ctx, address, os.Getenv(bareTarget))
	}
	return fmt.Errorf("there is no %q", part)
}

// startBare starts both parts and returns where sign-ups are taken.
func (b *bench) startBare(ctx context.Context) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	first, err := b.ports.Port()
	if err != nil {
		return "", err
	}
	second, err := b.ports.Port()
	if err != nil {
		return "", err
	}
	service, gateway := ports.Loopback(first), ports.Loopback(second)
	start := func(name, address, target string) (*child.Process, error) {
		process, err := child.Start(child.Spec{
			Name: name, Path: program, Args: []string{Bare, name, address}, Env: []string{bareTarget + "=" + target},
			LogFile: filepath.Join(b.opts.Scratch, name+".log"),
		})
		if err == nil {
			b.peers = append(b.peers, process)
			b.product.peers[process.PID()] = name
		}
		return process, err
	}
	_, err = start(bareService, service, b.product.DatabaseURL("waitlist"))
	calling, callErr := start(bareGateway, gateway, service)
	if err := errors.Join(err, callErr); err != nil {
		return "", err
	}
	return "http://" + gateway + bare.Route, ready.HTTP(ctx, "http://"+gateway+bare.Health, http.StatusOK, calling.Done(), time.Minute)
}
