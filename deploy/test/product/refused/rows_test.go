package refused

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

const (
	join = "/api/add-waitlist-user"
	anID = "0d9c1f64-7f0e-4f6c-9a3e-2b8f6f2d1c11"
)

// noIDs are no UUIDs in the form in which we give them out.
var noIDs = []string{`"x"`, `""`, `null`, `"TKT-000123"`, `"urn:uuid:` + anID + `"`, `"{` + anID + `}"`, `"` + strings.ReplaceAll(anID, "-", "") + `"`, `"` + strings.Repeat("x", 10_001) + `"`}

// post is a row for one field of a body; fields may have the names of more.
func post(who, path, body, field string, more ...string) row {
	return row{who, http.MethodPost, path, body, "invalid_" + snake(field), append([]string{field}, more...)}
}

// get is a row for a parameter.
func get(who, path, parameter, value string) row {
	return row{who: who, method: http.MethodGet, path: path + "?" + parameter + "=" + url.QueryEscape(value), code: "invalid_" + snake(parameter), fields: []string{parameter}}
}

// search is what no list of staff takes.
func search(path, parameter string) row {
	return get("admin", path, parameter, strings.Repeat("x", 255))
}

func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func encode(body map[string]any) string {
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(err) // maps of texts
	}
	return string(encoded)
}

// with is a JSON object of some fields and a further one, which may replace one of them.
func with(body map[string]string, field, value string) string {
	all := []string{`"` + field + `":` + value}
	for other, text := range body {
		if other != field {
			all = append(all, `"`+other+`":`+text)
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}
