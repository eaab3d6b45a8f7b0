package chaos

import (
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/services/platform/errtest"
)

// broken are the checks of a scenario that find a problem, with its text, but for those
// that read a database.
func broken(t *testing.T, r *Run) (found string) {
	t.Helper()
	var list []Result
	for _, c := range r.scenario.Checks {
		if strings.Contains(c.Name, "nothing lost") || strings.Contains(c.Name, "email") {
			continue
		}
		figure, problems, err := c.Look(t.Context(), r)
		errtest.None(t, err)
		list = append(list, Result{c.Name, figure, problems})
	}
	report := &Report{Scenario: r.scenario, Results: list}
	var page strings.Builder
	report.Print(&page)
	for _, c := range list {
		for _, problem := range c.Problems {
			if found += c.Name + ": " + problem; report.OK() || !strings.Contains(page.String(), problem) {
				t.Errorf("the report does not say %q: %s", problem, &page)
			}
		}
	}
	if found == "" && !report.OK() {
		t.Error("nothing is broken, and not all is well")
	}
	return found
}

func of(name string, good int, refused load.Times, wrong int) load.Sample {
	return load.Sample{Name: name, Took: time.Second, Good: load.Times{Answers: good}, Refused: refused, Wrong: wrong}
}

func TestAnyOfTheseBreaksAPromise(t *testing.T) {
	refused := load.Times{Answers: 1}
	slow := func(d time.Duration) load.Times { return load.Times{Answers: 1, P99: d, Max: d} }
	for name, tc := range map[string]struct {
		scenario Scenario
		samples  []load.Sample // beside those of a run in which all is well
		want     string
	}{
		"overload kept":          {overload(), nil, ""},
		"collapsed":              {overload(), []load.Sample{of("5×", 79, refused, 0)}, "79 % of the peak"},
		"not as before":          {overload(), []load.Sample{of("after", 79, refused, 0)}, "79 % of the peak"},
		"slow refusals":          {overload(), []load.Sample{of("2×", 100, slow(refusal+time.Millisecond), 0)}, "a refusal takes"},
		"wrong answers":          {overload(), []load.Sample{of("1×", 100, refused, 1)}, "neither done nor refused"},
		"stall kept":             {stall(), nil, ""},
		"not away":               {stall(), []load.Sample{of("frozen", 1, load.Times{}, 0)}, "PostgreSQL was away"},
		"wrong after a stall":    {stall(), []load.Sample{of("back", 1, refused, 1)}, "neither done nor refused"},
		"a slow refusal":         {stall(), []load.Sample{of("frozen", 1, slow(told+1), 0)}, "the slowest took"},
		"away for long":          {stall(), []load.Sample{of("after", 1, refused, 0)}, "after PostgreSQL is back"},
		"rolling kept":           {rolling(), nil, ""},
		"refused while rolling":  {rolling(), []load.Sample{of("rolling", 1, refused, 0)}, "no request fails"},
		"wrong while it is calm": {rolling(), []load.Sample{of("calm", 1, load.Times{}, 1)}, "no request fails"},
	} {
		r := newRun(tc.scenario, Options{})
		r.samples = tc.samples
		if tc.scenario.Name != "rolling" && r.sample("frozen").Name == "" {
			r.samples = append(r.samples, of("frozen", 1, refused, 0))
		}
		for _, phase := range []string{peak, "1×", "2×", "5×", "after"} {
			if r.sample(phase).Name == "" {
				r.samples = append(r.samples, of(phase, 100, load.Times{}, 0))
			}
		}
		if got := broken(t, r); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestATimeIsKeptOrNot(t *testing.T) {
	r := newRun(Scenario{Checks: []Check{within("a start", time.Second)}}, Options{})
	for _, tc := range []struct {
		took time.Duration
		kept bool
	}{{time.Second, true}, {2 * time.Second, false}, {time.Second, false}} { // the worst counts
		r.took("a start", tc.took)
		results, err := r.look(t.Context())
		if report := (Report{Results: results}); err != nil || len(results) != 1 || report.OK() != tc.kept {
			t.Errorf("%+v: %+v, %v", tc, results, err)
		}
	}
	r.opts.Quick = true
	if results, err := r.look(t.Context()); err != nil || len(results) != 0 {
		t.Errorf("quick: %+v, %v", results, err)
	}
}

func TestWhatAProgramHoldsBreaksAPromise(t *testing.T) {
	for name, tc := range map[string]struct {
		most  int
		after held
		want  string
	}{
		"kept":           {356, held{size: 10, sessions: 12}, ""},
		"piled up":       {357, held{size: 10, sessions: 12}, "357 goroutines"},
		"not given back": {0, held{inUse: 1}, "1 connections are not given back"},
		"left over":      {0, held{size: 10, sessions: 13}, "13 sessions"},
		"busy":           {0, held{busy: 1, size: 10}, "1 sessions are still busy"},
	} {
		p := &programs{most: map[string]int{"waitlist": tc.most}, after: map[string]held{"waitlist": tc.after}}
		if got := strings.Join(append(p.piledUp(), p.notGivenBack()...), " "); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestALedgerIsComparedWithWhatIsThere(t *testing.T) {
	tried, acked := load.NewKeys(), load.NewKeys()
	for _, key := range []string{"kept", "lost", "twice"} {
		tried.Add(key)
		acked.Add(key)
	}
	tried.Add("unanswered")
	_, problems := compare(tried, acked, []string{"kept", "twice", "twice", "unanswered", "invented"})
	got := strings.Join(problems, ", ")
	for _, want := range []string{"lost is lost", "twice is there more than once", "invented should not be there"} {
		if !strings.Contains(got, want) || len(problems) != 3 {
			t.Errorf("%s: want %s", got, want)
		}
	}
	if _, problems := compare(tried, load.NewKeys(), nil); len(problems) != 1 {
		t.Errorf("nothing acknowledged: %v", problems)
	}
}
