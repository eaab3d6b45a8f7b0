package fuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"
)

// operation is a route of the description.
type operation struct {
	method, path string
	*openapi3.Operation
}

// spared are those that would end the senders' own sessions, rights or accounts.
var spared = []string{"signOut", "revokeDevice", "deleteAccount", "setUserRoles"}

func operations(doc *openapi3.T) (all []operation) {
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if !slices.Contains(spared, op.OperationID) {
				all = append(all, operation{method, path, op})
			}
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return all
}

// request is what is sent, by whom.
type request struct {
	operation
	who, target, contentType string
	body                     []byte
}

func (r request) String() string {
	return fmt.Sprintf("%s %s %s, %s %.300q", r.who, r.method, r.target, r.contentType, r.body)
}

// nasty strings are those that programs stumble over.
var nasty = []string{
	"", " ", "\x00", "a\x00b", "\u202e", "\ufeff", "%", "_", "'", "\"", "' OR 1=1 --", "<script>alert(1)</script>", "../../etc/passwd", "=cmd()",
	"\xff\xfe", "null", "0", "-1", "1e309", "99999999999999999999", "𝕬𝖉𝖆@exämple.test", "a@b", "javascript:alert(1)", "https://evil.example/", "//evil.example",
	strings.Repeat("a", 300), strings.Repeat("é", 5000), "\r\nSet-Cookie: a=b", "${jndi:ldap://x}", "{{7*7}}",
}

// draw makes a request of any operation: half of them as described, the others
// with something wrong.
func draw(t *rapid.T, ops []operation, known known) request {
	op := rapid.SampledFrom(ops).Draw(t, "operation")
	g := generator{t: t, known: known, wrong: rapid.Bool().Draw(t, "wrong")}
	r := request{operation: op, who: rapid.SampledFrom([]string{"nobody", "customer", "customer", "admin", "admin", "stranger"}).Draw(t, "who")}
	path, query := op.path, url.Values{}
	for _, parameter := range op.Parameters {
		p := parameter.Value
		value := g.text(p.Name, p.Schema)
		switch {
		case p.In == openapi3.ParameterInPath:
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case p.In == openapi3.ParameterInQuery && (p.Required || rapid.Bool().Draw(t, p.Name)):
			query.Add(p.Name, value)
			if g.mistake() {
				query.Add(p.Name, g.text(p.Name, p.Schema))
			}
		}
	}
	if g.mistake() {
		query.Add(rapid.SampledFrom([]string{"unknown", "__proto__", "limit", "page"}).Draw(t, "name"), rapid.SampledFrom(nasty).Draw(t, "value"))
	}
	r.target = path
	if len(query) > 0 {
		r.target += "?" + query.Encode()
	}
	if op.RequestBody != nil {
		r.contentType, r.body = g.body(op.RequestBody.Value)
	}
	if g.mistake() {
		r.method = rapid.SampledFrom([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions}).Draw(t, "method")
	}
	return r
}

// generator makes values of schemas and, when something should be wrong, others.
type generator struct {
	t     *rapid.T
	known known
	wrong bool
}

// mistake is whether to make one here.
func (g generator) mistake() bool {
	return g.wrong && rapid.IntRange(0, 4).Draw(g.t, "mistake") == 0
}

func (g generator) body(described *openapi3.RequestBody) (contentType string, body []byte) {
	for mediaType, content := range described.Content {
		contentType = mediaType
		if mediaType == "application/json" {
			body, _ = json.Marshal(g.value("", content.Schema, 0))
		} else {
			body = []byte(rapid.SampledFrom(append([]string{"email\nada@example.test\n", "code=x&state=y", "{}"}, nasty...)).Draw(g.t, "text"))
		}
	}
	if g.mistake() {
		contentType = rapid.SampledFrom([]string{"", "text/plain", "application/json; charset=latin1", "multipart/form-data", "application/xml"}).Draw(g.t, "content type")
	}
	if g.mistake() {
		switch rapid.IntRange(0, 4).Draw(g.t, "bytes") {
		case 0:
			body = body[:len(body)/2]
		case 1:
			body = append(body, body...)
		case 2:
			body = bytes.Repeat([]byte("["), 2000)
		case 3:
			body = rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(g.t, "noise")
		case 4:
			body = bytes.Replace(body, []byte("{"), []byte(`{"__proto__":{"admin":true},`), 1)
		}
	}
	return contentType, body
}

// text is a value as a parameter.
func (g generator) text(name string, schema *openapi3.SchemaRef) string {
	if value := g.value(name, schema, 0); value != nil {
		if s, ok := value.(string); ok {
			return s
		}
		raw, _ := json.Marshal(value)
		return string(raw)
	}
	return ""
}

// value is nil, a bool, a float64, a string, a slice or a map.
func (g generator) value(name string, ref *openapi3.SchemaRef, depth int) any {
	t, s := g.t, ref.Value
	if g.mistake() {
		return rapid.SampledFrom([]any{nil, true, -1.0, 1.5, 1e300, math.MaxInt64, []any{}, map[string]any{}, rapid.SampledFrom(nasty).Draw(t, "nasty")}).Draw(t, "other")
	}
	for _, choice := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(choice) > 0 {
			return g.value(name, rapid.SampledFrom(choice).Draw(t, "choice"), depth)
		}
	}
	if len(s.Enum) > 0 {
		return rapid.SampledFrom(s.Enum).Draw(t, "enum")
	}
	if s.Const != nil {
		return s.Const
	}
	if values := g.known.of(name); len(values) > 0 && rapid.IntRange(0, 2).Draw(t, "known") > 0 {
		return rapid.SampledFrom(values).Draw(t, "value")
	}
	switch {
	case s.Type.Includes("object"):
		return g.object(s, depth)
	case s.Type.Includes("array"):
		most := 3
		if s.MaxItems != nil {
			most = min(most, int(*s.MaxItems))
		}
		items := []any{}
		for range rapid.IntRange(int(min(s.MinItems, uint64(most))), most).Draw(t, "items") {
			items = append(items, g.value(name, s.Items, depth+1))
		}
		return items
	case s.Type.Includes("integer"):
		low, high := bounds(s, -10, 1000)
		return float64(rapid.Int64Range(int64(low), int64(high)).Draw(t, "integer"))
	case s.Type.Includes("number"):
		low, high := bounds(s, 0, 100)
		return math.Round(rapid.Float64Range(low, high).Draw(t, "number")*100) / 100
	case s.Type.Includes("boolean"):
		return rapid.Bool().Draw(t, "boolean")
	case s.Type.Includes("string"):
		return g.string(s)
	}
	return nil
}

func bounds(s *openapi3.Schema, low, high float64) (float64, float64) {
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil {
		high = *s.Max
	}
	return low, max(low, high)
}

func (g generator) object(s *openapi3.Schema, depth int) map[string]any {
	object := map[string]any{}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if slices.Contains(s.Required, name) && !g.mistake() || depth < 3 && rapid.Bool().Draw(g.t, name) {
			object[name] = g.value(name, s.Properties[name], depth+1)
		}
	}
	if g.mistake() {
		object[rapid.SampledFrom([]string{"unknown", "userId", "role", "isAdmin", "__proto__"}).Draw(g.t, "extra")] = "x"
	}
	return object
}

func (g generator) string(s *openapi3.Schema) string {
	t := g.t
	switch s.Format {
	case "uuid":
		return rapid.SampledFrom([]string{"0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8", "00000000-0000-0000-0000-000000000000"}).Draw(t, "id")
	case "date-time":
		return rapid.SampledFrom([]string{"2026-01-01T00:00:00Z", "2026-02-28T23:59:59.999999999+14:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"}).Draw(t, "time")
	case "uri":
		return rapid.SampledFrom([]string{"http://localhost/profile", "https://evil.example/", "fledge://auth/callback"}).Draw(t, "uri")
	case "email":
		return rapid.StringMatching(`[a-z]{1,8}@example\.test`).Draw(t, "email")
	}
	if s.Pattern != "" {
		return rapid.StringMatching(s.Pattern).Draw(t, "pattern")
	}
	most := 40
	if s.MaxLength != nil {
		most = min(most, int(*s.MaxLength))
	}
	return rapid.StringN(int(min(s.MinLength, uint64(most))), most, -1).Draw(t, "string")
}
