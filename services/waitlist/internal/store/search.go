package store

import (
	"slices"
	"strings"

	"fledge.dev/services/platform/pg"
)

const (
	// trigram is the shortest part of a word in the search index.
	trigram = 3
	// telling is the length of a word that its first and last trigram identify.
	telling = 2 * trigram
)

// roughly is a LIKE pattern that matches all addresses with part in them, and few others.
// It omits what very many addresses have in the index: a domain; a c at the beginning of a
// word, which .com has too; and, beside a longer word, a word of three letters, a single
// entry of the index, such as a first name's. Of a long word it uses both ends: each
// trigram in between costs the index as much and excludes hardly any more.
func roughly(part string) string {
	person, _, whole := strings.Cut(part, "@")
	words := strings.FieldsFunc(person, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	for _, word := range words {
		if len(word) < trigram { // only what is beside it makes it rare
			return pg.Containing(part)
		}
	}
	if len(words) == 0 {
		return pg.Containing(part)
	}
	if slices.ContainsFunc(words, isTelling) {
		words = slices.DeleteFunc(words, func(word string) bool { return len(word) == trigram })
	}
	end := "%"
	if last := words[len(words)-1]; whole && !isTelling(last) && strings.HasSuffix(person, last) {
		end = "@%"
	}
	for i, word := range words {
		if isTelling(word) {
			words[i] = word[:trigram] + "%" + word[len(word)-trigram:]
		}
	}
	return "%" + strings.Join(words, "%") + end
}

func isTelling(word string) bool { return len(word) >= telling }
