package middleware_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/gateway/internal/middleware"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
)

// TestAPanicIsA500, or breaks the answer off that it has begun.
func TestAPanicIsA500(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	var log bytes.Buffer
	metrics := prometheus.NewRegistry()
	observer, err := middleware.NewObserver(obs.NewLogger(&log, "gateway", 0), metrics)
	errtest.None(t, err)
	engine := gin.New()
	engine.Use(middleware.RequestID, observer.Observe, observer.Recover, middleware.Deadline(func(*gin.Context) time.Duration { return time.Minute }))
	engine.GET("/at-once", func(*gin.Context) { panic("broken") })
	engine.GET("/half-way", func(c *gin.Context) {
		_, _ = c.Writer.WriteString("a part")
		c.Writer.Flush()
		panic("broken")
	})
	server := httptest.NewServer(engine)
	defer server.Close()

	resp, err := server.Client().Get(server.URL + "/at-once")
	errtest.None(t, err)
	var answer struct{ Code, RequestID string }
	err = json.NewDecoder(resp.Body).Decode(&answer)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusInternalServerError || answer.Code != "internal" || answer.RequestID != resp.Header.Get(middleware.HeaderRequestID) {
		t.Errorf("%d %+v, %v", resp.StatusCode, answer, err)
	}

	resp, err = server.Client().Get(server.URL + "/half-way")
	errtest.None(t, err)
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err == nil || string(body) != "a part" {
		t.Errorf("it looks whole: %q, %v", body, err)
	}

	server.Close() // waits for the log's last line
	for _, route := range []string{"/at-once", "/half-way"} {
		var requests []string
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, `"msg":"request"`) && strings.Contains(line, route) {
				requests = append(requests, line)
			}
		}
		if len(requests) != 1 || strings.Contains(requests[0], `"aborted":true`) != (route == "/half-way") {
			t.Errorf("%s is logged as %q", route, requests)
		}
	}
	families, err := metrics.Gather()
	errtest.None(t, err)
	counted := map[string]string{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range series.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if family.GetName() == "http_request_duration_seconds" {
				counted[labels["route"]] = labels["status"]
			}
		}
	}
	if want := map[string]string{"/at-once": "500", "/half-way": "aborted"}; !maps.Equal(counted, want) {
		t.Errorf("counted %v, want %v", counted, want)
	}
}
