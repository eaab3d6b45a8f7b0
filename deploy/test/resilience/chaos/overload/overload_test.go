package overload

import (
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/test/harness/load"
)

func of(name string, goodput float64, refusal time.Duration, wrong int) load.Sample {
	return load.Sample{Name: name, Goodput: goodput, Refused: load.Times{Answers: 1, P99: refusal}, Wrong: wrong}
}

func TestAPromiseIsBrokenByAnyLoad(t *testing.T) {
	for name, tc := range map[string]struct {
		load load.Sample
		want string
	}{
		"kept":          {of("5×", 80, refusal, 0), ""},
		"collapsed":     {of("5×", 79, refusal, 0), "79 % of the peak"},
		"slow refusals": {of("5×", 100, refusal+time.Millisecond, 0), "a refusal takes"},
		"wrong answers": {of("5×", 100, 0, 1), "neither done nor refused"},
	} {
		r := Report{Peak: of("peak", 100, 0, 0), After: of("after", 100, 0, 0), Loads: []load.Sample{tc.load}}
		var page strings.Builder
		r.Print(&page)
		if r.OK() != (tc.want == "") || !strings.Contains(page.String(), tc.want) {
			t.Errorf("%s: %t, %s", name, r.OK(), &page)
		}
		if r = (Report{Peak: r.Peak, After: tc.load}); r.OK() != (tc.want == "") {
			t.Errorf("%s afterwards: %t", name, r.OK())
		}
	}
}
