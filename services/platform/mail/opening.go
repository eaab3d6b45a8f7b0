package mail

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	// openingWords is how many words of the first paragraph, that are no values, belong to an opening.
	openingWords = 6
	// fewestWords is how many words make an opening that nobody writes by chance.
	fewestWords = 5
)

// Openings match how the emails of the templates begin, by which answers that quote them are recognised: the
// heading in a line of its own, and the first words of the paragraph after it, which may be broken into lines. They
// are those of the built-in templates, which people may still answer, and of the installed ones. An email that begins
// with hardly more than values has none.
func (t *Templates) Openings(names ...string) (openings []*regexp.Regexp, err error) {
	if t.builtIn != nil {
		if openings, err = t.builtIn.Openings(names...); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if t.own[name] == nil {
			return nil, fmt.Errorf("mail: there is no template %q", name)
		}
	}
	for _, sample := range t.samples {
		if !slices.Contains(names, sample.Template) {
			continue
		}
		e, _ := marked(sample)
		e.Values["Support"] = string(firstMark) // those before may have named another address
		v, err := t.own[sample.Template].fill(e)
		if err != nil {
			return nil, fmt.Errorf("mail: %s.txt: %w", sample.Template, err)
		}
		found, ok := v.opening()
		if ok && !slices.ContainsFunc(openings, func(known *regexp.Regexp) bool { return known.String() == found.String() }) {
			openings = append(openings, found)
		}
	}
	return openings, nil
}

// marks are a value of a marked email.
var marks = regexp.MustCompile(`[\x{e000}-\x{f8ff}]+`)

func (v view) opening() (_ *regexp.Regexp, ok bool) {
	heading, n := pattern(v.Heading, -1)
	beginning, m := pattern(v.Paragraphs[0], openingWords)
	return regexp.MustCompile(`^` + heading + `\n` + beginning + `(\s|$)`), n+m >= fewestWords
}

// pattern matches the text up to so many words that have no values, all if negative, and says how many there are.
func pattern(text string, limit int) (_ string, words int) {
	var parts []string
	for word := range strings.FieldsSeq(text) {
		if words == limit {
			break
		}
		if !marks.MatchString(word) {
			words++
		}
		parts = append(parts, marks.ReplaceAllLiteralString(regexp.QuoteMeta(word), `.*`))
	}
	space := `\s+`
	if limit < 0 {
		space = " +"
	}
	return strings.Join(parts, space), words
}

// Openings are those of the queue's templates.
func (q *Queue) Openings(names ...string) ([]*regexp.Regexp, error) {
	return q.templates.Openings(names...)
}
