package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// TestNamesOfTestsAreFound wherever the product serves, sends or logs something.
func TestNamesOfTestsAreFound(t *testing.T) {
	const page, script, settings, email, log, answer = "state/caddy/site/pages/index.html", "export/_next/app.js", "state/site/config.json", "state/mail/1.eml", "state/log/gateway.log", "state/answers/site.txt"
	for name, test := range map[string]struct {
		file, content string
		found         bool
	}{
		"a page of the site":            {page, "https://fledge.dev/blog, support@fledge.dev", false},
		"a page of this machine":        {page, `<a href="http://localhost:8080/">`, true},
		"a script that compares names":  {script, `"localhost"===location.hostname||/x/.test(y)`, false},
		"a script with a stand-in":      {script, `fetch("https://stripe.fledge.test/")`, true},
		"a compressed copy":             {script + ".br", "http://localhost:8080", false},
		"settings with a client":        {settings, "fledge-local-google", true},
		"an email to somebody":          {email, "To: ada-1@fledge.test", false},
		"an email with an example":      {email, "Questions? Write to support@fledge.example", true},
		"a log of where it listens":     {log, `addr="127.0.0.1:12001"`, false},
		"a log of the site's own name":  {log, "origin=http://localhost:8080", true},
		"an email with a broken line":   {email, "http://local=\r\nhost:8080", true},
		"an answer with people's links": {answer, `{"website":"https://ada.example"}`, false},
		"an answer to an app":           {answer, `{"to":"http://127.0.0.1:49152/auth/callback?code=x"}`, false},
		"an answer with the interface":  {answer, `http://127.0.0.1:\u003cport\u003e/auth/callback`, false},
		"an answer with the default":    {answer, `{"replyTo":"support@fledge.example"}`, true},
		"a token of this machine":       {answer, `{"iss":"http://localhost:8080"}`, true},
		"a page that names an address":  {page, "127.0.0.1:12001", true},
		"a page's article about emails": {page, "review@yourdomain.example", false},
	} {
		dir := t.TempDir()
		contents := map[string]string{page: "", script: "", settings: "", email: "", log: "", answer: ""}
		contents[test.file] = test.content
		for file, content := range contents {
			path := filepath.Join(dir, file)
			errtest.None(t, os.MkdirAll(filepath.Dir(path), 0o755))
			errtest.None(t, os.WriteFile(path, []byte(content), 0o644))
		}
		err := namesNoTest(filepath.Join(dir, "export"), filepath.Join(dir, "state"))
		if (err != nil) != test.found || test.found && !strings.Contains(err.Error(), filepath.Base(test.file)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := namesNoTest(t.TempDir(), t.TempDir()); err == nil || strings.Count(err.Error(), "no such file") != 6 {
		t.Errorf("nothing was served: %v", err)
	}
}
