// Package metrics reads what the programs of a running product show at /metrics.
package metrics

import (
	"context"
	"fmt"
	"net/http"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Families are the metrics of a process by name.
type Families map[string]*dto.MetricFamily

// Scrape reads the metrics that a process shows at url.
func Scrape(ctx context.Context, url string) (Families, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answers %s", resp.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(resp.Body)
}

// Sum adds the samples up whose labels are as given; of a histogram it counts
// observations. ok is false where there is no such metric.
func (f Families) Sum(name string, labels map[string]string) (total float64, ok bool) {
	for _, m := range f[name].GetMetric() {
		if !matches(m, labels) {
			continue
		}
		ok = true
		total += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return total, ok
}

// Value is the counter or gauge of that name without labels. ok is false where there is
// none.
func (f Families) Value(name string) (value float64, ok bool) {
	for _, m := range f[name].GetMetric() {
		if len(m.GetLabel()) == 0 {
			return m.GetCounter().GetValue() + m.GetGauge().GetValue(), true
		}
	}
	return 0, false
}

func matches(m *dto.Metric, labels map[string]string) bool {
	found := 0
	for _, pair := range m.GetLabel() {
		want, asked := labels[pair.GetName()]
		if asked && want != pair.GetValue() {
			return false
		}
		if asked {
			found++
		}
	}
	return found == len(labels)
}
