package rehearsal

import (
	"fmt"
	"slices"
	"strings"
)

// Compare says in a sentence each what a step showed in one of two lives only. Events of a
// type that the stand-in sent in no step are left out: it has fewer types than Stripe.
func Compare(sandbox, standIn []Step) []string {
	var sends []string
	for _, step := range standIn {
		sends = append(sends, step.Facts...)
	}
	var differences []string
	for i := range max(len(sandbox), len(standIn)) {
		if i >= len(sandbox) || i >= len(standIn) || sandbox[i].Name != standIn[i].Name {
			return append(differences, fmt.Sprintf("the lives have different steps from number %d on: compare records of one version", i+1))
		}
		for _, fact := range without(sandbox[i].Facts, standIn[i].Facts) {
			if !strings.HasPrefix(fact, "event ") || slices.Contains(sends, fact) {
				differences = append(differences, sandbox[i].Name+": only Stripe has: "+fact)
			}
		}
		for _, fact := range without(standIn[i].Facts, sandbox[i].Facts) {
			differences = append(differences, standIn[i].Name+": only the stand-in has: "+fact)
		}
	}
	return differences
}

// without is a list less what another has, each as often as there.
func without(list, other []string) []string {
	rest := slices.Clone(list)
	for _, gone := range other {
		if i := slices.Index(rest, gone); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return rest
}
