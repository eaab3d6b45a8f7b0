package csvfile_test

import (
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"fledge.dev/gateway/internal/csvfile"
)

// FuzzRead: whatever a file holds, what is read of it is text, within the limits
// and where it says.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"email\r\na@b.co\r\n", "\xef\xbb\xbfname,Email\nx,a@b.co", "a@b.co", "\"a\nb", "\xff\xfea\x00", ",,,\n\n,a@b.co", "\"\"\"\"", "'=1+1", "email\n" + strings.Repeat("x\n", 20), "\r", "a\x00b,c", "email\r\r\n", "sep=;\nx;a@b.co", "a\tAda <a@b.co>\r", "\xfe\xff\x00a\x00@", "n\xe9;a@b.co",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(file))
		r.Header.Set("Content-Type", "text/csv")
		cells, err := addresses(r, csvfile.Limits{Bytes: 1 << 10, Lines: 8}, "email")
		if err != nil {
			if len(cells) != 0 {
				t.Fatalf("%q gives %v beside an error", file, cells)
			}
			return
		}
		if len(cells) == 0 || len(cells) > 8 || len(file) > 1<<10 {
			t.Fatalf("%q gives %d cells", file, len(cells))
		}
		ends := []string{"\n", "\r"}
		if isUTF8 := utf8.ValidString(file) && !strings.Contains(file, "\x00"); !isUTF8 || !strings.ContainsAny(strings.TrimSpace(strings.TrimPrefix(file, "\ufeff")), "\n\r") {
			ends = append(ends, ",", ";", "\t", "|") // recipients in one line get one each
		}
		most, before := 1, 0
		for _, end := range ends {
			most += strings.Count(file, end)
		}
		for _, cell := range cells {
			if !utf8.ValidString(cell.Cells[0]) || cell.Cells[0] != strings.TrimSpace(cell.Cells[0]) && !strings.Contains(file, "'") || cell.Line <= before || cell.Line > most {
				t.Fatalf("%q gives %+v after line %d", file, cell, before)
			}
			before = cell.Line
		}
	})
}

// FuzzCell: what is written is computed by no spreadsheet, and our own reader gives it
// back.
func FuzzCell(f *testing.F) {
	for _, seed := range []string{"=1+1", "@x", " \t=1", "a\r\nb", "\"", "'=1", "'", "''=1", "\u200b-1", "＝1", "\xff", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file(t, cell), "\ufeff"))).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[1]) != 2 {
			t.Fatalf("%q was written as %q, %v", cell, rows, err)
		}
		written := rows[1][1]
		if first, _ := utf8.DecodeRuneInString(strings.TrimSpace(written)); strings.ContainsRune("=+-@＝＋－＠", first) || strings.HasPrefix(written, "\t") {
			t.Fatalf("%q is computed as %q", cell, written)
		}
		lines := strings.NewReplacer("\r", "", "\n", "") // the ends of lines become the file's
		if got, want := lines.Replace(written), lines.Replace(cell); got != want && got != "'"+want {
			t.Fatalf("%q became %q", cell, written)
		}
	})
}
