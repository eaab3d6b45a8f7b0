package csvfile

import (
	"bytes"
	"slices"
	"strings"
)

// blanks are what a line without anything, or the end of one, may consist of.
const blanks = ",;\t| "

// unquoted is the text without the quotes around its lines if those have columns within, as spreadsheets write a table that
// they have taken for a single column. Each line stays where it is.
func unquoted(text []byte) []byte {
	lines := firstLines(text)
	if !slices.ContainsFunc(separators, func(comma rune) bool { return areTable(lines, string(comma)) }) {
		return text
	}
	out := make([]byte, 0, len(text))
	for line := range bytes.SplitAfterSeq(text, []byte("\n")) {
		content, ended := bytes.CutSuffix(line, []byte("\n"))
		if within, ok := withoutQuotes(content); ok {
			content = []byte(within)
		}
		out = append(out, content...)
		if ended {
			out = append(out, '\n')
		}
	}
	return out
}

// firstLines are those by which the shape is judged, without blank ones.
func firstLines(text []byte) (lines [][]byte) {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(bytes.Trim(line, blanks)) > 0 {
			lines = append(lines, line)
		}
		if len(lines) == sampled {
			break
		}
	}
	return lines
}

// areTable reports whether the lines are cells of a single column that have columns within. A line that has none is
// an address, which needs no quotes. Addresses with a name, and lists of addresses, are no columns.
func areTable(lines [][]byte, comma string) bool {
	some, titled := false, false
	for i, line := range lines {
		within, ok := withoutQuotes(line)
		if !ok {
			if !bytes.Contains(line, []byte("@")) || bytes.ContainsAny(line, "\",;\t|") {
				return false
			}
			continue
		}
		hasAddress := strings.Contains(within, "@")
		some = some || hasAddress
		titled = titled || i == 0 && !hasAddress
		cells := strings.Split(within, comma)
		if len(cells) == 1 || address.MatchString(bare(within)) || !titled && addressesIn(cells) > 1 {
			return false
		}
	}
	return some
}

// withoutQuotes is what stands between the quotes of a line of one cell, with empty cells behind it at most.
func withoutQuotes(line []byte) (within string, ok bool) {
	within, ok = strings.CutPrefix(string(bytes.TrimRight(line, blanks)), `"`)
	if !ok {
		return "", false
	}
	if within, ok = strings.CutSuffix(within, `"`); !ok || strings.Contains(strings.ReplaceAll(within, `""`, ""), `"`) {
		return "", false
	}
	return strings.ReplaceAll(within, `""`, `"`), true
}
