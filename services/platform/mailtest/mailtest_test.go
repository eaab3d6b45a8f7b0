package mailtest_test

import (
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/platform/mailtest"
)

func TestLintFindsWhatMailProgramsDoNotShow(t *testing.T) {
	const head = `<html lang="en"><head><title>Hi</title><meta name="color-scheme" content="light dark"><style>@media (prefers-color-scheme: dark) {}</style></head>`
	for source, want := range map[string]string{
		head + `<table role="presentation"><tr><td><img src="cid:mark" alt=""></td></tr></table>`: "",
		head + `<img src="https://fledge.example/a.png" alt="">`:                                  "it loads https://fledge.example/a.png",
		head + `<img src="cid:mark">`:                                                             "a picture has no alt",
		head + `<table></table>`:                                                                  "a table is read out as one of data",
		head + `<p style="display:flex">`:                                                         "Outlook does not know display:flex",
		head + `<p style="background:url(a.png)">`:                                                "it has style=background:url(a.png)",
		head + `<a onclick="a()">`:                                                                "it has onclick=a()",
		head + `<script></script>`:                                                                "mail programs remove <script>",
		strings.Replace(head, ` lang="en"`, "", 1):                                                "it has no language",
		strings.Replace(head, "Hi", "", 1):                                                        "it has no title",
		strings.Replace(head, "prefers-color-scheme", "", 1):                                      "it does not say how it looks in a dark mailbox",
		head + strings.Repeat("a", 102_000):                                                       "it is cut off by Gmail",
	} {
		if got := mailtest.Lint(source); want == "" && got != nil || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%.300s: %q, want %q", source, got, want)
		}
	}
}
