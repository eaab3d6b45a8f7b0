package charttest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	helmyaml "sigs.k8s.io/yaml"

	"fledge.dev/services/platform/errtest"
)

// TestTwoRendersAreEqual, also those of an install and of an upgrade, so that whoever renders again
// (helm diff, Argo CD, Flux) finds no change where there is none.
func TestTwoRendersAreEqual(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		values := valuesOf(t, sets[name]...)
		first, err := renderValues(values, false)
		errtest.None(t, err)
		for _, upgrade := range []bool{false, true} {
			again, err := renderValues(valuesOf(t, sets[name]...), upgrade)
			errtest.None(t, err)
			for template, text := range first {
				if again[template] != text {
					t.Errorf("%s: %s is another the second time (upgrade: %v)", name, template, upgrade)
				}
			}
		}
	}
}

// TestHooksAreThoseThatArgoCDKnows: it has no PreUpgrade of its own and leaves out what it does not know.
func TestHooksAreThoseThatArgoCDKnows(t *testing.T) {
	found := 0
	eachSet(t, func(t *testing.T, objects []object) {
		for _, o := range objects {
			for when := range strings.SplitSeq(o.typed.GetAnnotations()["helm.sh/hook"], ",") {
				if when != "" && when != "pre-install" && when != "pre-upgrade" {
					t.Errorf("%s is a hook %s", o, when)
				}
				found++
			}
		}
	})
	if found == 0 {
		t.Error("no hook was found")
	}
}

// TestArgoCDAndFluxAreToldWhereTheChartIs does not check the keys of their types.
func TestArgoCDAndFluxAreToldWhereTheChartIs(t *testing.T) {
	const chart = "helm/fledge"
	if _, err := os.Stat(filepath.Join("../..", chart, "Chart.yaml")); err != nil {
		t.Error(err)
	}
	for file, lines := range map[string][]string{
		"argocd.yaml": {"path: " + chart, "valueFiles: [$values/", "ref: values"},
		"flux.yaml":   {"chart: " + chart, "!/" + chart + "\n---"},
	} {
		content := contentOf(t, filepath.Join("../../deploy/cluster/gitops", file))
		for _, line := range lines {
			if !strings.Contains(content, line) {
				t.Errorf("%s does not say %q", file, line)
			}
		}
		for document := range strings.SplitSeq(content, "\n---\n") {
			if err := helmyaml.UnmarshalStrict([]byte(document), &map[string]any{}); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

// TestExternalSecretsAreThoseThatPodsAskFor, of the values that everybody starts with. UPDATE=1 writes the file.
func TestExternalSecretsAreThoseThatPodsAskFor(t *testing.T) {
	const file = "../../deploy/cluster/gitops/external-secrets.yaml"
	comment, _, _ := strings.Cut(contentOf(t, file), "apiVersion:")
	isGolden(t, file, comment+strings.Join(externalSecrets(objectsOf(t, valuesWithoutOptions(t))), "---\n"))
}

// externalSecrets are the objects, by name, for the Secrets that pods mount.
func externalSecrets(objects []object) []string {
	keys := map[string][]string{}
	for _, pods := range podsOf(objects) {
		for _, v := range pods.Spec.Volumes {
			if v.Name != "secrets" {
				continue
			}
			for _, source := range v.Projected.Sources {
				for _, item := range source.Secret.Items {
					keys[source.Secret.Name] = append(keys[source.Secret.Name], item.Key)
				}
			}
		}
	}
	var documents []string
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		var b strings.Builder
		fmt.Fprintf(&b, "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata:\n  name: %s\n  namespace: fledge\nspec:\n  refreshInterval: 1h\n"+
			"  secretStoreRef: {kind: ClusterSecretStore, name: store}\n  data:\n", name)
		slices.Sort(keys[name])
		for _, key := range slices.Compact(keys[name]) {
			fmt.Fprintf(&b, "    - {secretKey: %s, remoteRef: {key: fledge/%s, property: %[1]s}}\n", key, strings.TrimPrefix(name, "fledge-"))
		}
		documents = append(documents, b.String())
	}
	return documents
}

// valuesWithoutOptions are production.yaml without its examples of a mailbox and a webhook.
func valuesWithoutOptions(t *testing.T) map[string]any {
	t.Helper()
	values := valuesOf(t, sets["production"]...)
	delete(values["services"].(map[string]any), "support")
	delete(values, "support")
	delete(values["mail"].(map[string]any), "in")
	return values
}
