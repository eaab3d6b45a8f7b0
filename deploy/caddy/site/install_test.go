package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
)

var values = Values{
	Origin: "https://shop.example.org", Support: "help@shop.example.org", Sales: "sell@shop.example.org",
	Privacy: "data@shop.example.org", Name: "Füllhorn No. 5",
}

// must ends the test at an error that it is not about.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// export writes files to a folder.
func export(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		file := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(content), 0o644))
	}
	return dir
}

// install installs files, and the 404 page that every site has.
func install(t *testing.T, files map[string]string) (to string, err error) {
	t.Helper()
	if files["404.html"] == "" {
		files["404.html"] = "not found"
	}
	to = filepath.Join(t.TempDir(), "site")
	return to, Install(export(t, files), to, values)
}

func read(t *testing.T, to, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(to, name))
	must(t, err)
	return string(content)
}

func TestPlaceholdersAreFilledInEveryKindOfText(t *testing.T) {
	const all = "https://origin.site.invalid/a support@site.invalid sales@site.invalid privacy@site.invalid Name.site.invalid!"
	const want = "https://shop.example.org/a help@shop.example.org sell@shop.example.org data@shop.example.org Füllhorn No. 5!"
	files := map[string]string{}
	for _, name := range []string{"index.html", "a/b.html", "feed.xml", "robots.txt", "a.json", "site.webmanifest", "icon.svg"} {
		files[name] = all
	}
	to, err := install(t, files)
	must(t, err)
	for name := range files {
		if got := read(t, to, "pages/"+name); name != "404.html" && got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAPlaceholderThatCannotBeFilledNamesItsFile(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"unknown":        {"a/page.html": "mailto:billing@site.invalid"},
		"escaped":        {"a/page.html": "mailto:support%40site.invalid"},
		"in a script":    {"_next/static/chunks/a.js": `x="https://origin.site.invalid"`},
		"in a style":     {"extra.css": `a{background:url(https://origin.site.invalid/x)}`},
		"in a picture":   {"a.png": "PNG support@site.invalid"},
		"cut payload":    {"a.txt": "1:Tff,support@site.invalid"},
		"no payload":     {"a.html": `<script>self.__next_f.push([1,"1:Tff,support@site.invalid"])</script>`},
		"broken payload": {"a.html": `<script>self.__next_f.push([1,support@site.invalid])</script>`},
	} {
		t.Run(name, func(t *testing.T) {
			file := ""
			for file = range files {
				break
			}
			if _, err := install(t, files); err == nil || !strings.Contains(err.Error(), file) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestAPayloadOfReactKeepsItsLengths: a text row that says a wrong length makes React
// read all that follows it wrongly.
func TestAPayloadOfReactKeepsItsLengths(t *testing.T) {
	const payload = "1:\"$Sreact.fragment\"\n:HL[\"/a.css\",\"style\"]\n2:T2a,ä support@site.invalid\nName.site.invalid.3:[\"support@site.invalid\"]\n4:A4,\n:T,5:\"$2\"\n"
	const want = "1:\"$Sreact.fragment\"\n:HL[\"/a.css\",\"style\"]\n2:T29,ä help@shop.example.org\nFüllhorn No. 5.3:[\"help@shop.example.org\"]\n4:A4,\n:T,5:\"$2\"\n"
	to, err := install(t, map[string]string{"a/__next._tree.txt": payload, "b.txt": payload})
	must(t, err)
	for _, name := range []string{"a/__next._tree.txt", "b.txt"} {
		if got := read(t, to, "pages/"+name); got != want {
			t.Errorf("%s\n got %q\nwant %q", name, got, want)
		}
	}
}

// TestAPayloadInAPageMayBeInPieces that end anywhere: Next cuts it by bytes.
func TestAPayloadInAPageMayBeInPieces(t *testing.T) {
	base64Of := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	page := `<p>support@site.invalid</p><script>(self.__next_f=self.__next_f||[]).push([0])</script>` +
		`<script>self.__next_f.push([1,"1:T1c,"])</script><script src="/a.js"></script>` +
		`<script>self.__next_f.push([1,"\u003cb\u003e Name.site.i"])</script>` +
		`<script>self.__next_f.push([3,"` + base64Of("nvalid \u00e4\n"[:9]) + `"])</script>` +
		`<script>self.__next_f.push([3,"` + base64Of("nvalid \u00e4\n"[9:]+"bcd2:[]\n") + `"])</script><p>`
	to, err := install(t, map[string]string{"a.html": page})
	must(t, err)
	want := `<p>help@shop.example.org</p><script>(self.__next_f=self.__next_f||[]).push([0])</script>` +
		`<script>self.__next_f.push([1,"1:T1a,\u003cb\u003e Füllhorn No. 5 ä\nbcd2:[]\n"])</script><script src="/a.js"></script>` +
		`<script></script><script></script><script></script><p>`
	if got := read(t, to, "pages/a.html"); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestThePolicyHasTheHashOfEachScriptAsItIsServed(t *testing.T) {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	to, err := install(t, map[string]string{
		"index.html": `<script src="/a.js" async=""></script><script>"support@site.invalid"</script><script id="x"> two` + "\n" + `</script>` +
			`<script type="application/ld+json">{"a":1}</script><script type=application/json>{}</script><script src="/b.js">never</script>` +
			`<!-- <script>comment</script> --><textarea><script>text</script></textarea><script>"support@site.invalid"</script><script></script>`,
		"blog/first.html": "no script", "404.html": `<script>lost</script>`,
	})
	must(t, err)
	rest := `{google_scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; ` +
		`connect-src 'self'{posthog_connections}{google_connections}; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"` + "\n"
	want := "map {http.request.uri.path} {csp} {\n" +
		"\t/ \"default-src 'self'; script-src 'self' " + hash(`"help@shop.example.org"`) + " " + hash(" two\n") + rest +
		"\t/404 \"default-src 'self'; script-src 'self' " + hash("lost") + rest +
		"\t/blog/first \"default-src 'self'; script-src 'self'" + rest +
		"\tdefault \"default-src 'self'; script-src 'self' " + hash("lost") + rest + "}\n"
	if got := read(t, to, "csp.caddy"); !strings.HasSuffix(got, want) {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestAnExportWithoutA404PageOrWithAStrangeNameIsRefused(t *testing.T) {
	if err := Install(export(t, map[string]string{"index.html": "x"}), filepath.Join(t.TempDir(), "site"), values); err == nil || !strings.Contains(err.Error(), "no 404.html") {
		t.Errorf("%v", err)
	}
	if _, err := install(t, map[string]string{`a"b.html`: "x"}); err == nil || !strings.Contains(err.Error(), "letters, digits") {
		t.Errorf("%v", err)
	}
}

func TestWhatIsWrittenIsCompressed(t *testing.T) {
	long := strings.Repeat("Name.site.invalid ", 100)
	to, err := install(t, map[string]string{
		"index.html": long, "index.html.br": "of another time", "feed.xml": long, "short.txt": "short", "a.png": strings.Repeat("x", 1000),
		"_next/static/chunks/a.js": strings.Repeat("x", 1000), "_next/static/chunks/a.js.br": "compressed",
	})
	must(t, err)
	want := strings.Repeat("Füllhorn No. 5 ", 100)
	for _, name := range []string{"index.html", "feed.xml"} {
		unzipped, err := gzip.NewReader(strings.NewReader(read(t, to, "pages/"+name+".gz")))
		must(t, err)
		for form, reader := range map[string]io.Reader{"gz": unzipped, "br": brotli.NewReader(strings.NewReader(read(t, to, "pages/"+name+".br")))} {
			if got, err := io.ReadAll(reader); err != nil || string(got) != want {
				t.Errorf("%s.%s: %q %v", name, form, got, err)
			}
		}
	}
	if got := strings.Join(filesIn(t, to), " "); got != "csp.caddy pages/.well-known/security.txt pages/404.html pages/a.png "+
		"pages/feed.xml pages/feed.xml.br pages/feed.xml.gz pages/index.html pages/index.html.br pages/index.html.gz pages/short.txt" {
		t.Error(got)
	}
}

func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return err
	})
	must(t, err)
	return names
}

func TestTheSiteIsReplacedAtOnceAndOnlyASite(t *testing.T) {
	parent := t.TempDir()
	to := filepath.Join(parent, "site")
	good := map[string]string{"404.html": "first", "gone.html": "x"}
	must(t, Install(export(t, good), to, values))
	if err := os.Mkdir(filepath.Join(parent, "site.new-123"), 0o755); err != nil { // of one that was killed
		t.Fatal(err)
	}
	if err := Install(export(t, map[string]string{"404.html": "billing@site.invalid"}), to, values); err == nil {
		t.Fatal("no error")
	}
	if content, err := os.ReadFile(filepath.Join(to, "pages", "404.html")); err != nil || string(content) != "first" {
		t.Errorf("after a failure: %s %v", content, err)
	}
	must(t, Install(export(t, map[string]string{"404.html": "second"}), to, values))
	if got := strings.Join(filesIn(t, parent), " "); got != "site/csp.caddy site/pages/.well-known/security.txt site/pages/404.html" {
		t.Errorf("%s", got)
	}
	if err := Install(export(t, good), parent, values); err == nil || !strings.Contains(err.Error(), "is no site") {
		t.Errorf("over a folder of somebody else: %v", err)
	}
	if err := Install(export(t, good), "", values); err == nil || !strings.Contains(err.Error(), "FLEDGE_WEB_ROOT is missing") {
		t.Errorf("without a folder: %v", err)
	}
}

func TestSecurityTextFollowsItsRFC(t *testing.T) {
	to, err := install(t, map[string]string{})
	must(t, err)
	fields := map[string]string{}
	for line := range strings.Lines(read(t, to, "pages/.well-known/security.txt")) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		fields[key] = value
	}
	if fields["Contact"] != "mailto:help@shop.example.org" || fields["Canonical"] != "https://shop.example.org/.well-known/security.txt" {
		t.Errorf("%v", fields)
	}
	expires, err := time.Parse(time.RFC3339, fields["Expires"])
	if left := time.Until(expires); err != nil || left > 366*24*time.Hour || left < 363*24*time.Hour {
		t.Errorf("expires %v %v", fields["Expires"], err)
	}
}

func TestValuesThatCannotStandInAPageAreRefused(t *testing.T) {
	must(t, values.Check())
	for want, change := range map[string]func(*Values){
		"FLEDGE_SITE_ORIGIN is missing":        func(v *Values) { v.Origin = "" },
		`FLEDGE_SITE_ORIGIN is "https://a/"`:   func(v *Values) { v.Origin = "https://a/" },
		`FLEDGE_SITE_ORIGIN is "ftp://a"`:      func(v *Values) { v.Origin = "ftp://a" },
		`FLEDGE_SITE_ORIGIN is "https://a b"`:  func(v *Values) { v.Origin = "https://a b" },
		`FLEDGE_SITE_ORIGIN is "https://A.de"`: func(v *Values) { v.Origin = "https://A.de" },
		"FLEDGE_SUPPORT_EMAIL is missing":      func(v *Values) { v.Support = "" },
		`FLEDGE_SUPPORT_EMAIL is "x"`:          func(v *Values) { v.Support = "x" },
		`FLEDGE_SALES_EMAIL is "a@b"`:          func(v *Values) { v.Sales = "a@b" },
		`FLEDGE_PRIVACY_EMAIL is "\"a\"@b.de"`: func(v *Values) { v.Privacy = `"a"@b.de` },
		"FLEDGE_PRODUCT_NAME is missing":       func(v *Values) { v.Name = "" },
		`FLEDGE_PRODUCT_NAME is "A <b>"`:       func(v *Values) { v.Name = "A <b>" },
		`FLEDGE_PRODUCT_NAME is " A"`:          func(v *Values) { v.Name = " A" },
		`FLEDGE_PRODUCT_NAME is "A\nB"`:        func(v *Values) { v.Name = "A\nB" },
		`FLEDGE_PRODUCT_NAME is "$A"`:          func(v *Values) { v.Name = "$A" },
	} {
		wrong := values
		change(&wrong)
		err := Install(export(t, map[string]string{"404.html": "x"}), filepath.Join(t.TempDir(), "site"), wrong)
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), ": it must be ") {
			t.Errorf("want %s: %v", want, err)
		}
	}
	for _, name := range []string{"Fledge", "F", "Fledge 2.0", "Ф-ледж", "फ़्लेज"} {
		named := values
		named.Name = name
		if err := named.Check(); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkInstall installs 60 pages with their payloads, of which a start must not make
// anybody wait.
func BenchmarkInstall(b *testing.B) {
	dir := b.TempDir()
	var page bytes.Buffer
	for i := 0; page.Len() < 50_000; i++ {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		page.WriteString("<p class=\"" + base64.StdEncoding.EncodeToString(sum[:12]) + "\">Name.site.invalid builds apps, says support@site.invalid.</p>")
	}
	for i := range 60 {
		name := filepath.Join(dir, string(rune('a'+i%26))+string(rune('a'+i/26)))
		for extension, content := range map[string]string{".html": page.String(), ".txt": "1:" + page.String()} {
			if err := os.WriteFile(name+extension, []byte(content), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "404.html"), []byte("x"), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := Install(dir, filepath.Join(b.TempDir(), "site"), values); err != nil {
			b.Fatal(err)
		}
	}
}
