// Package text takes text that people paste as they meant it, without what they do not see of it, and ids as we
// gave them out.
package text

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	// terminalCommands are ANSI escape sequences, such as colours: CSI, OSC, other strings (DCS, SOS, PM, APC) and short
	// ones. A string without an end is one until the line's.
	terminalCommands = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b\r\n]*(?:\x07|\x1b\\\\)?|\x1b[PX^_][^\x1b\r\n]*(?:\x1b\\\\)?|\x1b[ -/]*[0-~]")
	// lineEnds are other line breaks: word processors write vertical tabs, progress bars carriage returns.
	lineEnds = regexp.MustCompile("\r\n?|[\v\f\u0085\u2028\u2029]")
	breaks   = regexp.MustCompile(`[\n\t]+`)
)

// Clean trims the text and removes terminal commands and all control characters but newlines and tabs; other line
// breaks become newlines. Nothing is left of text in which nobody sees anything. The site does the same
// (web/src/lib/clean-text.ts).
func Clean(text string) string {
	text = lineEnds.ReplaceAllString(terminalCommands.ReplaceAllString(text, ""), "\n")
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text))
	if !strings.ContainsFunc(text, visible) {
		return ""
	}
	return text
}

func visible(r rune) bool {
	return !unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Line is Clean on a single line, without what would turn round, as U+202E does, what a page or a mail program shows
// beside it.
func Line(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069' {
			return -1
		}
		return r
	}, breaks.ReplaceAllString(Clean(text), " ")))
}
