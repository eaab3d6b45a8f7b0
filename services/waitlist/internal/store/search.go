package store

import (
	"slices"
	"strings"

	"fledge.dev/services/platform/pg"
)

const (
	// trigram is the least that the search index has on a word.
	trigram = 3
	// telling is how long a word is that its first and its last trigram find alone.
	telling = 2 * trigram
)

// roughly is a LIKE pattern that all addresses with part in them match, and few others.
// It leaves out what the index knows of very many addresses: a domain; a c that begins a
// word, which is also that of .com; and beside a longer word one of three letters, which
// is a single entry of the index, such as a first name's. Of a long word it asks for both
// ends: each entry in between costs the index as much and leaves out hardly more.
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
