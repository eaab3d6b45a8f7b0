package rulestest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

// plan is a file of tests.
type plan struct {
	RuleFiles          []string       `yaml:"rule_files"`
	EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	Tests              []test
}

type test struct {
	Name     string
	Interval model.Duration
	Inputs   []struct{ Series, Values string } `yaml:"input_series"`
	Checks   []check                           `yaml:"promql_expr_test"`
}

type check struct {
	Expr    string
	At      model.Duration `yaml:"eval_time"`
	Samples []struct {
		Labels string
		Value  float64
	} `yaml:"exp_samples"`
}

// load reads rule files as Prometheus does, templates of annotations included.
func load(files []string) ([]rulefmt.RuleGroup, error) {
	var groups []rulefmt.RuleGroup
	for _, file := range files {
		parsed, errs := rulefmt.ParseFile(file, false, model.UTF8Validation)
		if len(errs) > 0 {
			return nil, errors.Join(errs...)
		}
		groups = append(groups, parsed.Groups...)
	}
	return groups, nil
}

// run evaluates the rules step by step and returns the differences from what is expected.
// It records the alerts that a check saw firing in covered.
func (t test) run(ctx context.Context, groups []rulefmt.RuleGroup, interval model.Duration, covered map[string]bool) []error {
	db := &database{series: map[uint64]*series{}}
	for _, input := range t.Inputs {
		metric, values, err := parser.ParseSeriesDesc(input.Series + " " + input.Values)
		if err != nil {
			return []error{fmt.Errorf("%s: %w", input.Series, err)}
		}
		for i, v := range values {
			if !v.Omitted {
				db.add(metric, time.Duration(i)*time.Duration(t.Interval), v.Value)
			}
		}
	}
	checks := slices.SortedFunc(slices.Values(t.Checks), func(a, b check) int { return int(a.At - b.At) })
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: 5 * time.Minute})
	evaluator := evaluator{engine: engine, db: db, since: map[string]time.Duration{}}
	var problems []error
	for at := time.Duration(0); len(checks) > 0; at += time.Duration(interval) {
		if err := evaluator.evaluate(ctx, groups, at); err != nil {
			return append(problems, err)
		}
		for len(checks) > 0 && time.Duration(checks[0].At) <= at {
			problems = append(problems, evaluator.check(ctx, checks[0], at, covered)...)
			checks = checks[1:]
		}
	}
	return problems
}

func (e evaluator) check(ctx context.Context, c check, at time.Duration, covered map[string]bool) (problems []error) {
	vector, err := e.query(ctx, c.Expr, at)
	if err != nil {
		return []error{err}
	}
	got := map[string]float64{}
	for _, sample := range vector {
		got[sample.Metric.String()] = sample.F
		if sample.Metric.Get("alertstate") == "firing" {
			covered[sample.Metric.Get("alertname")] = true
		}
	}
	for _, want := range c.Samples {
		metric, err := parser.ParseMetric(want.Labels)
		if err != nil {
			return []error{err}
		}
		if value, ok := got[metric.String()]; !ok || value != want.Value {
			problems = append(problems, fmt.Errorf("%s at %s: want %s = %v, got %v", c.Expr, at, metric, want.Value, got))
		}
		delete(got, metric.String())
	}
	if len(problems) == 0 && len(got) > 0 {
		problems = append(problems, fmt.Errorf("%s at %s: did not expect %v", c.Expr, at, got))
	}
	return problems
}

// evaluator does what Prometheus' rule manager does.
type evaluator struct {
	engine *promql.Engine
	db     *database
	// since is when an alert's expression became true, by alert and labels.
	since map[string]time.Duration
}

func (e evaluator) query(ctx context.Context, expr string, at time.Duration) (promql.Vector, error) {
	query, err := e.engine.NewInstantQuery(ctx, e.db, nil, expr, epoch.Add(at))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	defer query.Close()
	vector, err := query.Exec(ctx).Vector()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	return slices.Clone(vector), nil
}

func (e evaluator) evaluate(ctx context.Context, groups []rulefmt.RuleGroup, at time.Duration) error {
	for _, group := range groups {
		for _, rule := range group.Rules {
			vector, err := e.query(ctx, rule.Expr, at)
			if err != nil {
				return err
			}
			if rule.Alert != "" {
				e.alert(rule, vector, at)
				continue
			}
			recorded := map[string]bool{}
			for _, sample := range vector {
				metric := labelled(sample.Metric, rule.Labels, model.MetricNameLabel, rule.Record)
				if recorded[metric.String()] {
					return fmt.Errorf("%s is recorded twice: Prometheus refuses that", metric)
				}
				recorded[metric.String()] = true
				e.db.add(metric, at, sample.F)
			}
		}
	}
	return nil
}

// alert writes the series ALERTS, as pending until the rule's `for` has passed.
func (e evaluator) alert(rule rulefmt.Rule, vector promql.Vector, at time.Duration) {
	active := map[string]bool{}
	for _, sample := range vector {
		key := rule.Alert + sample.Metric.String()
		active[key] = true
		if _, ok := e.since[key]; !ok {
			e.since[key] = at
		}
		state := "pending"
		if at-e.since[key] >= time.Duration(rule.For) {
			state = "firing"
		}
		metric := labelled(sample.Metric, rule.Labels, model.MetricNameLabel, "ALERTS", "alertname", rule.Alert, "alertstate", state)
		e.db.add(metric, at, 1)
	}
	for key := range e.since {
		if len(key) > len(rule.Alert) && key[:len(rule.Alert)+1] == rule.Alert+"{" && !active[key] {
			delete(e.since, key)
		}
	}
}

func labelled(metric labels.Labels, more map[string]string, pairs ...string) labels.Labels {
	builder := labels.NewBuilder(metric)
	for name, value := range more {
		builder.Set(name, value)
	}
	for i := 0; i < len(pairs); i += 2 {
		builder.Set(pairs[i], pairs[i+1])
	}
	return builder.Labels()
}
