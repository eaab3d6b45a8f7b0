package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"fledge.dev/services/platform/csvfile"
)

// lines reads the records of a text. A line whose quotes make no sense stands alone, as that reading of
// it which finds more addresses: with its quotes taken as leniently as can be, or without any.
type lines struct {
	text  []byte
	comma rune
	csv   *csv.Reader
	// offset is where in the text csv began, and line the number of that line less one.
	offset, line int
}

func linesOf(text []byte, comma rune) *lines {
	l := &lines{text: text, comma: comma}
	l.restart(0, 0)
	return l
}

func (l *lines) restart(offset, line int) {
	l.offset, l.line = min(offset, len(l.text)), line
	l.csv = newReader(l.text[l.offset:], l.comma)
}

func newReader(text []byte, comma rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord = comma, -1
	return r
}

// next returns a record and the number of the line at which it begins, from 1. It fails with io.EOF alone.
func (l *lines) next() (cells []string, line int, err error) {
	begin := l.offset + int(l.csv.InputOffset())
	cells, err = l.csv.Read()
	wrong, malformed := errors.AsType[*csv.ParseError](err)
	if !malformed {
		if err == nil {
			line, _ = l.csv.FieldPos(0)
		}
		return cells, l.line + line, err
	}
	line = l.line + wrong.StartLine
	for begin < len(l.text) && l.text[begin] == '\n' { // lines without anything, which csv has passed over
		begin++
	}
	text, _, _ := bytes.Cut(l.text[begin:], []byte("\n"))
	l.restart(begin+len(text)+1, line)
	return readable(text, l.comma), line, nil
}

// readable is a line whose quotes make no sense.
func readable(line []byte, comma rune) []string {
	unquoted := strings.Split(string(line), string(comma))
	lenient := newReader(line, comma)
	lenient.LazyQuotes = true
	cells, err := lenient.Read()
	if err != nil || addressesIn(unquoted) > addressesIn(cells) {
		return unquoted
	}
	return cells
}

func addressesIn(cells []string) (count int) {
	for i := range cells {
		if holdsAddress(cells, i) {
			count++
		}
	}
	return count
}

// oneEach is the text with a line for each address if it is a single line of nothing else, as mail
// programs copy recipients. Two without a space between them may as well be columns about one person.
func oneEach(text []byte) []byte {
	line := bytes.TrimSpace(text)
	if bytes.ContainsRune(line, '\n') {
		return text
	}
	for _, comma := range separators {
		record, err := newReader(line, comma).Read()
		if err != nil && !errors.Is(err, io.EOF) {
			continue
		}
		var cells []string
		for i := range record {
			if cell := csvfile.Cell(record, i); cell != "" {
				cells = append(cells, cell)
			}
		}
		isList := len(cells) > 2 || len(cells) == 2 && (comma == ';' || bytes.Contains(line, []byte(string(comma)+" ")))
		if !isList || addressesIn(cells) < len(cells) {
			continue
		}
		var list bytes.Buffer
		out := csv.NewWriter(&list)
		for _, cell := range cells {
			_ = out.Write([]string{cell}) // a buffer takes everything
		}
		out.Flush()
		return list.Bytes()
	}
	return text
}
