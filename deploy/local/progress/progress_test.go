package progress

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestPlainLinesTellStartEndAndTime(t *testing.T) {
	var out bytes.Buffer
	p := New(&out)
	site := p.Begin("site", "takes a minute")
	kratos := p.Begin("Ory Kratos", "")
	kratos.End(errors.New("no"))
	site.End(nil)
	p.Print("done\n")
	p.Close()
	text := out.String()
	for _, want := range []string{".. site (takes a minute)", ".. Ory Kratos\n", "!! Ory Kratos", "ok site", " s\n", "done\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("control sequences away from a terminal")
	}
}

func TestTheLiveLineShowsWhatRunsAndNeverWraps(t *testing.T) {
	var out bytes.Buffer
	p := &Printer{out: &out, live: true, stop: make(chan struct{}), done: make(chan struct{})}
	for _, name := range []string{"PostgreSQL", "npm packages of the site", "Ory Kratos", "Caddy", "Fledge"} {
		p.Begin(name, "")
	}
	out.Reset()
	p.showRunning()
	line := strings.TrimPrefix(out.String(), "\r\x1b[K")
	if !strings.Contains(line, "PostgreSQL 0 s, npm packages") || len(line) > 78 {
		t.Errorf("%d characters: %q", len(line), line)
	}
}
