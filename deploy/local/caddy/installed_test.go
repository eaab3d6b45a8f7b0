package caddy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/mmcdole/gofeed"

	"fledge.dev/deploy/local/caddy"
	"fledge.dev/services/platform/errtest"
)

// installations are the values of two: of nobody, and of the chart's production, which
// helm/charttest writes.
func installations(t *testing.T) map[string][]string {
	t.Helper()
	rendered, err := os.ReadFile("../../../helm/charttest/testdata/site.env")
	errtest.None(t, err)
	return map[string][]string{
		"of somebody": {
			"FLEDGE_SITE_ORIGIN=https://www.shop-of-somebody.dev", "FLEDGE_PRODUCT_NAME=Füllhorn", "FLEDGE_SUPPORT_EMAIL=help@shop-of-somebody.dev",
			"FLEDGE_SALES_EMAIL=sell@shop-of-somebody.dev", "FLEDGE_PRIVACY_EMAIL=data@shop-of-somebody.dev",
		},
		"of the chart": strings.Split(strings.TrimSpace(string(rendered)), "\n"),
	}
}

// TestTheSiteOfAnInstallationNamesNoOther asks for every file of the real export as an
// installation serves it, in every form, and searches it for the names that only the
// build or a trial can have left. `make test-web` gives it the export.
func TestTheSiteOfAnInstallationNamesNoOther(t *testing.T) {
	export := os.Getenv("FLEDGE_TEST_EXPORT")
	if export == "" {
		t.Skip("FLEDGE_TEST_EXPORT names no export")
	}
	for name, settings := range installations(t) {
		t.Run(name, func(t *testing.T) { namesNoOther(t, export, settings) })
	}
}

func namesNoOther(t *testing.T, export string, settings []string) {
	t.Helper()
	origin := door(t, "127.0.0.1:1", func(o *caddy.Options) { o.Export, o.Settings = export, settings })
	its := map[string]string{}
	for _, setting := range settings {
		key, value, _ := strings.Cut(setting, "=")
		its[strings.TrimPrefix(key, "FLEDGE_")] = value
	}
	served := map[string]string{}
	for _, path := range append(addressesIn(t, export), "/.well-known/security.txt", "/config.json") {
		for _, form := range []string{"", "gzip", "br"} {
			got := get(t, http.MethodGet, origin+path, http.Header{"Accept-Encoding": {form}})
			if want := http.StatusOK; got.StatusCode != want && path != "/404" && path != "/blog/not-found" {
				t.Errorf("%s: %d", path, got.StatusCode)
			}
			text := decoded(t, got)
			if served[path] != "" && served[path] != text {
				t.Errorf("%s is another file as %q", path, form)
			}
			served[path] = text
			for _, header := range []string{"Location", "Content-Security-Policy", "Link"} {
				text += "\n" + got.Header.Get(header)
			}
			for _, found := range foreign(path, text) {
				t.Errorf("%s (%s) says %q", path, form, found)
			}
		}
	}
	itsOrigin := its["SITE_ORIGIN"]
	for path, want := range map[string]string{
		"/": `<link rel="canonical" href="` + itsOrigin, "/robots.txt": itsOrigin + "/sitemap.xml", "/sitemap.xml": "<loc>" + itsOrigin, "/feed.xml": itsOrigin + "/blog/",
		"/privacy": its["PRIVACY_EMAIL"], "/profile": "<title>Profile · " + its["PRODUCT_NAME"], "/.well-known/security.txt": "mailto:" + its["SUPPORT_EMAIL"],
	} {
		if !strings.Contains(served[path], want) {
			t.Errorf("%s does not say %s", path, want)
		}
	}
	readers(t, itsOrigin, served)
	if len(served) < 150 {
		t.Errorf("only %d files were asked for", len(served))
	}
}

// readers are other people's programs: a feed reader, and what a crawler makes of the sitemap.
func readers(t *testing.T, itsOrigin string, served map[string]string) {
	t.Helper()
	feed, err := gofeed.NewParser().ParseString(served["/feed.xml"])
	errtest.None(t, err)
	if feed.FeedType != "rss" || feed.FeedVersion != "2.0" || feed.FeedLink != itsOrigin+"/feed.xml" || len(feed.Items) == 0 {
		t.Errorf("the feed is %s %s of %s with %d articles", feed.FeedType, feed.FeedVersion, feed.FeedLink, len(feed.Items))
	}
	ids := map[string]bool{}
	for _, item := range feed.Items {
		if item.Title == "" || !strings.HasPrefix(item.Link, itsOrigin+"/blog/") || item.PublishedParsed == nil || len(item.Content) < 1000 || ids[item.GUID] {
			t.Errorf("in the feed, %q at %s of %v with %d bytes and the id %q", item.Title, item.Link, item.PublishedParsed, len(item.Content), item.GUID)
		}
		ids[item.GUID] = true
	}
	for path, text := range served {
		if strings.HasPrefix(strings.ToLower(text), "<!doctype html>") && !strings.Contains(text, `type="application/rss+xml"`) {
			t.Errorf("%s does not announce the feed", path)
		}
	}
	var sitemap struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		Pages   []struct {
			Address string `xml:"loc"`
			Changed string `xml:"lastmod"`
		} `xml:"url"`
	}
	errtest.None(t, xml.Unmarshal([]byte(served["/sitemap.xml"]), &sitemap))
	for _, page := range sitemap.Pages {
		path, ours := strings.CutPrefix(page.Address, itsOrigin)
		if path == "" {
			path = "/"
		}
		if _, there := served[path]; !ours || !there {
			t.Errorf("the sitemap lists %s, which is no page", page.Address)
		}
		if page.Changed == "" {
			continue
		}
		if _, err := time.Parse(time.DateOnly, page.Changed[:min(len(page.Changed), len(time.DateOnly))]); err != nil {
			t.Errorf("the sitemap says that %s changed on %q", page.Address, page.Changed)
		}
	}
}

// addressesIn are the paths that the files of an export answer.
func addressesIn(t *testing.T, export string) (paths []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(export), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, ".br") || strings.HasSuffix(name, ".gz") {
			return err
		}
		page, isPage := strings.CutSuffix(name, ".html")
		if isPage && page == "index" {
			page = ""
		}
		paths = append(paths, "/"+page)
		return nil
	})
	errtest.None(t, err)
	return paths
}

func decoded(t *testing.T, got answer) string {
	t.Helper()
	var reader io.Reader = strings.NewReader(got.text)
	var err error
	switch got.Header.Get("Content-Encoding") {
	case "gzip":
		reader, err = gzip.NewReader(reader)
	case "br":
		reader = brotli.NewReader(reader)
	}
	errtest.None(t, err)
	var text bytes.Buffer
	if _, err := text.ReadFrom(reader); err != nil {
		t.Errorf("%s: %v", got.Request.URL, err)
	}
	return text.String()
}

var (
	// In scripts, a regular expression has a method .test, and libraries know the host localhost.
	inScripts = regexp.MustCompile(`://localhost|localhost:\d|(://|@)[a-z0-9.-]+\.(example|test)\b|fledge\.(example|test)\b|[a-z@/.]*site\.invalid`)
	inTexts   = regexp.MustCompile(`localhost|[a-z0-9.@/-]*\.(example|test)\b|[A-Za-z@/.]*site\.invalid`)
	// meant is what an article tells its readers to write.
	meant = "review@yourdomain.example"
)

// foreign are the names in a file that are not of the installation.
func foreign(path, text string) (found []string) {
	names := inTexts
	if strings.HasSuffix(path, ".js") {
		names = inScripts
	}
	for _, name := range names.FindAllString(text, -1) {
		if name != meant {
			found = append(found, name)
		}
	}
	return found
}

func TestForeignNamesAreFound(t *testing.T) {
	for text, n := range map[string]int{
		"https://fledge.example/a": 1, "support@fledge.test": 1, "http://localhost:8080": 1, "Name.site.invalid": 1, "write " + meant: 0, "a test. example": 0,
	} {
		if got := foreign("/a.js", text); len(got) != n && text != "write "+meant {
			t.Errorf("in a script, %q: %q", text, got)
		}
		if got := foreign("/a", text); len(got) != n {
			t.Errorf("in a page, %q: %q", text, got)
		}
	}
	if got := foreign("/a.js", `/x/.test("abc")&&["localhost"].includes(e)`); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
