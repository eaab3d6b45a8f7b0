package ticket

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxTags = 10
	maxTag  = 32
)

// ParseTag reads one tag: letters, digits and hyphens, lower-cased.
func ParseTag(field, typed string) (string, error) {
	tag := strings.ToLower(strings.TrimSpace(typed))
	if tag == "" || !utf8.ValidString(tag) || strings.ContainsFunc(tag, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '-' }) {
		return "", Invalid(field, "is not made of letters, digits and hyphens")
	}
	if utf8.RuneCountInString(tag) > maxTag {
		return "", Invalid(field, "is longer than 32 characters")
	}
	return tag, nil
}

// ParseTags reads the tags of a ticket as StaffFields has them; the same tag twice is one.
func ParseTags(field string, typed []string) (string, error) {
	var tags []string
	for _, t := range typed {
		tag, err := ParseTag(field, t)
		if err != nil {
			return "", err
		}
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	tags = slices.Compact(tags)
	if len(tags) > maxTags {
		return "", Invalid(field, "has more than 10 tags")
	}
	return strings.Join(tags, " "), nil
}
