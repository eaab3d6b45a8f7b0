package store

import (
	"strings"

	"fledge.dev/services/platform/pg"
)

// trigram is the least that the search index has on a word.
const trigram = 3

// roughly is a LIKE pattern that all addresses with part in them match, and few others.
// It leaves out what the index knows of next to every address: a domain is that of many,
// and a c that begins a word is also that of .com.
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
	end := "%"
	if whole && strings.HasSuffix(person, words[len(words)-1]) {
		end = "@%"
	}
	return "%" + strings.Join(words, "%") + end
}
