package csvfile_test

import (
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/csvfile"
	platform "fledge.dev/services/platform/csvfile"
	"fledge.dev/services/platform/errtest"
)

// TestNoCellIsAFormula writes what a spreadsheet would compute, reads the file as one
// does, and takes it back with our own reader.
func TestNoCellIsAFormula(t *testing.T) {
	for _, cell := range []string{
		"=1+1", "+1", "-1+1", "-1.5e3", "-", "-1.", "-1,5", "@SUM(A1)", "=cmd|' /C calc'!A0", "=a,b", "=\"quoted\"", " =1+1", "\u00a0=1", "\u3000=1", "\u200b=1", "\ufeff=1", "  \t @x",
		"'=1+1", "''+x@example.com", "' =1", "＝1+1", "＋1", "－1", "＠x", " ＝1",
	} {
		if got := written(t, cell); got != "'"+cell {
			t.Errorf("%q was written as %q", cell, got)
		}
		if got, want := readBack(t, cell), strings.TrimSpace(cell); got != cell && got != want {
			t.Errorf("%q was read back as %q", cell, got)
		}
	}
	for _, cell := range []string{"\t1", "\r=1", "\n=1"} {
		if got := written(t, cell); !strings.HasPrefix(got, "'") {
			t.Errorf("%q was written as %q", cell, got)
		}
	}
	for _, cell := range []string{"", " ", "ada@example.com", "1-1", "-1", "-12.50", "a=b", "'tis", "(1)", "état", "\xff"} {
		if got := written(t, cell); got != cell {
			t.Errorf("%q was written as %q", cell, got)
		}
	}
}

func written(t *testing.T, cell string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file(t, cell), "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%q: %v, %v", cell, rows, err)
	}
	return rows[1][1]
}

func readBack(t *testing.T, cell string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(file(t, cell)))
	r.Header.Set("Content-Type", platform.ContentType)
	cells, err := addresses(r, csvfile.Limits{Bytes: 1 << 10, Lines: 1}, "Cell")
	if err != nil || len(cells) != 1 {
		t.Fatalf("%q: %v, %v", cell, cells, err)
	}
	return cells[0].Cells[0]
}

func file(t *testing.T, cell string) string {
	t.Helper()
	var b strings.Builder
	w, err := platform.NewWriter(&b, []string{"first", "cell"})
	errtest.None(t, err)
	errtest.None(t, w.Write([]string{"x", cell}))
	errtest.None(t, w.Flush())
	return b.String()
}
