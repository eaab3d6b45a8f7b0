package kratos_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/proxytest"
)

func TestKratosIsNotAskedThroughAProxy(t *testing.T) {
	asked := proxytest.Asked(t, func() {
		client, err := kratos.New(kratos.Config{PublicURL: "http://kratos.invalid:4433", AdminURL: "https://kratos.invalid:4434", Timeout: 10 * time.Second}, prometheus.NewRegistry())
		errtest.None(t, err)
		if _, err := client.Session(t.Context(), brand.SessionCookie+"=x"); !errors.Is(err, fault.Unavailable) {
			t.Errorf("public: %v", err)
		}
		if _, err := client.Identity(t.Context(), uuid.New()); !errors.Is(err, fault.Unavailable) {
			t.Errorf("admin: %v", err)
		}
	})
	if len(asked) > 0 {
		t.Errorf("a proxy was asked for %v", asked)
	}
}
