package obs

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// scrapeTimeout bounds a look, so that a hanging database cannot hang a scrape.
	scrapeTimeout = time.Second
	// defaultMaxAge lets several scrapers share one look.
	defaultMaxAge = time.Second
)

// ScrapeGauge is a gauge that is looked up for a scrape, such as a count of rows.
type ScrapeGauge struct {
	Name, Help string
	// Labels are the names of the labels. Their values must be few.
	Labels []string
	// MaxAge is for how long the samples of one look are served; default 1 s. Whoever can
	// reach /metrics can cause a look once in this time, so let costly ones live longer.
	MaxAge time.Duration
	// Look returns the samples. If it fails, the scrape has none.
	Look func(ctx context.Context) ([]Sample, error)
}

// Sample is a value with the values of the labels, in their order.
type Sample struct {
	Labels []string
	Value  float64
}

// Register adds the gauge to a registry.
func (g ScrapeGauge) Register(reg prometheus.Registerer) error {
	if err := reg.Register(&collector{ScrapeGauge: g, desc: prometheus.NewDesc(g.Name, g.Help, g.Labels, nil)}); err != nil {
		return fmt.Errorf("obs: %s: %w", g.Name, err)
	}
	return nil
}

type collector struct {
	ScrapeGauge
	desc *prometheus.Desc

	mu      sync.Mutex
	samples []Sample
	until   time.Time
}

func (c *collector) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- c.desc }

func (c *collector) Collect(metrics chan<- prometheus.Metric) {
	for _, s := range c.current() {
		metrics <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, s.Value, s.Labels...)
	}
}

func (c *collector) current() []Sample {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Now().Before(c.until) {
		return c.samples
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	samples, err := c.Look(ctx)
	if err != nil {
		return nil
	}
	c.samples, c.until = samples, time.Now().Add(cmp.Or(c.MaxAge, defaultMaxAge))
	return samples
}
