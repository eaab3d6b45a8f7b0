package product

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	profiled = 5 * time.Second
	// settling is how long a load runs before its profile begins.
	settling = time.Second
)

// profile takes CPU and allocation profiles of the processes that a load keeps busy.
func (b *bench) profile(ctx context.Context) error {
	if err := os.MkdirAll(b.opts.Profiles, 0o755); err != nil {
		return err
	}
	if err := b.profileLoad(ctx, "sign-up", b.wrk.load("", b.signUpRequest(clients)), "gateway", "waitlist"); err != nil {
		return err
	}
	if err := b.product.signIn(ctx, clients); err != nil {
		return err
	}
	user := request{Method: http.MethodGet, URL: b.product.GatewayURL() + "/api/auth/user", Tokens: b.product.tokens(clients)}
	return b.profileLoad(ctx, "auth-user", b.wrk.load("", user), "gateway", "identity")
}

func (b *bench) profileLoad(ctx context.Context, name string, load Load, services ...string) error {
	var wg sync.WaitGroup
	errs := make([]error, 1+len(services))
	wg.Go(func() { _, errs[0] = load.Run(ctx, profiled+2*settling) })
	for i, service := range services {
		wg.Go(func() {
			<-time.After(settling)
			errs[i+1] = b.takeProfiles(ctx, name, service)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (b *bench) takeProfiles(ctx context.Context, load, service string) error {
	ops := strings.TrimSuffix(b.product.MetricsURLs()[service], "/metrics")
	for kind, path := range map[string]string{
		"cpu": fmt.Sprintf("/debug/pprof/profile?seconds=%.0f", profiled.Seconds()), "allocs": "/debug/pprof/allocs",
	} {
		content, err := fetch(ctx, ops+path)
		if err != nil {
			return err
		}
		name := filepath.Join(b.opts.Profiles, load+"-"+service+"-"+kind+".pprof")
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func fetch(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: profiled + time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return content, err
}
