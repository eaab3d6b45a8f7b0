package repo_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"fledge.dev/services"
	"fledge.dev/services/platform/erasure"
)

// TestListsOfServicesAreWhole: they stand where the list of all cannot be imported.
func TestListsOfServicesAreWhole(t *testing.T) {
	var senders, erasing, awaited []string
	for _, service := range services.All() {
		if slices.Contains(service.Calls, "mail") {
			senders = append(senders, service.Name)
		}
		for _, consumer := range service.Consumers {
			if consumer.Type == erasure.Deleted {
				erasing = append(erasing, service.Name)
			}
			for _, other := range services.Names() {
				if service.Name == "identity" && consumer.Type == erasure.Erased(other) {
					awaited = append(awaited, other)
				}
			}
		}
	}
	slices.Sort(senders)
	slices.Sort(erasing)
	slices.Sort(awaited)
	if !slices.Equal(erasing, awaited) {
		t.Errorf("%v erase an account, and identity waits for %v: see services/identity/internal/erasure", erasing, awaited)
	}
	source := contentOf(t, filepath.Join(root(t), "gateway/internal/backend/backend.go"))
	var asked []string
	if list := regexp.MustCompile(`(?m)^var senders = .*$`).FindString(source); list != "" {
		for _, name := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(list, -1) {
			asked = append(asked, name[1])
		}
	}
	slices.Sort(asked)
	if !slices.Equal(asked, senders) {
		t.Errorf("%v send emails, and the gateway asks %v about them: see senders in gateway/internal/backend", senders, asked)
	}
}
