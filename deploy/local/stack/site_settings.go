package stack

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Analytics are the services to which the site reports visitors who consent. The zero
// value has none, and then the site does not ask for consent.
type Analytics struct {
	// PosthogKey is a PostHog project's key, PosthogHost the origin that takes
	// its events.
	PosthogKey, PosthogHost string
	// MeasurementID is a Google tag's ("G-…").
	MeasurementID string
}

// AnalyticsFrom reads POSTHOG_KEY, POSTHOG_HOST (default: PostHog's in the EU) and
// GOOGLE_MEASUREMENT_ID.
func AnalyticsFrom(getenv func(string) string) Analytics {
	a := Analytics{PosthogKey: getenv("POSTHOG_KEY"), MeasurementID: getenv("GOOGLE_MEASUREMENT_ID")}
	if a.PosthogKey != "" {
		a.PosthogHost = cmp.Or(getenv("POSTHOG_HOST"), "https://eu.i.posthog.com")
	}
	return a
}

// siteSettings is the site's config.json. Its settings of the hand-off and of deletions are identity's and the
// gateway's.
func (s *Stack) siteSettings() ([]byte, error) {
	type settings map[string]any
	analytics := settings{}
	for key, value := range map[string]string{
		"posthogKey": s.opts.Analytics.PosthogKey, "posthogHost": s.opts.Analytics.PosthogHost,
		"measurementId": s.opts.Analytics.MeasurementID,
	} {
		if value != "" {
			analytics[key] = value
		}
	}
	tokens := !slices.Contains(s.opts.Settings["identity"], "HAND_OFF_TOKENS=false")
	all := settings{"analytics": analytics}
	for _, setting := range s.opts.Settings["identity"] {
		if grace, ok := strings.CutPrefix(setting, "DELETION_GRACE="); ok {
			all["deletionGrace"] = grace
		}
	}
	links := []string{}
	for _, setting := range s.opts.Settings["gateway"] {
		if list, ok := strings.CutPrefix(setting, "APP_LINKS="); ok {
			links = strings.Split(list, ",")
		}
	}
	all["handOff"] = settings{"tokens": tokens, "links": links}
	return json.Marshal(all)
}
