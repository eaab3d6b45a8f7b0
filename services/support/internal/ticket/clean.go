package ticket

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	// terminalCommands are ANSI escape sequences, such as colours: CSI, OSC and short ones.
	terminalCommands = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]")
	// lineEnds are other line breaks: word processors write vertical tabs, progress bars carriage returns.
	lineEnds = regexp.MustCompile("\r\n?|[\v\f\u0085\u2028\u2029]")
	breaks   = regexp.MustCompile(`[\n\t]+`)
)

// clean takes pasted text as it was meant: of control characters only newlines and tabs stay.
// The site does the same (web/src/lib/clean-text.ts).
func clean(text string) string {
	text = lineEnds.ReplaceAllString(terminalCommands.ReplaceAllString(text, ""), "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text))
}

// cleanLine is clean on a single line, without what would turn round, as U+202E does, what a page
// or a mail program shows beside it.
func cleanLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069' {
			return -1
		}
		return r
	}, breaks.ReplaceAllString(clean(text), " ")))
}
