// Package metricspage serves a web page with the metrics of the local stack's processes.
// It shows what Grafana shows of a cluster, without Prometheus: totals since the start of
// each process instead of values over time.
package metricspage

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"time"

	"fledge.dev/deploy/standins/loopback"
)

//go:embed page.gohtml
var text string

var page = template.Must(template.New("page").Parse(text))

// Options describes the page.
type Options struct {
	// Addr is the loopback host:port of the page.
	Addr string
	// Metrics are the addresses of the processes' /metrics, by name.
	Metrics map[string]string
}

// Server serves the page.
type Server struct {
	url  string
	http *http.Server
	done chan error
}

// Start serves until Close.
func Start(ctx context.Context, opts Options) (*Server, error) {
	listener, err := loopback.Listen(ctx, opts.Addr, false)
	if err != nil {
		return nil, fmt.Errorf("metricspage: %w", err)
	}
	s := &Server{
		url:  "http://" + listener.Addr().String(),
		http: &http.Server{Handler: loopback.Handler(handler(opts.Metrics)), ReadHeaderTimeout: 5 * time.Second},
		done: make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(listener) }()
	return s, nil
}

// URL is the page's address.
func (s *Server) URL() string { return s.url }

// Close ends the page.
func (s *Server) Close(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		return errors.Join(err, served)
	}
	return err
}

// process is a row of the page.
type process struct {
	Name, URL string
	// Failure is why there are no metrics.
	Failure error
	// Cells are as wide as columns.
	Cells []string
}

func handler(metrics map[string]string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		scrapes := scrapeAll(r.Context(), metrics)
		var rows []process
		for name, url := range metrics {
			row := process{Name: name, URL: url, Failure: scrapes[name].err}
			for _, c := range columns {
				row.Cells = append(row.Cells, c.of(scrapes[name].families))
			}
			rows = append(rows, row)
		}
		slices.SortFunc(rows, func(a, b process) int { return compare(a.Name, b.Name) })
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_ = page.Execute(w, map[string]any{"Columns": columns, "Processes": rows, "Business": business(scrapes), "At": time.Now().Format(time.TimeOnly)})
	})
	return mux
}

// compare puts the gateway, where everything begins, first.
func compare(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "gateway" || b != "gateway" && a < b:
		return -1
	}
	return 1
}
