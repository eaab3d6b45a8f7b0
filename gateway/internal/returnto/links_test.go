package returnto_test

import (
	"net/url"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/returnto"
)

func TestFurtherLinksAreCheckedAtTheStart(t *testing.T) {
	site := &url.URL{Scheme: "https", Host: "fledge.example"}
	for _, link := range []string{
		"https://app.fledge.example/auth/callback", "https://app.fledge.example:8443/cb", "com.example.fledge:/auth/callback", "com.example.fledge://auth/callback", "com.example.fledge:callback",
	} {
		if _, err := returnto.NewLinks([]string{link}, site); err != nil {
			t.Errorf("%s is refused: %v", link, err)
		}
	}
	for _, link := range []string{
		"", "https://app.fledge.example", "https://app.fledge.example/", "https:///cb", "https://App.fledge.example/cb", "https://app.fledge.example:443/cb",
		"https://app.fledge.example:/cb", "https://app.fledge.example./cb", "https://fledge.example./cb", "https://fledge.example.:8443/cb",
		"https://fledge.example/auth/callback", "https://fledge.example:8443/cb", "https://a@app.fledge.example/cb", "https://app.fledge.example/cb?a=b", "https://app.fledge.example/cb?",
		"https://app.fledge.example/cb#a", "https://app.fledge.example/a%20b", "https://app.fledge.example/\\cb", "http://app.fledge.example/cb", "fledge2://auth/callback", "javascript:alert(1)",
		"com.example.fledge:", "COM.example.fledge:/cb", " com.example.fledge:/cb", "com.example.fledge:/" + strings.Repeat("a", 256),
	} {
		if _, err := returnto.NewLinks([]string{link}, site); err == nil {
			t.Errorf("%s is accepted", link)
		}
	}
}

func TestFurtherLinksAreComparedExactlyAndNeedAChallenge(t *testing.T) {
	const claimed, reversed = "https://app.fledge.example/auth/callback", "com.example.fledge:/auth/callback"
	links := returnto.Links{claimed, reversed}
	for _, link := range links {
		if links.Callback(link, false) || !links.Callback(link, true) || (returnto.Links{}).Callback(link, true) {
			t.Errorf("%s: without a challenge %t, with one %t", link, links.Callback(link, false), links.Callback(link, true))
		}
		if _, err := links.Parse("/auth/callback?callback=" + url.QueryEscape(link) + pkce); err != nil {
			t.Errorf("%s: %v", link, err)
		}
		for _, other := range []string{link + "/", link + "?", link + "#", strings.ToUpper(link), link[:len(link)-1], " " + link, strings.Replace(link, ":/", "://x@", 1)} {
			if links.Callback(other, true) {
				t.Errorf("%s is accepted", other)
			}
		}
	}
	if !links.Callback(returnto.AppLink, false) || !links.Callback("http://127.0.0.1:49152/auth/callback", true) {
		t.Error("the app's own link or a loopback address is refused")
	}
}
