package charttest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

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

// The parts of the types that the examples use. An unknown field is a failure.
type (
	application struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Spec struct {
			Project     string `json:"project"`
			Destination struct {
				Server    string `json:"server"`
				Namespace string `json:"namespace"`
			} `json:"destination"`
			Sources []struct {
				RepoURL        string `json:"repoURL"`
				TargetRevision string `json:"targetRevision"`
				Path           string `json:"path"`
				Ref            string `json:"ref"`
				Helm           struct {
					ReleaseName string   `json:"releaseName"`
					ValueFiles  []string `json:"valueFiles"`
				} `json:"helm"`
			} `json:"sources"`
			SyncPolicy struct {
				Automated struct {
					Prune    bool `json:"prune"`
					SelfHeal bool `json:"selfHeal"`
				} `json:"automated"`
				SyncOptions []string `json:"syncOptions"`
			} `json:"syncPolicy"`
		} `json:"spec"`
	}
	gitRepository struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Spec struct {
			Interval string `json:"interval"`
			URL      string `json:"url"`
			Ref      struct {
				Tag string `json:"tag"`
			} `json:"ref"`
			Ignore string `json:"ignore"`
		} `json:"spec"`
	}
	helmRelease struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`

		Spec struct {
			Interval    string `json:"interval"`
			Timeout     string `json:"timeout"`
			ReleaseName string `json:"releaseName"`
			Chart       struct {
				Spec struct {
					Chart     string `json:"chart"`
					SourceRef struct {
						Kind string `json:"kind"`
						Name string `json:"name"`
					} `json:"sourceRef"`
					ReconcileStrategy string `json:"reconcileStrategy"`
				} `json:"spec"`
			} `json:"chart"`
			ValuesFrom []struct {
				Kind string `json:"kind"`
				Name string `json:"name"`
			} `json:"valuesFrom"`
			Install        remediation `json:"install"`
			Upgrade        remediation `json:"upgrade"`
			DriftDetection struct {
				Mode string `json:"mode"`
			} `json:"driftDetection"`
		} `json:"spec"`
	}
	remediation struct {
		Remediation struct {
			Retries int `json:"retries"`
		} `json:"remediation"`
	}
)

// example reads the documents of an example, strictly, into the given values.
func example(t *testing.T, name string, into ...any) {
	t.Helper()
	documents := strings.Split(contentOf(t, filepath.Join("../../deploy/cluster/gitops", name)), "\n---\n")
	if len(documents) != len(into) {
		t.Fatalf("%s has %d objects", name, len(documents))
	}
	for i, document := range documents {
		if err := yaml.UnmarshalStrict([]byte(document), into[i]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestArgoCDAndFluxAreToldWhereTheChartIs(t *testing.T) {
	var argo application
	example(t, "argocd.yaml", &argo)
	var repository gitRepository
	var release helmRelease
	example(t, "flux.yaml", &repository, &release)
	for _, path := range []string{argo.Spec.Sources[0].Path, release.Spec.Chart.Spec.Chart} {
		if _, err := os.Stat(filepath.Join("../..", path, "Chart.yaml")); err != nil {
			t.Error(err)
		}
	}
	if !strings.HasSuffix(repository.Spec.Ignore, "!/"+release.Spec.Chart.Spec.Chart) {
		t.Error("Flux ignores the chart")
	}
	if argo.Spec.Sources[1].Ref != "values" || !strings.HasPrefix(argo.Spec.Sources[0].Helm.ValueFiles[0], "$values/") {
		t.Error("Argo CD does not find the values")
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
