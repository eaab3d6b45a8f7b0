package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/google/renameio/v2"

	"fledge.dev/deploy/local/person"
)

const (
	healthTimeout = 60 * time.Second
	healthPoll    = 100 * time.Millisecond
)

// admitFirstPeople waits until everything is well and, the first time with these databases,
// lets the local people in.
func (s *Stack) admitFirstPeople(ctx context.Context) error {
	if err := s.awaitHealth(ctx); err != nil {
		return err
	}
	marker := s.opts.State.Path("seeded")
	seeded, err := os.ReadFile(marker)
	if err == nil && string(seeded) == s.databases.id {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.letTesterIn(ctx); err != nil {
		return fmt.Errorf("first people: %w", err)
	}
	return renameio.WriteFile(marker, []byte(s.databases.id), 0o644)
}

// letTesterIn tries again what a service that has just started, on a machine that is busy with
// that, answers with 503.
func (s *Stack) letTesterIn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	for {
		err := LetTesterIn(ctx, s.urls.Site)
		problem, ok := errors.AsType[*person.APIError](err)
		if !ok || problem.Status != http.StatusServiceUnavailable {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Second):
		}
	}
}

func (s *Stack) awaitHealth(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	ticker := time.NewTicker(healthPoll)
	defer ticker.Stop()
	visitor := person.New(s.urls.Site)
	for {
		var health struct {
			Status   string            `json:"status"`
			Services map[string]string `json:"services"`
		}
		err := visitor.Call(ctx, http.MethodGet, "/api/health", nil, &health)
		if err == nil && health.Status == "ok" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("/api/health is not ok in time: %v (%w)", health.Services, errors.Join(err, ctx.Err()))
		case <-ticker.C:
		}
	}
}

// LetTesterIn does at a site what an admin would: the tester joins the waitlist and is
// approved, unless that was done before.
func LetTesterIn(ctx context.Context, site string) error {
	admin := person.New(site)
	if err := admin.SignIn(ctx, AdminEmail); err != nil {
		return err
	}
	if err := admin.Call(ctx, http.MethodPost, "/api/add-waitlist-user", map[string]string{"email": TesterEmail}, nil); err != nil {
		return err
	}
	return admin.Approve(ctx, TesterEmail)
}
