package rpc_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
)

// TestACallerWhoLeftIsNoFailure: the alerts on failed calls and the log's errors tell about
// the service alone, and a caller whose time is over has not left.
func TestACallerWhoLeftIsNoFailure(t *testing.T) {
	for name, tt := range map[string]struct {
		leaves         bool
		outcome, level string
	}{
		"leaves":    {true, "canceled", "INFO"},
		"times out": {false, "unavailable", "ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			issuer := authntest.New(t, nil)
			_, token := issuer.User("ann@example.com")
			arrived := make(chan struct{})
			var log logtest.Log
			server, metrics := observed(t, &log, issuer, identity{getUser: func(ctx context.Context) (*identityv1.GetUserResponse, error) {
				close(arrived)
				<-ctx.Done()
				return nil, ctx.Err()
			}})
			ctx, leave := context.WithCancel(as(token))
			defer leave()
			if !tt.leaves {
				ctx, leave = context.WithTimeout(ctx, 200*time.Millisecond)
				defer leave()
			}
			go func() {
				<-arrived
				if tt.leaves {
					leave()
				}
			}()
			if _, err := dial(t, server.Addr(), rpc.ClientConfig{}).GetUser(ctx, &identityv1.GetUserRequest{}); err == nil {
				t.Error("there was an answer")
			}
			waittest.Seen(t, "the outcome "+tt.outcome, func() (bool, string) {
				counted := outcomes(t, metrics)
				return counted[tt.outcome] == 1 && len(counted) == 1, log.String()
			})
			if line := `"level":"` + tt.level + `"`; !strings.Contains(log.String(), line) || !strings.Contains(log.String(), `"kind":"`+tt.outcome+`"`) {
				t.Errorf("logged %s", log.String())
			}
		})
	}
}

func observed(t *testing.T, log io.Writer, issuer *authntest.Issuer, impl identity) (*rpc.Server, *prometheus.Registry) {
	t.Helper()
	rt := service.NewRuntime("test", "dev", obs.NewLogger(log, "test", slog.LevelDebug))
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: internalToken, MaxConnectionAge: time.Minute}, rt, issuer.Verifier(), issuer, policy)
	errtest.None(t, err)
	server.Register(&identityv1.IdentityService_ServiceDesc, impl)
	stop, err := server.Unit().Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	return server, rt.Metrics
}

// outcomes counts the calls of GetUser.
func outcomes(t *testing.T, metrics *prometheus.Registry) map[string]uint64 {
	t.Helper()
	families, err := metrics.Gather()
	errtest.None(t, err)
	counted := map[string]uint64{}
	for _, family := range families {
		if family.GetName() != "rpc_server_duration_seconds" {
			continue
		}
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "outcome" {
					counted[label.GetValue()] += m.GetHistogram().GetSampleCount()
				}
			}
		}
	}
	return counted
}
