package github_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/github"
)

func valid() github.Config {
	return github.Config{
		APIURL: "https://api.github.com/", Owner: "fledge", Repo: "fledge-mac", Token: token,
		Interval: 5 * time.Minute, Spacing: 10 * time.Second, Timeout: 3 * time.Second,
	}
}

func TestConfigRefusesWhatWouldLeaveTheRepository(t *testing.T) {
	errtest.None(t, valid().Validate())
	for name, tc := range map[string]struct {
		key    string
		change func(*github.Config)
	}{
		"no owner":             {"GITHUB_OWNER", func(c *github.Config) { c.Owner = "" }},
		"path in owner":        {"GITHUB_OWNER", func(c *github.Config) { c.Owner = "owner/.." }},
		"dots for owner":       {"GITHUB_OWNER", func(c *github.Config) { c.Owner = ".." }},
		"at sign":              {"GITHUB_OWNER", func(c *github.Config) { c.Owner = "a@b" }},
		"owner ends in hyphen": {"GITHUB_OWNER", func(c *github.Config) { c.Owner = "a-" }},
		"long owner":           {"GITHUB_OWNER", func(c *github.Config) { c.Owner = strings.Repeat("a", 40) }},
		"no repo":              {"GITHUB_REPO", func(c *github.Config) { c.Repo = "" }},
		"parent for repo":      {"GITHUB_REPO", func(c *github.Config) { c.Repo = ".." }},
		"path in repo":         {"GITHUB_REPO", func(c *github.Config) { c.Repo = "x/../../user" }},
		"fragment":             {"GITHUB_REPO", func(c *github.Config) { c.Repo = "x#" }},
		"query":                {"GITHUB_REPO", func(c *github.Config) { c.Repo = "x?y" }},
		"line break":           {"GITHUB_REPO", func(c *github.Config) { c.Repo = "x\n" }},
		"plain http":           {"GITHUB_API_URL", func(c *github.Config) { c.APIURL = "http://api.github.com/" }},
		"metadata service":     {"GITHUB_API_URL", func(c *github.Config) { c.APIURL = "http://169.254.169.254/" }},
		"file":                 {"GITHUB_API_URL", func(c *github.Config) { c.APIURL = "file:///etc/passwd" }},
		"credentials in URL":   {"GITHUB_API_URL", func(c *github.Config) { c.APIURL = "https://a:b@api.github.com/" }},
		"climbing path":        {"GITHUB_API_URL", func(c *github.Config) { c.APIURL = "https://ghe.example/api/../x" }},
		"header in token":      {"GITHUB_TOKEN", func(c *github.Config) { c.Token = "a\r\nX: y" }},
		"short webhook secret": {"GITHUB_WEBHOOK_SECRETS", func(c *github.Config) { c.WebhookSecrets = "0123456789abcdef,short" }},
		"three secrets":        {"GITHUB_WEBHOOK_SECRETS", func(c *github.Config) { c.WebhookSecrets = "0123456789abcdef,0123456789abcdef,0123456789abcdef" }},
		"path in host":         {"GITHUB_DOWNLOAD_HOSTS", func(c *github.Config) { c.DownloadHosts = []string{"cdn.example/x"} }},
		"metadata host":        {"GITHUB_DOWNLOAD_HOSTS", func(c *github.Config) { c.DownloadHosts = []string{"169.254.169.254"} }},
		"hectic":               {"GITHUB_SYNC_INTERVAL", func(c *github.Config) { c.Interval = time.Second }},
		"spacing":              {"GITHUB_SYNC_SPACING", func(c *github.Config) { c.Spacing = time.Hour }},
		"no timeout":           {"GITHUB_TIMEOUT", func(c *github.Config) { c.Timeout = 0 }},
		"longer than a run":    {"GITHUB_TIMEOUT", func(c *github.Config) { c.Timeout = 11 * time.Second }},
	} {
		c := valid()
		tc.change(&c)
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), tc.key) {
			t.Errorf("%s: got %v, want a complaint about %s", name, err, tc.key)
		}
		if err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("%s: the complaint holds the token", name)
		}
	}
	c := valid()
	c.APIURL = "http://127.0.0.1:8083"
	if err := c.Validate(); err != nil {
		t.Errorf("a stand-in on this machine: %v", err)
	}
}

func TestARepositoryDoesNotPrintItsToken(t *testing.T) {
	repo, err := valid().Repository()
	errtest.None(t, err)
	if got := fmt.Sprintf("%v %+v %s", repo, repo, repo); strings.Contains(got, token) || repo.String() != "fledge/fledge-mac" {
		t.Errorf("got %s", got)
	}
	if repo.API.String() != "https://api.github.com/" {
		t.Errorf("API %s", repo.API)
	}
}

func TestDownloadsStayOnKnownHosts(t *testing.T) {
	for api, cases := range map[string]map[string]bool{
		"https://api.github.com/": {
			"https://github.com/o/r/releases/download/v1/a.dmg":       true,
			"https://GitHub.com/o/r/releases/download/v1/a.dmg":       true,
			"https://api.github.com/o/r/releases/download/v1/a.dmg":   false,
			"http://github.com/o/r/releases/download/v1/a.dmg":        false,
			"https://github.com:444/a.dmg":                            false,
			"https://github.com.evil.example/a.dmg":                   false,
			"https://evil.example/github.com/a.dmg":                   false,
			"https://github.com@evil.example/a.dmg":                   false,
			"https://user:pw@github.com/a.dmg":                        false,
			"https://github.com\\@evil.example/a.dmg":                 false,
			"https://github.com/a.dmg#frag":                           false,
			"https://github.com/a b.dmg":                              false,
			"https://github.com/a\r\nLocation: https://evil.example/": false,
			"//github.com/a.dmg":                                      false,
			"/o/r/a.dmg":                                              false,
			"https:github.com/a.dmg":                                  false,
			"javascript:alert(1)":                                     false,
			"file:///etc/passwd":                                      false,
			"http://169.254.169.254/latest/meta-data":                 false,
			"": false,
			"https://github.com/" + strings.Repeat("a", 3000): false,
		},
		"https://api.octo.ghe.com/": {
			"https://octo.ghe.com/o/r/releases/download/v1/a.dmg":     true,
			"https://api.octo.ghe.com/o/r/releases/download/v1/a.dmg": false,
			"https://github.com/o/r/releases/download/v1/a.dmg":       false,
		},
		"https://ghe.example/api/v3/": {
			"https://ghe.example/o/r/releases/download/v1/a.dmg": true,
			"https://github.com/o/r/releases/download/v1/a.dmg":  false,
		},
		"http://127.0.0.1:8083/": {
			"http://127.0.0.1:8083/o/r/releases/download/v1/a.dmg": true,
			"http://127.0.0.1:8084/a.dmg":                          false,
			"http://localhost:8083/a.dmg":                          false,
		},
	} {
		u, err := url.Parse(api)
		errtest.None(t, err)
		hosts := github.HostsFor(u)
		for rawURL, want := range cases {
			if got := hosts.Allow(rawURL); got != want {
				t.Errorf("%s: %.80q: got %t", api, rawURL, got)
			}
		}
	}
}
