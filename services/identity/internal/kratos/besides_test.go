package kratos_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// TestEndSessionsBesides: however many there are, those to be kept are what is left.
func TestEndSessionsBesides(t *testing.T) {
	identity := uuid.New()
	var active []string
	fails := ""
	mux := http.NewServeMux()
	mux.HandleFunc("GET /admin/identities/"+identity.String()+"/sessions", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("active") != "true" || r.URL.Query().Get("page_size") != "250" {
			t.Errorf("asked for %s", r.URL)
		}
		page := []map[string]any{}
		for _, id := range active[:min(250, len(active))] {
			page = append(page, map[string]any{"id": id, "active": true})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(page)
	})
	mux.HandleFunc("DELETE /admin/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		if id == fails {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		active = slices.DeleteFunc(active, func(a string) bool { return a == id })
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("DELETE /admin/identities/"+identity.String()+"/sessions", func(w http.ResponseWriter, _ *http.Request) {
		active = nil
		w.WriteHeader(http.StatusNoContent)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	client, err := kratos.New(kratos.Config{PublicURL: server.URL, AdminURL: server.URL, Timeout: 10 * time.Second}, prometheus.NewRegistry())
	errtest.None(t, err)
	t.Cleanup(client.Close)

	kept := []uuid.UUID{uuid.New(), uuid.New()}
	left := []string{kept[0].String(), kept[1].String()}
	for i := range 600 {
		if i%300 == 7 {
			active = append(active, left[i/300])
		}
		active = append(active, uuid.NewString())
	}
	fails = active[400]
	if err := client.EndSessionsBesides(t.Context(), identity, kept); !errors.Is(err, fault.Unavailable) {
		t.Errorf("one that could not be ended: %v", err)
	}
	fails = ""
	if err := client.EndSessionsBesides(t.Context(), identity, kept); err != nil || !slices.Equal(active, left) {
		t.Errorf("%v, left %s", err, strings.Join(active, " "))
	}
	if err := client.EndSessionsBesides(t.Context(), identity, nil); err != nil || len(active) != 0 {
		t.Errorf("%v, left %s", err, strings.Join(active, " "))
	}
}
