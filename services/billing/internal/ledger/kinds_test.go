package ledger_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// TestTheContractNamesTheKindsThatAreWritten: no more, no fewer.
func TestTheContractNamesTheKindsThatAreWritten(t *testing.T) {
	t.Parallel()
	kinds := func(file, area, word string) []string {
		text, err := os.ReadFile(file)
		errtest.None(t, err)
		found := regexp.MustCompile(area).FindStringSubmatch(string(text))
		if found == nil {
			t.Fatalf("%s: nothing like %s", file, area)
		}
		var list []string
		for _, match := range regexp.MustCompile(word).FindAllStringSubmatch(found[1], -1) {
			list = append(list, match[1])
		}
		slices.Sort(list)
		return list
	}
	written := kinds("../store/migrations/00002_credits.sql", `(?s)credit_entry_sign CHECK \(CASE kind(.*?)ELSE`, `WHEN '(\w+)'`)
	if len(written) == 0 {
		t.Fatal("no kind is written")
	}
	for file, got := range map[string][]string{
		"the gRPC contract":    kinds("../../../../proto/fledge/billing/v1/billing.proto", `(?s)message CreditEntry \{(.*?)string kind`, `"(\w+)"`),
		"the HTTP contract":    kinds("../../../../gateway/openapi.yaml", `kind: \{type: string, enum: \[(grant[^\]]*)\]`, `(\w+)`),
		"the ledger's own doc": kinds("history.go", `(?s)// Kind is (.*?)Kind string`, `"(\w+)"`),
	} {
		if !slices.Equal(got, written) {
			t.Errorf("%s says %s, the database takes %s", file, strings.Join(got, " "), strings.Join(written, " "))
		}
	}
}
