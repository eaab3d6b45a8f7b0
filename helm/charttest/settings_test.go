package charttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
)

// settingsEnv are the settings of an installation's Go programs, one a line after the program's
// name, with which deploy/local starts the form that ships. UPDATE=1 writes it.
const settingsEnv = "testdata/settings.env"

// TestTheFormThatShipsHasTheChartsSettings: those of production.yaml without a mailbox and a webhook.
func TestTheFormThatShipsHasTheChartsSettings(t *testing.T) {
	values := valuesWithoutOptions(t)
	values["site"].(map[string]any)["origin"] = "https://fledge.dev"
	deployments := of[*appsv1.Deployment](objectsOf(t, values))
	var lines []string
	for name := range programs() {
		if name == "kratos" {
			continue // its settings are a file of its own
		}
		for _, env := range deployments["fledge-"+name].Spec.Template.Spec.Containers[0].Env {
			if env.ValueFrom == nil {
				lines = append(lines, fmt.Sprintf("%s %s=%s\n", name, env.Name, env.Value))
			}
		}
	}
	slices.Sort(lines)
	isGolden(t, settingsEnv, strings.Join(lines, ""))
}
