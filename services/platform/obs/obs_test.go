package obs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"fledge.dev/services/platform/obs"
)

func TestLogLinesCarryServiceAndRequestID(t *testing.T) {
	var out bytes.Buffer
	log := obs.NewLogger(&out, "waitlist", slog.LevelInfo).With("part", "relay")

	log.InfoContext(obs.WithRequestID(context.Background(), "req-1"), "hello\nworld")

	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatalf("not one JSON line: %v in %q", err, out.String())
	}
	if line["service"] != "waitlist" || line["request_id"] != "req-1" || line["part"] != "relay" {
		t.Fatalf("got %v", line)
	}
}

func TestRequestIDsDiffer(t *testing.T) {
	if a, b := obs.NewRequestID(), obs.NewRequestID(); a == b {
		t.Fatalf("twice %s", a)
	}
}
