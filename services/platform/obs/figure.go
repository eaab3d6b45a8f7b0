package obs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// figureTimeout bounds a look, so that a hanging database cannot hang a scrape.
const figureTimeout = time.Second

// figureLasts is for how long a look serves: several scrapers cost no more than one, and who
// scrapes often also sees the pool without the connection that a look uses.
const figureLasts = time.Second

// Figure is a gauge that is looked up for a scrape, such as a count of rows.
// Replicas that share a database all tell the same: take the max of them.
type Figure struct {
	Name, Help string
	// Labels name what tells the samples apart. Their values must be few.
	Labels []string
	// Look returns the samples. After an error the scrape goes without.
	Look func(ctx context.Context) ([]Sample, error)
}

// Sample is a value with those of the labels, in their order.
type Sample struct {
	Labels []string
	Value  float64
}

// Register adds the figure to a registry.
func (f Figure) Register(reg prometheus.Registerer) error {
	if err := reg.Register(&collected{Figure: f, desc: prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)}); err != nil {
		return fmt.Errorf("obs: %s: %w", f.Name, err)
	}
	return nil
}

type collected struct {
	Figure
	desc *prometheus.Desc

	mu      sync.Mutex
	samples []Sample
	until   time.Time
}

func (c *collected) Describe(descriptions chan<- *prometheus.Desc) { descriptions <- c.desc }

func (c *collected) Collect(metrics chan<- prometheus.Metric) {
	for _, s := range c.current() {
		metrics <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, s.Value, s.Labels...)
	}
}

func (c *collected) current() []Sample {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Now().Before(c.until) {
		return c.samples
	}
	ctx, cancel := context.WithTimeout(context.Background(), figureTimeout)
	defer cancel()
	samples, err := c.Look(ctx)
	if err != nil {
		return nil
	}
	c.samples, c.until = samples, time.Now().Add(figureLasts)
	return samples
}
