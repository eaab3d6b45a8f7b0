package site

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// scriptHashes are the policy's sources for the inline scripts that a page executes, each
// once and in order.
func scriptHashes(page string) []string {
	var hashes []string
	for script := range scripts(page) {
		sum := sha256.Sum256([]byte(script.text))
		hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if script.executed && !slices.Contains(hashes, hash) {
			hashes = append(hashes, hash)
		}
	}
	return hashes
}

// policy is the Content-Security-Policy of a page with these hashes. Caddy fills in what
// stands in braces: the sources of the analytics that the installation has keys for.
func policy(hashes []string) string {
	return strings.Join([]string{
		"default-src 'self'",
		strings.Join(append([]string{"script-src 'self'"}, hashes...), " ") + "{google_scripts}",
		// Emotion writes its rules at run time, and the triptych's delays are inline custom properties.
		"style-src 'self' 'unsafe-inline'",
		"img-src 'self' data:",
		"connect-src 'self'{posthog_connections}{google_connections}",
		"object-src 'none'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
		"form-action 'self'",
	}, "; ")
}

// aRoute is the address of a page. It holds nothing that means something to Caddy, and
// nothing that browsers write in two ways.
var aRoute = regexp.MustCompile(`^/[A-Za-z0-9_/-]*$`)

// routeOf is the address of an exported page: index.html is /, blog/x.html /blog/x.
func routeOf(name string) (string, error) {
	route := "/" + strings.TrimSuffix(name, ".html")
	if route == "/index" {
		route = "/"
	}
	if !aRoute.MatchString(route) {
		return "", fmt.Errorf("%s: the address of a page has only letters, digits, - and _", name)
	}
	return route, nil
}

// policyMap is a `map` for Caddy from the request's path to its policy; unknown paths get
// that of the 404 page.
func policyMap(policies map[string]string) (string, error) {
	fallback, found := policies["/404"]
	if !found {
		return "", fmt.Errorf("the export has no 404.html")
	}
	lines := []string{"# Written at each start. Sets {csp} by the path of the request.", "map {http.request.uri.path} {csp} {"}
	for _, route := range slices.Sorted(maps.Keys(policies)) {
		lines = append(lines, fmt.Sprintf("\t%s \"%s\"", route, policies[route]))
	}
	return strings.Join(append(lines, fmt.Sprintf("\tdefault \"%s\"", fallback), "}", ""), "\n"), nil
}
