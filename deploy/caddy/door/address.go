// Package door has the handlers of the front door that Caddy itself does not have.
package door

import (
	"errors"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

var (
	_ caddyhttp.MiddlewareHandler = Address{}
	_ caddyhttp.MiddlewareHandler = (*Body)(nil)
	_ caddy.Provisioner           = (*Body)(nil)
	_ caddyfile.Unmarshaler       = (*Body)(nil)
	_ caddyhttp.MiddlewareHandler = (*Peers)(nil)
	_ caddy.Provisioner           = (*Peers)(nil)
	_ caddy.CleanerUpper          = (*Peers)(nil)
)

func init() {
	caddy.RegisterModule(Address{})
	caddy.RegisterModule(new(Body))
	caddy.RegisterModule(new(Peers))
	httpcaddyfile.RegisterHandlerDirective("fledge_address", withoutArguments(Address{}))
	httpcaddyfile.RegisterHandlerDirective("fledge_body", func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		body := new(Body)
		return body, body.UnmarshalCaddyfile(h.Dispenser)
	})
	httpcaddyfile.RegisterHandlerDirective("fledge_peers", func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		h.Next()
		var list string
		if h.NextArg() {
			list = h.Val()
		}
		if h.NextArg() {
			return nil, h.ArgErr()
		}
		return &Peers{Addresses: strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })}, nil
	})
}

// withoutArguments reads a directive without arguments.
func withoutArguments(handler caddyhttp.MiddlewareHandler) httpcaddyfile.UnmarshalHandlerFunc {
	return func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		h.Next()
		if h.NextArg() {
			return nil, h.ArgErr()
		}
		return handler, nil
	}
}

// Address gives each page one address: all other ways to write it (with .html, with a
// slash at the end, with doubled slashes, with dots or with escapes) lead there. What
// names no page in such a way is not found.
type Address struct{}

// CaddyModule names the handler.
func (Address) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.fledge_address", New: func() caddy.Module { return Address{} }}
}

var errNowhere = errors.New("no address of this site")

// ServeHTTP needs the pages in the `root` of the request.
func (Address) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	asked := r.URL.Path
	if !canBeFile(asked) {
		return caddyhttp.Error(http.StatusNotFound, errNowhere)
	}
	clean := path.Clean("/" + asked)
	page := strings.TrimSuffix(clean, ".html")
	if page == "/index" {
		page = "/"
	}
	repl, _ := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	switch isThere := isPage(repl.ReplaceAll("{http.vars.root}", ""), page); {
	case isThere && r.URL.EscapedPath() != page:
		if r.URL.RawQuery != "" {
			page += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", page)
		w.Header().Set("Cache-Control", "no-store") // a later version of the site may have something here
		w.WriteHeader(http.StatusPermanentRedirect)
		return nil
	case !isThere && clean != asked:
		return caddyhttp.Error(http.StatusNotFound, errNowhere)
	}
	return next.ServeHTTP(w, r)
}

// canBeFile tells whether a file system can look for a path, with the extensions of
// pages and of their compressed forms.
func canBeFile(name string) bool {
	const segment, all = 240, 1024
	if len(name) > all || strings.ContainsRune(name, 0) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if len(part) > segment {
			return false
		}
	}
	return true
}

// aPage holds no character that has two forms in an address.
var aPage = regexp.MustCompile(`^/[A-Za-z0-9_/-]*$`)

func isPage(root, page string) bool {
	if !aPage.MatchString(page) {
		return false
	}
	if page == "/" {
		page = "/index"
	}
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(page)+".html")) //nolint:gosec // G703: aPage has no dots
	return err == nil && info.Mode().IsRegular()
}
