package service

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
)

func quietRuntime() *Runtime {
	return NewRuntime("test", "dev", obs.NewLogger(io.Discard, "test", 0))
}

func recorded(log *[]string, name string, startErr error) Unit {
	return Unit{Name: name, Start: func(context.Context) (func(context.Context) error, error) {
		*log = append(*log, "start "+name)
		if startErr != nil {
			return nil, startErr
		}
		return func(context.Context) error { *log = append(*log, "stop "+name); return nil }, nil
	}}
}

func TestRunStartsInOrderAndStopsInReverse(t *testing.T) {
	var log []string
	ctx, cancel := context.WithCancel(t.Context())
	last := Unit{Name: "last", Start: func(context.Context) (func(context.Context) error, error) { cancel(); return nil, nil }}

	err := Run(ctx, quietRuntime(), Base{StopTimeout: time.Second}, []Unit{recorded(&log, "a", nil), recorded(&log, "b", nil), last})
	errtest.None(t, err)
	if want := []string{"start a", "start b", "stop b", "stop a"}; !slices.Equal(log, want) {
		t.Fatalf("got %v, want %v", log, want)
	}
}

func TestRunStopsWhatStartedWhenAUnitCannotStart(t *testing.T) {
	var log []string
	boom := errors.New("boom")

	err := Run(t.Context(), quietRuntime(), Base{StopTimeout: time.Second}, []Unit{recorded(&log, "a", nil), recorded(&log, "b", boom)})

	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "start b") {
		t.Fatalf("got %v", err)
	}
	if want := []string{"start a", "start b", "stop a"}; !slices.Equal(log, want) {
		t.Fatalf("got %v, want %v", log, want)
	}
}

func TestRunEndsWhenAUnitFailsLater(t *testing.T) {
	rt, boom := quietRuntime(), errors.New("listener gone")
	failing := Unit{Name: "f", Start: func(context.Context) (func(context.Context) error, error) { rt.Fail(boom); return nil, nil }}

	if err := Run(t.Context(), rt, Base{StopTimeout: time.Second}, []Unit{failing}); !errors.Is(err, boom) {
		t.Fatalf("got %v", err)
	}
}

func TestProfilesAreServedIfAskedFor(t *testing.T) {
	for profiles, want := range map[bool]int{true: http.StatusOK, false: http.StatusNotFound} {
		rec := httptest.NewRecorder()
		opsHandler(quietRuntime(), profiles).ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/debug/pprof/", nil))
		if rec.Code != want {
			t.Errorf("profiles %t: %d", profiles, rec.Code)
		}
	}
}

func TestReadinessFollowsTheRunAndItsChecks(t *testing.T) {
	rt := quietRuntime()
	broken := errors.New("dial tcp 10.1.2.3: refused")
	rt.Health.GateStart("database", func(context.Context) error { return broken })
	handler := opsHandler(rt, false)
	get := func(path string) (int, string) {
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, nil))
		return rec.Code, rec.Body.String()
	}

	if code, _ := get("/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("before the start: %d", code)
	}
	rt.Health.setReady(true)
	if code, body := get("/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(body, "database: failed") || strings.Contains(body, "10.1.2.3") {
		t.Errorf("no database yet: %d %s", code, body)
	}
	broken = nil
	if code, _ := get("/readyz"); code != http.StatusOK {
		t.Errorf("running: %d", code)
	}
	rt.Health.Inform("nats", func(context.Context) error { return errors.New("away") })
	if code, body := get("/readyz"); code != http.StatusOK || !strings.Contains(body, "nats: failed") {
		t.Errorf("without a part that can be missed: %d %s", code, body)
	}
	broken = errors.New("dial tcp 10.1.2.3: refused")
	if code, body := get("/readyz"); code != http.StatusOK || !strings.Contains(body, "database: failed") || strings.Contains(body, "10.1.2.3") {
		t.Errorf("the database has gone away: %d %s", code, body)
	}
	rt.Health.setReady(false)
	if code, _ := get("/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("draining: %d", code)
	}
	if code, _ := get("/livez"); code != http.StatusOK {
		t.Errorf("liveness must not depend on anything: %d", code)
	}
	if code, body := get("/metrics"); code != http.StatusOK || !strings.Contains(body, "go_goroutines") {
		t.Errorf("metrics: %d", code)
	}
}

type testConfig struct {
	Base
	Key config.Secret `env:"KEY"`
}

func (c testConfig) Validate() error {
	if c.Key == "" {
		return errors.New("KEY is missing")
	}
	return c.Base.Validate()
}

func TestProgram(t *testing.T) {
	feather := Command{
		Name: "feather", Arguments: "[--soft]", Summary: "lose a feather", Help: "It grows back.",
		Run: func(_ context.Context, call Call) error {
			if _, err := Settings[testConfig](call); err != nil {
				return err
			}
			if len(call.Args) > 0 && call.Args[0] != "--soft" {
				return Misuse("feather: what is %q?", call.Args[0])
			}
			if len(call.Args) == 0 {
				return errors.New("it hurts")
			}
			_, err := io.WriteString(call.Out, "gone\n")
			return err
		},
	}
	for name, tc := range map[string]struct {
		environ, args []string
		code          int
		want          string
	}{
		"validate":           {[]string{"KEY=k"}, []string{"--validate"}, 0, "valid"},
		"bad config":         {nil, []string{"--validate"}, 2, "KEY is missing"},
		"print":              {[]string{"KEY=hunter2"}, []string{"--print-config"}, 0, "KEY=[redacted]"},
		"version":            {nil, []string{"--version"}, 0, "demo "},
		"nothing to do":      {[]string{"KEY=k"}, []string{"migrate"}, 0, "owns no database"},
		"migrate unset":      {nil, []string{"migrate"}, 2, "KEY is missing"},
		"unknown":            {nil, []string{"frobnicate"}, 2, "unknown command \"frobnicate\"; there is migrate and feather"},
		"unknown option":     {nil, []string{"--frobnicate"}, 2, "not defined"},
		"help":               {nil, []string{"--help"}, 0, "  feather         lose a feather\n"},
		"command":            {[]string{"KEY=k"}, []string{"feather", "--soft"}, 0, "gone"},
		"command fails":      {[]string{"KEY=k"}, []string{"feather"}, 1, "demo: it hurts"},
		"command misused":    {[]string{"KEY=k"}, []string{"feather", "x"}, 2, "usage: demo feather [--soft]"},
		"command's flag":     {[]string{"KEY=k"}, []string{"feather", "--sof"}, 2, "feather has no flag --sof\nusage: demo feather [--soft]"},
		"a flag later":       {[]string{"KEY=k"}, []string{"feather", "--soft", "-n=1"}, 2, "feather has no flag -n=1"},
		"no flag":            {[]string{"KEY=k"}, []string{"feather", "-2.50"}, 2, `feather: what is "-2.50"?`},
		"command unset":      {nil, []string{"feather"}, 2, "KEY is missing"},
		"command's help":     {nil, []string{"feather", "--soft", "--help"}, 0, "It grows back."},
		"command and option": {[]string{"KEY=k"}, []string{"--validate", "feather"}, 2, "no command"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			build := func(context.Context, testConfig, *Runtime) ([]Unit, error) { return nil, nil }
			p := program[testConfig]{name: "demo", build: build, commands: []Command{feather}, environ: tc.environ, out: &out, errOut: &out}
			if code := p.run(t.Context(), tc.args); code != tc.code || !strings.Contains(out.String(), tc.want) {
				t.Fatalf("exit %d, output %q; want %d and %q", code, out.String(), tc.code, tc.want)
			}
		})
	}
}
