// Package search folds texts so that what people type finds what others wrote, in every script:
// without regard to case, to how an accent is encoded, to the shape of quotation marks and dashes, and to
// invisible characters and the width of spaces. A search is for a part of a text, which is taken literally.
package search

import (
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Folding is the version of the rules below. Raise it when they change: texts that were folded by
// others are folded again.
const Folding = 4

// gram is how many letters the longest of the Grams have.
const gram = 3

// Fold returns the text as it is compared. It is one line.
func Fold(text string) string {
	folded, _ := fold(text, false)
	return string(folded)
}

// Document returns the texts folded, each in a line of its own.
func Document(texts []string) string {
	lines := make([]string, len(texts))
	for i, text := range texts {
		lines[i] = Fold(text)
	}
	return strings.Join(lines, "\n")
}

// fold also returns where in the text each byte of the result comes from, if origins is set.
func fold(text string, origins bool) (folded []byte, at []int) {
	folded = make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		piece, size := text[i:i+1], 1
		if c := text[i]; c >= utf8.RuneSelf || (i+1 < len(text) && text[i+1] >= utf8.RuneSelf) {
			size = norm.NFKC.NextBoundaryInString(text[i:], true)
			piece = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text[i : i+size])))
		} else if 'A' <= c && c <= 'Z' {
			piece = strings.ToLower(piece)
		}
		for _, r := range piece {
			before := len(folded)
			folded = add(folded, r)
			for ; origins && before < len(folded); before++ {
				at = append(at, i)
			}
		}
		i += size
	}
	return folded, at
}

// add makes quotation marks and dashes, which programs put in place of the typed ones, those of a keyboard. It leaves out
// what nobody sees: characters that only format, or that choose a form, such as the colour of a heart; spaces beside
// spaces; and the dot that Unicode's folding keeps of the Turkish İ.
func add(folded []byte, r rune) []byte {
	last, _ := utf8.DecodeLastRune(folded)
	switch r {
	case '‘', '’', '‛', 'ʼ':
		r = '\''
	case '“', '”', '„', '‟', '«', '»':
		r = '"'
	case '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2015', '\u2212': // hyphens, dashes and the minus sign
		r = '-'
	}
	switch {
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector), r == '\u0307' && last == 'i', unicode.IsSpace(r) && last == ' ':
		return folded
	case unicode.IsSpace(r):
		return append(folded, ' ')
	}
	return utf8.AppendRune(folded, r)
}

// Grams are the parts of a document that are one to three letters or signs long, and where two words meet
// the last two letters of the one with the first two of the next, hashed and in order.
func Grams(document string) []int32 {
	found := map[int32]bool{}
	for line := range strings.SplitSeq(document, "\n") {
		for _, size := range []int{1, 2, gram} {
			cut(line, size, found)
		}
		join(line, found)
	}
	return slices.Sorted(maps.Keys(found))
}

// JoinsOf are the parts where two words meet that every document has in which the folded words are found: without them,
// words that are frequent, but never together, would be sought in all texts. Documents folded before version 3 have none.
func JoinsOf(words string) []int32 {
	found := map[int32]bool{}
	join(words, found)
	return slices.Sorted(maps.Keys(found))
}

// join finds the parts of five letters that have a space in the middle.
func join(line string, found map[int32]bool) {
	const size = 5
	var starts [size]int // of the latest letters
	n := 0
	for i, r := range line {
		starts[n%size] = i
		if n++; n >= size && line[starts[(n+size/2)%size]] == ' ' {
			found[hash(line[starts[n%size]:i+utf8.RuneLen(r)])] = true
		}
	}
}

// GramsOf are those that every document has in which the folded words are found.
func GramsOf(words string) []int32 {
	found := map[int32]bool{}
	cut(words, min(gram, utf8.RuneCountInString(words)), found)
	return slices.Sorted(maps.Keys(found))
}

// cut finds the parts of that many letters.
func cut(line string, size int, found map[int32]bool) {
	var starts [gram]int // of the latest letters
	n := 0
	for i, r := range line {
		starts[n%size] = i
		if n++; n >= size {
			found[hash(line[starts[n%size]:i+utf8.RuneLen(r)])] = true
		}
	}
}

func hash(part string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(part))
	return int32(h.Sum32())
}

// Snippet returns the part of the text around the first place in which the folded words are found,
// in one line, with as many bytes before and after it at most.
func Snippet(text, words string, around int) (snippet string, found bool) {
	folded, at := fold(text, true)
	start := strings.Index(string(folded), words)
	if start < 0 || words == "" {
		return "", false
	}
	end := len(text)
	if start+len(words) < len(at) {
		end = at[start+len(words)]
	}
	from, to := max(0, at[start]-around), min(len(text), end+around)
	from, to = edge(text, from), edge(text, to)
	snippet = strings.Join(strings.Fields(text[from:to]), " ")
	if from > 0 {
		snippet = "…" + snippet
	}
	if to < len(text) {
		snippet += "…"
	}
	return snippet, true
}

// edge is the next place that cuts no letter in two.
func edge(text string, i int) int {
	for i < len(text) && !norm.NFC.PropertiesString(text[i:]).BoundaryBefore() {
		i++
	}
	return i
}
