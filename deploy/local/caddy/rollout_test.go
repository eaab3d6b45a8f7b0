package caddy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"fledge.dev/deploy/local/caddy"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/services/platform/errtest"
)

// pages are those that are loaded, each with a payload that Next's router asks for besides.
var pages = map[string]string{
	"/": "", "/closed-beta": "/closed-beta.txt?_rsc=x", "/profile": "/profile/__next.!KGFwcCk.!KHNoZWxsKQ.profile.__PAGE__.txt?_rsc=x",
}

// version is an export whose files have the names of one version. Its script loads another
// one later, and its payloads name one more, as the real ones do.
func version(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	page := fmt.Sprintf(`<link rel="stylesheet" href="/_next/static/chunks/%[1]s.css"><script src="/_next/static/chunks/%[1]s.js"></script><script src="/_next/static/chunks/both.js"></script>`, name)
	payload := fmt.Sprintf("1:\"$Sreact.fragment\"\n2:I[39756,[\"/_next/static/chunks/%[1]s-page.js\"],\"default\"]\n:HL[\"/_next/static/chunks/%[1]s.css\",\"style\"]\n", name)
	files := map[string]string{
		"index.html": page, "404.html": "not found",
		"_next/static/chunks/" + name + ".js":            `script of ` + name + `: load("static/chunks/` + name + `-0lazy~part.js")`,
		"_next/static/chunks/" + name + ".js.br":         "compressed script of " + name,
		"_next/static/chunks/" + name + ".css":           "style of " + name,
		"_next/static/chunks/" + name + "-page.js":       "script of " + name,
		"_next/static/chunks/" + name + "-0lazy~part.js": "script of " + name,
		"_next/static/chunks/both.js":                    "script of both",
	}
	for path, asked := range pages {
		if asked, _, _ = strings.Cut(asked, "?"); asked != "" {
			files[path[1:]+".html"], files[asked[1:]] = page, payload
		}
	}
	for file, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		errtest.None(t, os.MkdirAll(filepath.Dir(path), 0o755))
		errtest.None(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

// inTurn is an address behind which front doors answer in turn, request by request, as
// those of two versions do during a rollout.
func inTurn(t *testing.T, origins ...string) string {
	t.Helper()
	var requests atomic.Int64
	balancer := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		target, err := url.Parse(origins[int(requests.Add(1))%len(origins)])
		if err != nil {
			t.Error(err)
			return
		}
		r.SetURL(target)
	}})
	t.Cleanup(balancer.Close)
	return balancer.URL
}

// named are scripts and styles as pages, payloads and scripts name them.
var named = regexp.MustCompile(`static/chunks/[\w~-]+\.(?:js|css)`)

// missing counts the scripts and styles of so many loads of each page that do not arrive,
// also those that are loaded later, and those of the payload, whose version is often the other.
func missing(t *testing.T, site string, times int) (missing int) {
	t.Helper()
	for range times {
		for path, payload := range pages {
			page := get(t, http.MethodGet, site+path, nil)
			asked, least := named.FindAllString(page.text, -1), 4
			if payload != "" {
				got := get(t, http.MethodGet, site+payload, nil)
				asked, least = append(asked, named.FindAllString(got.text, -1)...), 5
			}
			seen := map[string]bool{}
			for len(asked) > 0 {
				file := asked[0]
				if asked = asked[1:]; seen[file] {
					continue
				}
				seen[file] = true
				got := get(t, http.MethodGet, site+"/_next/"+file, nil)
				whole := strings.HasPrefix(got.text, "script of") || strings.HasPrefix(got.text, "style of")
				if got.StatusCode != http.StatusOK || !whole || got.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
					missing++
				}
				asked = append(asked, named.FindAllString(got.text, -1)...)
			}
			if page.StatusCode != http.StatusOK || missing == 0 && len(seen) < least {
				t.Fatalf("%s: %d, and only %v are asked for", path, page.StatusCode, seen)
			}
		}
	}
	return missing
}

// doors are front doors of these exports, each of which knows all of them.
func doors(t *testing.T, exports []string, changes ...func(*caddy.Options)) []string {
	t.Helper()
	// One that is gone, and one that never was.
	peers := []string{"localhost:1", "nobody.invalid:80"}
	var own []int
	free := ports.New()
	for range exports {
		port, err := free.Port()
		errtest.None(t, err)
		own = append(own, port)
		peers = append(peers, fmt.Sprintf("localhost:%d", port))
	}
	var origins []string
	for i, export := range exports {
		origins = append(origins, door(t, "127.0.0.1:1", append([]func(*caddy.Options){func(o *caddy.Options) {
			o.Export, o.Port, o.Settings = export, own[i], []string{"FLEDGE_PEERS=" + strings.Join(peers, ",")}
		}}, changes...)...))
	}
	return origins
}

func TestNoScriptIsMissingWhileTwoVersionsAreServed(t *testing.T) {
	exports := []string{version(t, "one"), version(t, "two")}
	if n := missing(t, inTurn(t, doors(t, exports)...), 100); n != 0 {
		t.Errorf("%d scripts and styles are missing", n)
	}
	// Replicas that do not know each other.
	alone := func(o *caddy.Options) { o.Settings = nil }
	if missing(t, inTurn(t, doors(t, exports, alone)...), 2) == 0 {
		t.Error("nothing is missing without peers: this test tests nothing")
	}
}

func TestAFileOfAPeerIsPassedOnAsItIs(t *testing.T) {
	origins := doors(t, []string{version(t, "one"), version(t, "two")})
	const path = "/_next/static/chunks/two.js"
	for name, header := range map[string]http.Header{"as it is": nil, "compressed": {"Accept-Encoding": {"br"}}} {
		own, passed := get(t, http.MethodGet, origins[1]+path, header), get(t, http.MethodGet, origins[0]+path, header)
		if passed.text != own.text {
			t.Errorf("%s: %q, not %q", name, passed.text, own.text)
		}
		for _, key := range []string{"Content-Type", "Content-Length", "Content-Encoding", "Cache-Control", "Etag", "Vary", "X-Content-Type-Options"} {
			if got, want := passed.Header.Values(key), own.Header.Values(key); strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("%s: %s is %q, not %q", name, key, got, want)
			}
		}
	}
	if head := get(t, http.MethodHead, origins[0]+path, nil); head.StatusCode != http.StatusOK || head.ContentLength != int64(len(get(t, http.MethodGet, origins[1]+path, nil).text)) || head.text != "" {
		t.Errorf("HEAD: %d %d %q", head.StatusCode, head.ContentLength, head.text)
	}
}

// TestAPeersRequestGoesNoFurther: replicas that all lack a file would ask each other for ever.
func TestAPeersRequestGoesNoFurther(t *testing.T) {
	origins := doors(t, []string{version(t, "one"), version(t, "two")})
	const path = "/_next/static/chunks/"
	for what, got := range map[string]answer{
		"as a peer":           get(t, http.MethodGet, origins[0]+path+"two.js", http.Header{"Fledge-Peer": {"1"}}),
		"what nobody has":     get(t, http.MethodGet, origins[0]+path+"three.js", nil),
		"in another way":      get(t, http.MethodGet, origins[0]+path+"tw%6f.js", nil),
		"with another method": get(t, http.MethodPost, origins[0]+path+"two.js", nil),
	} {
		if got.StatusCode != http.StatusNotFound || got.Header.Get("Cache-Control") != "no-store" && got.text != "not found" {
			t.Errorf("%s: %d %q %q", what, got.StatusCode, got.Header.Get("Cache-Control"), got.text)
		}
	}
}
