package repo_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// ofProfile and ofDashboard are how emails, errors and the README of an export name what a page shows.
	ofProfile   = regexp.MustCompile(`"([A-Z][^"{}]+)"|'([A-Z][^'"]+)'|In your profile, ([A-Z][^,.]+?)(?:, or ([A-Z][^,.]+),)? leads`)
	ofDashboard = regexp.MustCompile(`In the dashboard, under ([A-Z][^,.]+),`)
	// naming is the part of a message in Go that names something.
	naming = regexp.MustCompile(`'[A-Z][^'"\n]+' in your profile|in your profile, or '[A-Z][^'"\n]+'`)
)

// TestTextsNameWhatTheSiteShows, so that nobody looks for a button or a tab that is called otherwise.
func TestTextsNameWhatTheSiteShows(t *testing.T) {
	profile, dashboard := shownBy(t, "web/src/features/profile/*.tsx"), shownBy(t, "web/src/features/admin/dashboard.tsx")
	found := 0
	for _, file := range tracked(t, "services/*/internal/email/templates/*.txt", "services/platform/export/readme.txt", "services/*.go") {
		text := contentOf(t, filepath.Join(root(t), file))
		if strings.HasSuffix(file, ".go") {
			text = strings.Join(naming.FindAllString(text, -1), "\n")
		}
		text = strings.Join(strings.Fields(text), " ")
		for name, shown := range map[*regexp.Regexp]string{ofProfile: profile, ofDashboard: dashboard} {
			for _, match := range name.FindAllStringSubmatch(text, -1) {
				found++
				for _, name := range match[1:] {
					if name != "" && !regexp.MustCompile(`["'>] ?`+regexp.QuoteMeta(name)+` ?["'<]`).MatchString(shown) {
						t.Errorf("%s names %q, which the site does not show there", file, name)
					}
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d names were found", found)
	}
}

// shownBy is the source of some files of the site, without its line breaks.
func shownBy(t *testing.T, files string) string {
	t.Helper()
	var all []string
	for _, file := range tracked(t, files) {
		if !strings.Contains(file, ".test.") {
			all = append(all, strings.Fields(contentOf(t, filepath.Join(root(t), file)))...)
		}
	}
	return strings.Join(all, " ")
}
