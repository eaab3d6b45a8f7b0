// Package docs holds the interface's description as the gateway serves it. Both files are
// generated from openapi.yaml by the command write (`make generate`).
package docs

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
)

// Document is openapi.yaml as JSON, Page the same for people.
var (
	//go:embed openapi.json
	Document []byte
	//go:embed page.html
	Page []byte
)

// Policy is the content security policy that Page needs: its own style and nothing else.
func Policy() string {
	_, rest, _ := strings.Cut(string(Page), "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
}
