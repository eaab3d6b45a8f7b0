package jsonbody_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/fault"
)

type order struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
	Rush  *bool  `json:"rush"`
}

func decode(contentType string, body io.Reader) (order, error) {
	r := httptest.NewRequest(http.MethodPost, "/", body)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return jsonbody.Decode[order](httptest.NewRecorder(), r)
}

func TestDecode(t *testing.T) {
	for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"} {
		got, err := decode(contentType, strings.NewReader(` {"name":"Zoë 🐦","count":3,"rush":true}`+"\n"))
		if err != nil || got.Name != "Zoë 🐦" || got.Count != 3 || got.Rush == nil || !*got.Rush {
			t.Errorf("%s: got %+v, %v", contentType, got, err)
		}
	}
}

func TestDecodeRefusesOtherMediaTypes(t *testing.T) {
	for _, contentType := range []string{
		"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json",
		"application/json; charset=utf-16", "application/json+x", "application/jsonp", "application/json, text/plain",
	} {
		_, err := decode(contentType, strings.NewReader(`{"name":"x"}`))
		if !errors.Is(err, problem.UnsupportedMediaType) {
			t.Errorf("%q: %v", contentType, err)
		}
	}
}

func TestDecodeRefusesEncodedBodies(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Content-Encoding", "gzip")
	if _, err := jsonbody.Decode[order](httptest.NewRecorder(), r); !errors.Is(err, problem.UnsupportedMediaType) {
		t.Error(err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := map[string]struct{ body, reason string }{
		"nothing":               {``, "invalid_json"},
		"space":                 {"  \n", "invalid_json"},
		"null":                  {`null`, "invalid_json"},
		"an array":              {`[{"name":"x"}]`, "invalid_json"},
		"a string":              {`"name"`, "invalid_json"},
		"half an object":        {`{"name":"x"`, "invalid_json"},
		"a comment":             {`{"name":"x"} // y`, "invalid_json"},
		"a trailing comma":      {`{"name":"x",}`, "invalid_json"},
		"single quotes":         {`{'name':'x'}`, "invalid_json"},
		"NaN":                   {`{"count":NaN}`, "invalid_json"},
		"a byte order mark":     {"\xef\xbb\xbf{}", "invalid_json"},
		"a second document":     {`{"name":"a"}{"name":"b"}`, "invalid_json"},
		"trailing garbage":      {`{"name":"a"}]`, "invalid_json"},
		"duplicate names":       {`{"name":"a","name":"b"}`, "invalid_json"},
		"escaped duplicates":    {`{"name":"a","\u006eame":"b"}`, "invalid_json"},
		"an unknown name":       {`{"status":"approved"}`, "unknown_field"},
		"a name in capitals":    {`{"NAME":"a"}`, "unknown_field"},
		"a prototype":           {`{"__proto__":{"admin":true}}`, "unknown_field"},
		"a number for a string": {`{"name":1}`, "invalid_type"},
		"an array of one":       {`{"name":["x"]}`, "invalid_type"},
		"an object":             {`{"name":{"$ne":1}}`, "invalid_type"},
		"a string for a number": {`{"count":"1"}`, "invalid_type"},
		"a fraction":            {`{"count":1.5}`, "invalid_type"},
		"2^63":                  {`{"count":9223372036854775808}`, "invalid_type"},
		"a string for a bool":   {`{"rush":"true"}`, "invalid_type"},
		"a number for a bool":   {`{"rush":1}`, "invalid_type"},
		"invalid UTF-8":         {"{\"name\":\"a\xff\"}", "invalid_json"},
		"a lone surrogate":      {`{"name":"\ud800"}`, "invalid_json"},
		"an escaped NUL":        {`{"name":"a\u0000b"}`, "invalid_json"},
		"a raw NUL":             {"{\"name\":\"a\x00b\"}", "invalid_json"},
		"a raw line break":      {"{\"name\":\"a\nb\"}", "invalid_json"},
		"UTF-16":                {"{\x00}\x00", "invalid_json"},
		"deep arrays":           {`{"name":` + strings.Repeat("[", 10_001), "invalid_json"},
		"deep objects":          {strings.Repeat(`{"name":`, 5_000) + "1" + strings.Repeat("}", 5_000), "invalid_json"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := decode("application/json", strings.NewReader(tt.body))
			f := fault.Of(err)
			if f == nil || f.Kind != fault.Invalid || f.Reason != tt.reason {
				t.Errorf("got %v, want %s", err, tt.reason)
			}
		})
	}
}

func TestDecodeNamesTheFieldOfTheWrongType(t *testing.T) {
	_, err := decode("application/json", strings.NewReader(`{"rush":1}`))
	if f := fault.Of(err); len(f.Fields) != 1 || f.Fields[0].Name != "rush" {
		t.Errorf("fields: %+v", f.Fields)
	}
}

// hidden keeps httptest from learning the body's length, as with a chunked body.
type hidden struct{ io.Reader }

func TestDecodeLimitsTheBody(t *testing.T) {
	padded := func(n int) string { return `{"name":"` + strings.Repeat("x", n-len(`{"name":""}`)) + `"}` }
	if _, err := decode("application/json", strings.NewReader(padded(jsonbody.MaxBytes))); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	long := padded(jsonbody.MaxBytes + 1)
	for name, body := range map[string]io.Reader{"announced": strings.NewReader(long), "chunked": hidden{strings.NewReader(long)}} {
		if _, err := decode("application/json", body); !errors.Is(err, fault.TooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzUnmarshal holds the decoder against encoding/json: what it takes, the lax
// parser takes as well and reads in the same way, and it never lets a NUL or
// invalid UTF-8 through.
func FuzzUnmarshal(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","count":1,"rush":null}`, `{"name":"\u0000"}`, `{"name":"a","name":"b"}`, `{}{}`, `[[[[`, "{\"name\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var strict, lax order
		if err := jsonbody.Unmarshal(raw, &strict); err != nil {
			if fault.Of(err).Kind != fault.Invalid {
				t.Fatalf("%q is refused as %v", raw, err)
			}
			return
		}
		if err := json.Unmarshal(raw, &lax); err != nil {
			t.Fatalf("%q passes, but encoding/json says %v", raw, err)
		}
		if strict.Name != lax.Name || strict.Count != lax.Count {
			t.Fatalf("%q reads as %+v and as %+v", raw, strict, lax)
		}
		if !utf8.ValidString(strict.Name) || strings.ContainsRune(strict.Name, 0) {
			t.Fatalf("%q lets %q through", raw, strict.Name)
		}
	})
}
