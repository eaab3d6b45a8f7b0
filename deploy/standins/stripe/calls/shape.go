package calls

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	anID  = regexp.MustCompile(`/(?:[a-z]{2,6}_)[A-Za-z0-9_]+`)
	index = regexp.MustCompile(`\[\d+\]`)
	// words are the parameters whose value is a choice and not somebody's.
	words = regexp.MustCompile(`(^|\[)(mode|status|type|types|limit|expand|cancel_at|cancel_at_period_end|quantity)(\]|$|\[)`)
	// dates are such values, too, and all alike.
	dates = regexp.MustCompile(`^\d{10}$`)
)

// Shape is the form of a request: its endpoint, its parameters' names, and their
// values where those are a choice. Which page of a list it asks for does not count, nor how many
// elements a list has that it sends.
func Shape(r *http.Request, body []byte) string {
	parameters := r.URL.Query()
	if form, err := url.ParseQuery(string(body)); err == nil {
		for name, values := range form {
			parameters[name] = append(parameters[name], values...)
		}
	}
	var list []string
	for name, values := range parameters {
		if name == "starting_after" {
			continue
		}
		entry := index.ReplaceAllString(name, "[]")
		if words.MatchString(name) {
			entry += "=" + dates.ReplaceAllString(strings.Join(values, ","), "a date")
		}
		list = append(list, entry)
	}
	slices.Sort(list)
	return strings.TrimSpace(r.Method + " " + anID.ReplaceAllString(r.URL.Path, "/{id}") + " " + strings.Join(slices.Compact(list), " "))
}
