package csvfile_test

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"fledge.dev/gateway/internal/csvfile"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// addresses reads a request's column of addresses.
func addresses(r *http.Request, limits csvfile.Limits, name string) ([]csvfile.Record, error) {
	file, err := csvfile.Read(httptest.NewRecorder(), r, limits)
	if err != nil {
		return nil, err
	}
	shape := file.Shape(name, -1)
	return file.Records(shape, shape.Email)
}

func read(t *testing.T, raw []byte) []string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(raw))
	r.Header.Set("Content-Type", "text/csv")
	cells, err := addresses(r, csvfile.Limits{Bytes: 1 << 20, Lines: 1000}, "email")
	errtest.None(t, err)
	var texts []string
	for _, cell := range cells {
		texts = append(texts, cell.Cells[0])
	}
	return texts
}

// TestFilesOfOtherPrograms: testdata holds what they write about the same two people.
func TestFilesOfOtherPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/files/*")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			errtest.None(t, err)
			if got := read(t, raw); !slices.Equal(got, []string{"ann@example.com", "jörg@bücher.example"}) {
				t.Errorf("read %q", got)
			}
		})
	}
}

func TestTheShapeOfAFileFollowsItsContent(t *testing.T) {
	for name, tt := range map[string]struct {
		file string
		want []string
	}{
		"semicolons and a decimal comma":     {"name;email;score\nAnn;ann@b.co;1,5\nBob;bob@b.co;2,5\n", []string{"ann@b.co", "bob@b.co"}},
		"commas and a semicolon in a name":   {"name,email\n\"Ann; B\",ann@b.co\n", []string{"ann@b.co"}},
		"the separator is declared":          {"sep=|\nname|email\nAnn|ann@b.co\n", []string{"ann@b.co"}},
		"no header":                          {"Ann\tann@b.co\nBob\tbob@b.co", []string{"ann@b.co", "bob@b.co"}},
		"another name for the column":        {"First Name,Last Name,Email Address\nAnn,B,ann@b.co\n", []string{"ann@b.co"}},
		"a name in another language":         {"Nom;Courriel\nAnn;ann@b.co\n", []string{"ann@b.co"}},
		"two columns of addresses":           {"Invited by,Email\nbob@b.co,ann@b.co\nbob@b.co,cyd@b.co\n", []string{"ann@b.co", "cyd@b.co"}},
		"the first line is incomplete":       {"name,email\nAnn,\nBob,bob@b.co\n", []string{"", "bob@b.co"}},
		"names with the addresses":           {"Ann B <ann@b.co>\n\"Doe, Jane\" <jane@b.co>\nmailto:cyd@b.co\n", []string{"ann@b.co", "jane@b.co", "cyd@b.co"}},
		"empty rows of a spreadsheet":        {",,\nname,email,\n,,\nAnn,ann@b.co,\n,,\n", []string{"ann@b.co"}},
		"nothing but wrong addresses":        {"email\nann\nbob\n", []string{"ann", "bob"}},
		"a wrong address first":              {"ann@\nbob@b.co\n", []string{"ann@", "bob@b.co"}},
		"a thousand columns":                 {strings.Repeat("x,", 1000) + "Email\n" + strings.Repeat("1,", 1000) + "ann@b.co\n", []string{"ann@b.co"}},
		"lines that end in CR":               {"email\rann@b.co\rbob@b.co\r", []string{"ann@b.co", "bob@b.co"}},
		"UTF-16 without a mark":              {"a\x00@\x00b\x00.\x00c\x00o\x00\n\x00", []string{"a@b.co"}},
		"UTF-16 of another script":           {utf16Of("名前,メール\r\n山田太郎,ann@b.co\r\n鈴木花子,bob@b.co\r\n"), []string{"ann@b.co", "bob@b.co"}},
		"one zero in UTF-8":                  {"name,email\nA\x00nn,ann@b.co\nBob,bob@b.co\n", []string{"ann@b.co", "bob@b.co"}},
		"one zero in a short file":           {"ann@b.co,\x00\n", []string{"ann@b.co"}},
		"one zero in a short Windows-1252":   {"J\xf6\x00rg,ann@b.co\n", []string{"ann@b.co"}},
		"other brackets":                     {"contact\nAnn (ann@b.co)\nBob [mailto:bob@b.co]\n", []string{"ann@b.co", "bob@b.co"}},
		"marks around addresses":             {"email\n'ann@b.co'\n“bob@b.co”\n\"cyd@b.co, \"\n", []string{"ann@b.co", "bob@b.co", "cyd@b.co"}},
		"a table of a readme":                {"| Name | Email |\n| Ann | ann@b.co |\n", []string{"ann@b.co"}},
		"two columns of one title":           {"Email,Email\n,ann@b.co\n,bob@b.co\n", []string{"ann@b.co", "bob@b.co"}},
		"two in one cell":                    {"name,email\nAnn,\"ann@b.co; ann@c.co\"\nBob,bob@b.co\n", []string{"ann@b.co; ann@c.co", "bob@b.co"}},
		"formulas":                           {"email\n\"=HYPERLINK(\"\"mailto:ann@b.co\"\")\"\nbob@b.co\n", []string{"=HYPERLINK(\"mailto:ann@b.co\")", "bob@b.co"}},
		"formulas of texts":                  {"name,email\n=\"Doe, Ann\",=\"ann@b.co\"\n=\"\",=\"bob@b.co\"\n=\"Cyd \"\"C\"\" D\",=\"cyd@b.co\"\n", []string{"ann@b.co", "bob@b.co", "cyd@b.co"}},
		"formulas of texts in quotes":        {"\"=\"\"name\"\"\";\"=\"\"email\"\"\"\n\"=\"\"Doe; Ann\"\"\";\"=\"\"ann@b.co\"\"\"\nBob;\"=\"\"bob@b.co\"\"\"\n", []string{"ann@b.co", "bob@b.co"}},
		"a title above the names":            {"Export 2026,,\n,,\nname,email,\nAnn,ann@b.co,\n", []string{"ann@b.co"}},
		"two titles above the names":         {"Export\nNovember\nname;email\nAnn;ann@b.co\n", []string{"ann@b.co"}},
		"a first line without its @":         {"annb.co\nbob@b.co\n", []string{"annb.co", "bob@b.co"}},
		"a wrong address beside a name":      {"Ann,ann.gmail.com\nBob,bob@b.co\n", []string{"ann.gmail.com", "bob@b.co"}},
		"a wrong address of a mail provider": {"anngmail.com\nbob@b.co\n", []string{"anngmail.com", "bob@b.co"}},
		"a title with a dot":                 {"id,contact.email\n1,ann@b.co\n", []string{"ann@b.co"}},
		"recipients in one line":             {"ann@b.co; bob@b.co; cyd@b.co;\n", []string{"ann@b.co", "bob@b.co", "cyd@b.co"}},
		"recipients with their names":        {"Ann B <ann@b.co>, \"Doe, Jane\" <jane@b.co>", []string{"ann@b.co", "jane@b.co"}},
		"two recipients in one line":         {"ann@b.co;bob@b.co", []string{"ann@b.co", "bob@b.co"}},
		"and with a comma and a space":       {"ann@b.co, bob@b.co\n", []string{"ann@b.co", "bob@b.co"}},
		"three without spaces":               {"ann@b.co,bob@b.co,cyd@b.co\n", []string{"ann@b.co", "bob@b.co", "cyd@b.co"}},
		"two columns of addresses in a line": {"ann@b.co,ann@c.co\n", []string{"ann@b.co"}},
		"lines of invisible marks":           {"\u200b,\u200b\nname,email\nAnn,ann@b.co\n\u200b,\u200b\n", []string{"ann@b.co"}},
		"two columns in one line":            {"Ann,ann@b.co\n", []string{"ann@b.co"}},
		"invisible marks around addresses":   {"email\n\u200bann@b.co\n\u202abob@b.co\u202c\ncyd@b.co\ufeff\n", []string{"ann@b.co", "bob@b.co", "cyd@b.co"}},
		"quotes within a cell":               {"name,email\nRobert \"Bob\" Smith,bob@b.co\nAnn,ann@b.co\n", []string{"bob@b.co", "ann@b.co"}},
		"quotes between tabs":                {"name\temail\nRobert \"Bob\" Smith\tbob@b.co\n\"Ann\" B\tann@b.co\n", []string{"bob@b.co", "ann@b.co"}},
		"a quote that is never closed":       {"name,email\n\"Ann,ann@b.co\n\nBob,bob@b.co\n\"Cyd\",cyd@b.co\n", []string{"ann@b.co", "bob@b.co", "cyd@b.co"}},
		"it is in the last line":             {"name,email\nAnn,ann@b.co\n\"Bob,bob@b.co", []string{"ann@b.co", "bob@b.co"}},
		"a quote and no address":             {"name,email\n\"Ann,\nBob,bob@b.co\n", []string{"", "bob@b.co"}},
		"a typo beside an inviter":           {"email,invited_by\nann@gmailcom,bob@b.co\ncyd@b.co,bob@b.co\n", []string{"ann@gmailcom", "cyd@b.co"}},
		"a referrer's first":                 {"Referrer Email,Email Address\nbob@b.co,ann@b.co\ncyd@b.co,dan@b.co\n", []string{"ann@b.co", "dan@b.co"}},
		"an inviter's and another language":  {"Courriel;Invited by\n;bob@b.co\ncyd@b.co;bob@b.co\n", []string{"", "cyd@b.co"}},
		"a title in capitals":                {"OWNER,E-MAIL\nbob@b.co,\nbob@b.co,ann@b.co\nbob@b.co,cyd\n", []string{"", "ann@b.co", "cyd"}},
		"the fullest of one title":           {"Email,email\nann@b.co,\n,bob@b.co\n,cyd@b.co\n", []string{"", "bob@b.co", "cyd@b.co"}},
		"an inviter's alone":                 {"Name,Invited by\nAnn,bob@b.co\n", []string{"bob@b.co"}},
		"invited people":                     {"Notes,Invitee Email\n,ann@b.co\n,bob@b.co\nbob@c.co,cyd@b.co\n", []string{"ann@b.co", "bob@b.co", "cyd@b.co"}},
		"an owner without titles":            {"owner@b.co,ann@c.co\nbob@b.co,\n", []string{"owner@b.co", "bob@b.co"}},
		"lines in quotes":                    {"\"email,name\"\r\n\"ann@example.com,Ann\"\r\n\"bob@example.com,Bob\"\r\n", []string{"ann@example.com", "bob@example.com"}},
		"lines in quotes with semicolons":    {"\"email;name\"\r\n\"ann@example.com;Ann\"\r\n\"bob@example.com;Bob\"\r\n", []string{"ann@example.com", "bob@example.com"}},
		"quotes within lines in quotes":      {"\"name,email\"\n\"\"\"Doe, Ann\"\",ann@b.co\"\n\"Bob,bob@b.co\"", []string{"ann@b.co", "bob@b.co"}},
		"lines in quotes without titles":     {"\"ann@b.co,Ann\"\nbob@b.co\n\n\"cyd@b.co,Cyd\",,\n", []string{"ann@b.co", "bob@b.co", "cyd@b.co"}},
		"lists in quotes":                    {"email\n\"ann@b.co, bob@b.co\"\n\"cyd@b.co, dan@b.co\"\n", []string{"ann@b.co, bob@b.co", "cyd@b.co, dan@b.co"}},
		"lists in quotes without titles":     {"\"ann@b.co, bob@b.co\"\n\"cyd@b.co, dan@b.co\"\n", []string{"ann@b.co, bob@b.co", "cyd@b.co, dan@b.co"}},
		"a quoted address with a line break": {"\"name\",\"email\"\n\"Ann\nB\",\"ann@b.co\"\n", []string{"ann@b.co"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, []byte(tt.file)); !slices.Equal(got, tt.want) {
				t.Errorf("read %q, want %q", got, tt.want)
			}
		})
	}
}

// TestALineIsWhereTheFileHasIt, also after quotes that make no sense and lines without anything.
func TestALineIsWhereTheFileHasIt(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("name,email\n\n\"Ann,ann@b.co\n\n\nBob,bob@b.co\n\"Cyd\n\",cyd@b.co\n,\nDot \"D\",dot@b.co\n"))
	r.Header.Set("Content-Type", "text/csv")
	records, err := addresses(r, csvfile.Limits{Bytes: 1 << 20, Lines: 1000}, "email")
	errtest.None(t, err)
	var lines []int
	for _, record := range records {
		lines = append(lines, record.Line)
	}
	if want := []int{3, 6, 7, 10}; !slices.Equal(lines, want) {
		t.Errorf("records at lines %v, want %v", lines, want)
	}
}

// TestALineInQuotesIsWhereTheFileHasIt, and as long a file as any other is read.
func TestALineInQuotesIsWhereTheFileHasIt(t *testing.T) {
	file := "\"email,name\"\n\n" + strings.Repeat("\"ann@b.co,Ann\"\n\n", 300) + "\"bob@b.co,\"\"Bob B\"\"\"\n"
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(file))
	r.Header.Set("Content-Type", "text/csv")
	records, err := addresses(r, csvfile.Limits{Bytes: 1 << 20, Lines: 1000}, "email")
	errtest.None(t, err)
	if len(records) != 301 || records[0].Line != 3 {
		t.Fatalf("%d records, of which the first is %+v", len(records), records[0])
	}
	if last := records[300]; last.Line != 603 || last.Cells[0] != "bob@b.co" {
		t.Errorf("the last is %+v", last)
	}
}

func utf16Of(text string) string {
	var raw []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		raw = binary.LittleEndian.AppendUint16(raw, unit)
	}
	return string(raw)
}

// TestOtherDocumentsAreRefusedOnce, and not line by line.
func TestOtherDocumentsAreRefusedOnce(t *testing.T) {
	const workbook, other = "The file is a workbook. Save it as CSV first.", "The file is not a table of text. Save it as CSV first."
	for raw, want := range map[string]string{
		"PK\x03\x04Index/Document.iwa": workbook, "PK\x05\x06": workbook, "\xd0\xcf\x11\xe0\xa1\xb1": workbook,
		"<html><table><tr><td>ann@b.co": other, "\ufeff<?xml version=\"1.0\"?>": other, "[\n{\"email\":\"ann@b.co\"}]": other, "{\"email\":\"ann@b.co\"}\n": other,
		"%PDF-1.7\n": other, "{\\rtf1 ann@b.co}": other, "BEGIN:VCARD\nEMAIL:ann@b.co": other, "\x1f\x8b\x08": other, "\x89PNG\r\n": other, "bplist00": other,
		"<ann@b.co>\n<bob@b.co>\n": "", "<body@b.co>\n<head-office@b.co>\n": "", "%PDF readers,ann@b.co\n": "", "bplist,ann@b.co\n": "", "[Ann],ann@b.co\n": "", "{a},ann@b.co\n": "",
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(raw))
		r.Header.Set("Content-Type", "text/csv")
		got := ""
		if _, err := csvfile.Read(httptest.NewRecorder(), r, csvfile.Limits{Bytes: 1 << 20, Lines: 1000}); err != nil {
			got = fault.Of(err).Message
		}
		if got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}
