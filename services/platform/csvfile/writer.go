// Package csvfile writes the CSV files that people open with spreadsheets, RFC 4180 in UTF-8, and reads
// the cells and times in those that they bring.
package csvfile

import (
	"encoding/csv"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ContentType is the type of a written file (RFC 4180 section 3).
const ContentType = "text/csv; charset=utf-8; header=present"

// ByteOrderMark makes spreadsheets read UTF-8 as such.
const ByteOrderMark = "\ufeff"

// formulas are the characters with which a formula begins, full-width forms included. Some
// spreadsheets ignore white space before them.
const formulas = "=+-@＝＋－＠"

// Writer writes a file row by row.
type Writer struct{ csv *csv.Writer }

// NewWriter returns a writer of a file with the given columns. Nothing reaches w
// before Flush.
func NewWriter(w io.Writer, columns []string) (*Writer, error) {
	if _, err := io.WriteString(w, ByteOrderMark); err != nil {
		return nil, err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return &Writer{out}, out.Write(columns)
}

// Write adds a row. A cell that a spreadsheet would take for a formula is prefixed with an
// apostrophe, and so is one that looks like a prefixed one.
func (w *Writer) Write(cells []string) error {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = shield(cell)
	}
	return w.csv.Write(safe)
}

// Flush sends what has been written so far.
func (w *Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}

func shield(cell string) string {
	if isFormula(strings.TrimLeft(cell, "'")) {
		return "'" + cell
	}
	return cell
}

// Cell is the text of a cell of a record that was read, as Write got it: valid UTF-8 without
// surrounding space and invisible characters, "" for a cell that is not there. The record's memory may be used again.
func Cell(record []string, at int) string {
	if at < 0 || at >= len(record) {
		return ""
	}
	cell := strings.Clone(strings.TrimFunc(strings.ToValidUTF8(record[at], string(utf8.RuneError)), isBlank))
	if bare, ok := strings.CutPrefix(cell, "'"); ok && isFormula(strings.TrimLeft(bare, "'")) {
		return bare
	}
	return cell
}

// number is what a spreadsheet shows as it stands, although it may begin like a formula.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

func isFormula(cell string) bool {
	if number.MatchString(cell) {
		return false
	}
	if cell != "" && strings.ContainsRune("\t\r\n", rune(cell[0])) {
		return true // the rest may land in a cell of its own
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(cell, isBlank))
	return strings.ContainsRune(formulas, first)
}

// isBlank reports what shows nothing: spaces, controls and marks such as U+200B.
func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) }
