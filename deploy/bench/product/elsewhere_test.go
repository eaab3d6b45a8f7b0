package product

import (
	"strings"
	"testing"
)

func TestSupabaseAuthIsComparedByTheYardstickThatIsWorseForUs(t *testing.T) {
	group := func(rates map[string]float64, names ...string) Result {
		r := Result{Group: Group{Name: "g"}}
		for _, name := range names {
			r.Group.Loads, r.Samples = append(r.Group.Loads, Load{Name: name}), append(r.Samples, []Sample{{PerSecond: rates[name]}})
		}
		return r
	}
	rates := map[string]float64{plainInserts: 29_100, plainSelects: 16_600, userRoute: 11_000, refreshing: 2_000}
	signUps, reads := group(rates, plainInserts), group(rates, plainSelects, userRoute, refreshing)
	text := beside([]Result{signUps, reads, group(map[string]float64{plainInserts: 1}, plainInserts)})
	for _, want := range []string{
		"| GET /user | 0.069 | 0.024 | GET /api/auth/user | 0.378 | 0.663 | **5.5×** | ≥ 5×: met |",
		"| POST /token, refreshing | 0.018 | 0.006 | POST /api/auth/token, refreshing | 0.069 | 0.120 | **3.8×** | ≥ 5×: missed |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := beside([]Result{reads}); text != "" {
		t.Errorf("without the rate of INSERTs it says\n%s", text)
	}
}
