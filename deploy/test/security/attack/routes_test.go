package attack

import (
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"fledge.dev/gateway"
	"fledge.dev/services/platform/errtest"
)

// operation is a route of the description, which the gateway's own tests hold
// against what gin serves.
type operation struct {
	route string
	*openapi3.Operation
}

func (o operation) path() string { _, path, _ := strings.Cut(o.route, " "); return path }

func (o operation) takes(mediaType string) bool {
	return o.RequestBody != nil && o.RequestBody.Value.Content[mediaType] != nil
}

// bearers reports whether the operation looks at access tokens.
func (o operation) bearers() bool {
	return o.Security != nil && slices.ContainsFunc(*o.Security, func(r openapi3.SecurityRequirement) bool { _, ok := r["bearer"]; return ok })
}

var examples = strings.NewReplacer("{provider}", "google", "{version}", "1.0.0", "{filename}", "x.dmg", "{arch}", "arm64")

func (p *product) operations() (all []operation) {
	p.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(gateway.OpenAPI)
	errtest.None(p, err)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			all = append(all, operation{method + " " + examples.Replace(path), op})
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.route, b.route) })
	return all
}

// everyRoute refuses what no route takes, also the ones that are yet to come.
func (p *product) everyRoute() {
	served := map[string][]string{}
	all := p.operations()
	for _, op := range all {
		method, path, _ := strings.Cut(op.route, " ")
		served[path] = append(served[path], method)
	}
	p.without("malformed requests", func() {
		for path, methods := range served {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
				headOfGet := method == "HEAD" && slices.Contains(methods, "GET") && !strings.Contains(path, "/callback/")
				if slices.Contains(methods, method) || headOfGet {
					continue
				}
				req := p.request("admin", method+" "+path, "")
				req.Header.Set("X-Http-Method-Override", methods[0])
				if a := p.send(req); a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") == "" {
					p.Errorf("%s %s: %d, Allow %q", method, path, a.status, a.header.Get("Allow"))
				}
			}
		}
		for _, op := range all {
			// Nobody reports on emails here, so that this is 404 whatever is sent.
			if op.takes("application/json") && !strings.Contains(op.path(), "/mail-webhook/") {
				p.malformed(op)
			}
			for _, query := range []string{"?surprise=1", "?access_token=x", "?a;b", "?%zz", "?limit=1&limit=2", "?limit[]=1"} {
				if strings.Contains(op.path(), "/callback/") || strings.HasPrefix(op.path(), "/api/download/") || strings.HasPrefix(op.path(), "/api/preview/") {
					continue // the provider's query, which is Kratos', or links to which mail and advertising append theirs
				}
				p.try(attack{"a strange query", "admin", op.route + query, "", http.StatusBadRequest, ""})
			}
		}
	})
}

func (p *product) malformed(op operation) {
	p.Helper()
	delivery := strings.HasSuffix(op.path(), "-webhook") || strings.HasSuffix(op.path(), "-notification")
	for _, body := range []string{
		`null`, `[]`, `{`, `"x"`, `{}{}`, `{}]`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `{"a":"\u0000"}`, "\xfe\xff\x00{\x00}", `{"surprise":1}`,
		`{"__proto__":{"admin":true}}`, `{"userId":{"$ne":1},"user_id":"x","role":"admin","isAdmin":true}`, strings.Repeat(`{"a":`, 10_001), strings.Repeat("[", 10_001),
	} {
		p.try(attack{"a malformed body", "admin", op.route, body, http.StatusBadRequest, ""})
	}
	if delivery {
		return // its body is measured once it is signed
	}
	p.try(attack{"64 KiB and more", "admin", op.route, `{"x":"` + strings.Repeat("x", 64<<10) + `"}`, http.StatusRequestEntityTooLarge, "body_too_large"})
	for _, mediaType := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; charset=utf-16", "text/json", ""} {
		if op.takes(mediaType) {
			continue
		}
		req := p.request("admin", op.route, `{}`)
		req.Header["Content-Type"] = []string{mediaType}
		if a := p.send(req); a.status != http.StatusUnsupportedMediaType {
			p.Errorf("%s as %q: %d %s", op.route, mediaType, a.status, a.body)
		}
	}
	req := p.request("admin", op.route, `{}`)
	req.Header.Set("Content-Encoding", "gzip")
	if a := p.send(req); a.status != http.StatusUnsupportedMediaType {
		p.Errorf("%s, compressed: %d %s", op.route, a.status, a.body)
	}
}
