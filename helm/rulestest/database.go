package rulestest

import (
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// epoch is the start time of tests, as in promtool.
var epoch = time.Unix(0, 0).UTC()

// database keeps series in memory and implements what the engine needs.
type database struct{ series map[uint64]*series }

type series struct {
	metric  labels.Labels
	samples []chunks.Sample
}

func (d *database) add(metric labels.Labels, at time.Duration, value float64) {
	s, ok := d.series[metric.Hash()]
	if !ok {
		s = &series{metric: metric}
		d.series[metric.Hash()] = s
	}
	s.samples = append(s.samples, point{at.Milliseconds(), value})
}

// Querier implements storage.Queryable.
func (d *database) Querier(_, _ int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: d.find}, nil
}

func (d *database) find(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	var found []storage.Series
next:
	for _, s := range d.series {
		for _, m := range matchers {
			if !m.Matches(s.metric.Get(m.Name)) {
				continue next
			}
		}
		found = append(found, storage.NewListSeries(s.metric, s.samples))
	}
	return &set{series: found, at: -1}
}

type set struct {
	series []storage.Series
	at     int
}

func (s *set) Next() bool                        { s.at++; return s.at < len(s.series) }
func (s *set) At() storage.Series                { return s.series[s.at] }
func (s *set) Err() error                        { return nil }
func (s *set) Warnings() annotations.Annotations { return nil }

// point is a sample.
type point struct {
	at    int64
	value float64
}

func (p point) T() int64                      { return p.at }
func (p point) F() float64                    { return p.value }
func (p point) H() *histogram.Histogram       { return nil }
func (p point) FH() *histogram.FloatHistogram { return nil }
func (p point) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (p point) Copy() chunks.Sample           { return p }
