package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// params are a request's parameters under their nested names, such as
// "line_items[0][price]". The first that is wrong is remembered.
type params struct {
	values url.Values
	used   map[string]bool
	hash   string
	err    error
}

const maxBody = 1 << 20

func parse(r *http.Request) (*params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if r.Method == http.MethodPost && err == nil {
		r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
		if err = r.ParseForm(); err == nil {
			values = r.Form
		}
	}
	if err != nil {
		return nil, account.Refuse("", "", "Invalid request: %v", err)
	}
	hash := sha256.Sum256([]byte(r.Method + " " + r.URL.Path + "?" + values.Encode()))
	return &params{values: values, used: map[string]bool{}, hash: hex.EncodeToString(hash[:])}, nil
}

func (p *params) has(name string) bool {
	p.used[name] = true
	return p.values.Has(name)
}

func (p *params) text(name string) string {
	p.used[name] = true
	return p.values.Get(name)
}

// optional is nil for a parameter that was not sent.
func (p *params) optional(name string) *string {
	if !p.has(name) {
		return nil
	}
	value := p.text(name)
	return &value
}

func (p *params) required(name string) string {
	value := p.text(name)
	if value == "" {
		p.fail(account.Refuse("parameter_missing", name, "Missing required param: %s.", name))
	}
	return value
}

func (p *params) integer(name string, otherwise int64) int64 {
	value := p.text(name)
	if value == "" {
		return otherwise
	}
	number, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		p.fail(account.Refuse("parameter_invalid_integer", name, "Invalid integer: %s", value))
	}
	return number
}

func (p *params) boolean(name string) bool {
	switch value := p.text(name); value {
	case "true":
		return true
	case "", "false":
		return false
	default:
		p.fail(account.Refuse("", name, "Invalid boolean: %s", value))
		return false
	}
}

// choice is one of the words, or empty when it was not sent.
func (p *params) choice(name string, words ...string) string {
	value := p.text(name)
	if value != "" && !slices.Contains(words, value) {
		p.fail(account.Refuse("", name, "Invalid %s: must be one of %s", name, strings.Join(words, ", ")))
	}
	return value
}

// words takes name[key]=value parameters; nil when there are none.
func (p *params) words(name string) map[string]string {
	var out map[string]string
	for key := range p.values {
		inner, ok := strings.CutPrefix(key, name+"[")
		if !ok || strings.Count(inner, "]") != 1 || !strings.HasSuffix(inner, "]") {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[strings.TrimSuffix(inner, "]")] = p.text(key)
	}
	return out
}

// list takes name[0], name[1] … and name[].
func (p *params) list(name string) []string {
	out := p.values[name+"[]"]
	p.used[name+"[]"] = true
	for i := 0; p.has(name + "[" + strconv.Itoa(i) + "]"); i++ {
		out = append(out, p.text(name+"["+strconv.Itoa(i)+"]"))
	}
	return out
}

func (p *params) expansions() []string { return p.list("expand") }

// single refuses a second element of a list of objects.
func (p *params) single(name string) string {
	for key := range p.values {
		if strings.HasPrefix(key, name+"[1]") {
			p.fail(account.Refuse("", name, "The stand-in takes one element of %s.", name))
		}
	}
	return name + "[0]"
}

func (p *params) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// done returns the first problem, an unknown parameter included. Handlers call it
// when they have read what they know, and before they do anything.
func (p *params) done() error {
	p.expansions()
	for name := range p.values {
		if !p.used[name] {
			p.fail(account.Refuse("parameter_unknown", name, "Received unknown parameter: %s. (The stand-in knows what its README lists.)", name))
		}
	}
	return p.err
}

// span is what a range parameter lets through: created, created[gte] and so on.
func (p *params) span(name string) func(int64) bool {
	exact, low, high := p.integer(name, -1), int64(0), int64(1)<<62
	if p.has(name) {
		low, high = exact, exact
	}
	for _, bound := range []struct {
		word  string
		limit *int64
		by    int64
	}{{"gt", &low, 1}, {"gte", &low, 0}, {"lt", &high, -1}, {"lte", &high, 0}} {
		if key := name + "[" + bound.word + "]"; p.has(key) {
			*bound.limit = p.integer(key, 0) + bound.by
		}
	}
	return func(t int64) bool { return t >= low && t <= high }
}

// request is what a handler gets.
type request struct {
	*params
	path func(string) string
}

func (r *request) id() string { return r.path("id") }
