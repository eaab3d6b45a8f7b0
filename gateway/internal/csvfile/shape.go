package csvfile

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"fledge.dev/services/platform/csvfile"
)

// separators are what columns may be separated by.
var separators = []rune{',', ';', '\t', '|'}

// sampled is how many records are looked at to learn a file's shape.
const sampled = 200

// Shape is how a file is to be read.
type Shape struct {
	// Email is the index of the column of addresses.
	Email int
	// Titles are what the columns are called, nil if no line tells.
	Titles []string
	// Sample are the first lines that are about somebody.
	Sample [][]string
	// comma separates the columns.
	comma rune
	// skip is the number of records at the begin that are not about anybody.
	skip int
}

// Shape is the reading of the file that finds the most addresses. What separates the columns, which of
// them has the addresses, and whether the first line names them is judged by the content. The addresses are in the column
// that the first line calls name, in whatever case, or else "email address", if it has one. Otherwise it is the column with
// the most; of several, that of a title such as "…mail…", and one such as "invited by" comes last. In a file without an
// address it is the column called name, or the first. Another column can be given by its index; -1 is none.
func (f *File) Shape(name string, given int) Shape {
	best, most := Shape{}, -1
	declared, ok := separatorLine(f.text)
	commas := separators
	if ok {
		commas = []rune{declared}
	}
	for _, comma := range commas {
		records := sample(f.text, comma)
		skip := 0
		for skip < len(records) && (ok && skip == 0 || isBlank(records[skip]) || isHeading(records[skip:])) {
			skip++
		}
		records = records[skip:]
		column, found := columnOf(records, name)
		if found <= most {
			continue
		}
		header := headerLength(records, column, name)
		best, most = Shape{comma: comma, Email: column, skip: skip + header, Sample: records[header:]}, found
		if header > 0 {
			best.Titles = records[0]
		}
		if given >= 0 {
			best.Email = given
		}
	}
	return best
}

// Width is how many columns there are.
func (s Shape) Width() int {
	width := len(s.Titles)
	for _, record := range s.Sample {
		width = max(width, len(record))
	}
	return width
}

// Head is how many records at the begin of the file, without blank lines, are not about anybody.
func (s Shape) Head() int { return s.skip }

// Title is what a column is called, "" if no line tells.
func (s Shape) Title(column int) string { return csvfile.Cell(s.Titles, column) }

// Column is a column's value in a line of the sample.
func (s Shape) Column(line, column int) string { return csvfile.Cell(s.Sample[line], column) }

// separatorLine reads the line "sep=;" with which some spreadsheets begin.
func separatorLine(raw []byte) (comma rune, ok bool) {
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	if len(line) != len("sep=;") || !bytes.EqualFold(line[:4], []byte("sep=")) || !bytes.ContainsRune([]byte(",;\t|"), rune(line[4])) {
		return 0, false
	}
	return rune(line[4]), true
}

func sample(text []byte, comma rune) (records [][]string) {
	lines := linesOf(text, comma)
	for len(records) < sampled {
		record, _, err := lines.next()
		if err != nil {
			break
		}
		records = append(records, record)
	}
	return records
}

// isHeading reports whether the first record is what a spreadsheet is called, above the names of its
// columns: one cell, as all until the names, where no cell so far is an address.
func isHeading(records [][]string) bool {
	names := slices.IndexFunc(records, func(record []string) bool { return filled(record) > 1 })
	return names > 0 && !slices.ContainsFunc(records[:names+1], func(record []string) bool {
		return slices.ContainsFunc(record, func(cell string) bool { return strings.Contains(cell, "@") })
	})
}

// filled is how many cells say something.
func filled(record []string) (count int) {
	for i := range record {
		if csvfile.Cell(record, i) != "" {
			count++
		}
	}
	return count
}

// columnOf returns the column of addresses, and how many are in the column with the most. What a column is called counts
// for more than how many it has: one that is not filled in, or wrong, loses nobody else's.
func columnOf(records [][]string, name string) (column, found int) {
	var counts []int
	for _, record := range records {
		counts = append(counts, make([]int, max(0, len(record)-len(counts)))...)
		for i := range record {
			if holdsAddress(record, i) {
				counts[i]++
			}
		}
	}
	if len(counts) == 0 {
		return 0, 0
	}
	found = slices.Max(counts)
	// fullest is the first of those with the most addresses, and at least so many, -1 without one.
	fullest := func(least int, is func(title string) bool) int {
		best := -1
		for i, count := range counts {
			if count >= least && is(csvfile.Cell(records[0], i)) {
				best, least = i, count+1
			}
		}
		return best
	}
	most := found
	if own := fullest((found+1)/2, func(title string) bool { return !isOthers(title) }); own >= 0 {
		most = counts[own]
		for i, count := range counts {
			if count > 0 && isOthers(csvfile.Cell(records[0], i)) {
				counts[i] = 0
			}
		}
	}
	isNamed := func(title string) bool { return strings.EqualFold(title, name) }
	for _, rule := range []struct {
		least int
		is    func(title string) bool
	}{{1, isNamed}, {1, addressTitle.MatchString}, {most, isNamed}, {most, isMail}} {
		if i := fullest(rule.least, rule.is); i >= 0 {
			return i, found
		}
	}
	return slices.Index(counts, most), found
}

// isOthers is whether a title says that the column is about somebody else, such as the inviter. It counts only where no
// other column has half as many addresses.
func isOthers(title string) bool {
	return !strings.Contains(title, "@") && othersTitle.MatchString(title)
}

func isMail(title string) bool {
	return strings.Contains(strings.ToLower(title), "mail") && !address.MatchString(title)
}

// headerLength is 1 if the first record names the columns: where the others hold an address it holds
// none, nor one that lacks its @.
func headerLength(records [][]string, column int, name string) int {
	if len(records) == 0 {
		return 0
	}
	title := csvfile.Cell(records[0], column)
	if strings.EqualFold(title, name) {
		return 1
	}
	if strings.Contains(title, "@") || domain.MatchString(title) && !mailColumn.MatchString(title) || !slices.ContainsFunc(records[1:], func(record []string) bool { return holdsAddress(record, column) }) {
		return 0
	}
	return 1
}

var (
	// address is what looks like one. Whether it is valid is for the service to say.
	address = regexp.MustCompile(`^[^\s@,;|<>"()]+@[^\s@,;|<>"()]+\.[^\s@,;|<>"()]+$`)
	// domain ends as an address does, and mailColumn as titles such as "contact.email" do.
	domain     = regexp.MustCompile(`^[^\s@,;|<>"()]+\.[A-Za-z]{2,}$`)
	mailColumn = regexp.MustCompile(`(?i)\.[a-z]*mail[a-z]*$`)
	// addressTitle is what a column of addresses is mostly called, and othersTitle one of somebody else's.
	addressTitle = regexp.MustCompile(`(?i)^e[ -]?mail(?:[ _-]?(?:address|adresse))?$`)
	othersTitle  = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:refer|inviter|invitedby|owner|(?:by|from)(?:[^a-z]|$))`)
	// mailbox is an address with a name before it (RFC 5322, and with other brackets).
	mailbox = regexp.MustCompile(`^[^<>@]*[<(\[]\s*(?i:mailto:)?([^<>()\[\]\s"]+@[^<>()\[\]\s"]+)\s*[>)\]]$`)
)

// bare is the address of a cell such as `Ada <ada@example.com>`, `mailto:ada@example.com`, `'ada@example.com'` or
// `ada@example.com;`, or the cell.
func bare(cell string) string {
	cell = strings.TrimRight(cell, ",; ")
	for _, quotes := range []string{"''", `""`, "“”", "‘’", "„“"} {
		open, size := utf8.DecodeRuneInString(quotes)
		if rest, ok := strings.CutPrefix(cell, string(open)); ok {
			if rest, ok = strings.CutSuffix(rest, quotes[size:]); ok {
				cell = rest
				break
			}
		}
	}
	if found := mailbox.FindStringSubmatch(cell); found != nil {
		return found[1]
	}
	const scheme = "mailto:"
	if len(cell) > len(scheme) && strings.EqualFold(cell[:len(scheme)], scheme) {
		return cell[len(scheme):]
	}
	return cell
}

func holdsAddress(record []string, column int) bool {
	cell := csvfile.Cell(record, column)
	return strings.Contains(cell, "@") && address.MatchString(bare(cell))
}

func isBlank(record []string) bool {
	for i := range record {
		if csvfile.Cell(record, i) != "" {
			return false
		}
	}
	return true
}

// workbooks are ZIP archives and OLE, binaries gzip, pictures and lists of properties, by how they begin.
var (
	workbooks = []string{"PK\x03\x04", "PK\x05\x06", "\xd0\xcf\x11\xe0"}
	binaries  = []string{"\x1f\x8b", "\x89PNG", "\xff\xd8\xff", "bplist0"}
	// documents are text, but no table: pages of HTML and XML, which some programs call .xls, JSON, RTF, PDF and contacts.
	documents = regexp.MustCompile(`^\x{feff}?\s*(?i:<(?:!doctype|\?xml|html|table|head|body)[\s>]|\[\s*\{|\{\s*"|\{\\rtf|%pdf-|begin:vcard)`)
)

// foreign tells a file that is no table of text, as the refusal of it.
func foreign(raw []byte) error {
	begins := func(with string) bool { return bytes.HasPrefix(raw, []byte(with)) }
	switch {
	case slices.ContainsFunc(workbooks, begins):
		return errWorkbook
	case slices.ContainsFunc(binaries, begins), documents.Match(raw[:min(len(raw), 64)]):
		return errForeign
	}
	return nil
}

// decoded is the text in UTF-8, whose lines end in LF.
func decoded(raw []byte) []byte {
	order := utf16Order(raw)
	switch {
	case order != nil:
		raw = fromUTF16(raw, order)
	case !utf8.Valid(raw):
		raw = fromWindows1252(raw)
	}
	raw = bytes.TrimPrefix(raw, []byte(csvfile.ByteOrderMark))
	raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	raw = bytes.ReplaceAll(raw, []byte("\r"), []byte("\n"))
	if bytes.Contains(raw, []byte(`="`)) {
		raw = textFormula.ReplaceAll(raw, []byte(`$1"$2$3"`))
	}
	return unquoted(oneEach(quotedName.ReplaceAll(raw, []byte(`$1"$2 <$3>"`))))
}

// textFormula is `="ada@example.com"`, by which programs keep spreadsheets from reading a text as a number or a date.
var textFormula = regexp.MustCompile(`(?m)(^|[,;\t|])(?:="((?:[^"\n]|"")*)"|"=""((?:[^"\n]|"""")*)""")`)

// quotedName is `"Doe, Jane" <jane@example.com>`, whose quotes are those of mail and not of CSV.
var quotedName = regexp.MustCompile(`(?m)(^|[,;\t|]) *"([^"\n]*)" *<([^<>"\n]+)>`)

// utf16Order tells the order of the bytes of UTF-16 by its mark, or else by where the zeros of its ASCII letters are; nil
// for other text. Names may have none, but separators, lines and addresses do. What can be read as UTF-8, with a zero here
// and there, is UTF-16 only if a quarter of it are zeros.
func utf16Order(raw []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		return binary.LittleEndian
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		return binary.BigEndian
	}
	const looked = 4096
	var zeros [2]int // at even and at odd places
	for i, b := range raw[:min(len(raw), looked)] {
		if b == 0 {
			zeros[i%2]++
		}
	}
	most := max(min(len(raw), looked)/20, 2)
	if utf8.Valid(raw) {
		most = min(len(raw), looked) / 4
	}
	switch {
	case zeros[1] > most && zeros[1] > 10*zeros[0]:
		return binary.LittleEndian
	case zeros[0] > most && zeros[0] > 10*zeros[1]:
		return binary.BigEndian
	}
	return nil
}

func fromUTF16(raw []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = order.Uint16(raw[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// windows1252 are the characters that differ from ISO 8859-1, from 0x80.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

func fromWindows1252(raw []byte) []byte {
	text := make([]byte, 0, len(raw)+len(raw)/8)
	for _, b := range raw {
		char := rune(b)
		if b >= 0x80 && b < 0xa0 {
			char = windows1252[b-0x80]
		}
		text = utf8.AppendRune(text, char)
	}
	return text
}
