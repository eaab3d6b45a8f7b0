// Package charttest renders the chart in every form that people install and checks the
// objects. It is a module of its own: Helm and the types of Kubernetes are not part of
// the product.
package charttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	dependencies "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"fledge.dev/services/platform/errtest"
)

const (
	chartDir    = "../fledge"
	releaseName = "fledge"
	namespace   = "shop"
	kubeVersion = "v1.36.0"
)

// sets are the values files of each form, laid over values.yaml in this order.
var sets = map[string][]string{
	"production":   {"testdata/production.yaml"},
	"gateway":      {"testdata/production.yaml", "testdata/gateway.yaml"},
	"monitoring":   {"testdata/production.yaml", "testdata/monitoring.yaml"},
	"local":        {chartDir + "/values-local.yaml"},
	"cluster":      {chartDir + "/values-local.yaml", "testdata/cluster.yaml"},
	"kind":         {chartDir + "/values-local.yaml", "../../deploy/cluster/kind/values-ci.yaml"},
	"port-forward": {chartDir + "/values-local.yaml", "testdata/port-forward.yaml"},
}

// eachSet runs a test on every form of the chart.
func eachSet(t *testing.T, test func(t *testing.T, objects []object)) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		t.Run(name, func(t *testing.T) { test(t, render(t, name)) })
	}
}

// rendered are the forms that a test has asked for.
var rendered = map[string][]object{}

// render returns the objects of a form.
func render(t *testing.T, set string) []object {
	t.Helper()
	if objects := rendered[set]; objects != nil {
		return objects
	}
	rendered[set] = objectsOf(t, valuesOf(t, sets[set]...))
	return rendered[set]
}

// objectsOf returns the objects of an installation with these values.
func objectsOf(t *testing.T, values map[string]any) []object {
	t.Helper()
	manifests, err := renderValues(values, false)
	errtest.None(t, err)
	return parse(t, manifests)
}

func valuesOf(t *testing.T, files ...string) map[string]any {
	t.Helper()
	values := map[string]any{}
	for _, file := range files {
		values = loader.MergeMaps(values, parseValues(t, contentOf(t, file)))
	}
	return values
}

// over are the values of a form with further ones over them.
func over(t *testing.T, set, further string) map[string]any {
	t.Helper()
	return loader.MergeMaps(valuesOf(t, sets[set]...), parseValues(t, further))
}

func parseValues(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	errtest.None(t, yaml.UnmarshalStrict([]byte(text), &values))
	return values
}

// renderValues returns the manifests by the name of their template.
func renderValues(values map[string]any, upgrade bool) (map[string]string, error) {
	loaded, err := loader.Load(chartDir)
	if err != nil {
		return nil, err
	}
	return renderChart(loaded, values, upgrade)
}

func renderChart(loaded *chart.Chart, values map[string]any, upgrade bool) (map[string]string, error) {
	return renderAs(loaded, values, common.ReleaseOptions{Name: releaseName, Namespace: namespace, Revision: 1, IsInstall: !upgrade, IsUpgrade: upgrade})
}

func renderAs(loaded *chart.Chart, values map[string]any, release common.ReleaseOptions) (map[string]string, error) {
	version, err := common.ParseKubeVersion(kubeVersion)
	if err != nil {
		return nil, err
	}
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *version
	complete, err := util.ToRenderValues(loaded, values, release, capabilities)
	if err != nil {
		return nil, err
	}
	return engine.Render(loaded, complete)
}

func TestTheChartIsWithoutLint(t *testing.T) {
	version, err := common.ParseKubeVersion(kubeVersion)
	errtest.None(t, err)
	for name, files := range sets {
		result := lint.RunAll(chartDir, valuesOf(t, files...), namespace, lint.WithKubeVersion(version))
		for _, message := range result.Messages {
			if !strings.Contains(message.Error(), "icon is recommended") {
				t.Errorf("%s: %v", name, message)
			}
		}
	}
}

// TestNamesMayLookLikeNumbers: Kubernetes takes them, and YAML would read them as such; parse refuses those.
func TestNamesMayLookLikeNumbers(t *testing.T) {
	loaded, err := loader.Load(chartDir)
	errtest.None(t, err)
	for _, set := range []string{"production", "monitoring", "local"} {
		values := over(t, set, `
fullnameOverride: shop
ingress: {className: "1", tlsSecret: "2"}
priorityClassName: "3"
runtimeClassName: "4"
secrets: {shared: {existingSecret: "5"}}
services: {billing: {existingSecret: "6", serviceAccount: {name: "7"}}, kratos: {existingSecret: "8"}}
caBundle: {secret: "9"}
`)
		manifests, err := renderAs(loaded, values, common.ReleaseOptions{Name: "12e4567", Namespace: "482", Revision: 1, IsInstall: true})
		errtest.None(t, err)
		for _, o := range parse(t, manifests) {
			if ns := o.typed.GetNamespace(); ns != "" && ns != "482" {
				t.Errorf("%s: %s is in %q", set, o, ns)
			}
		}
	}
}

// TestAReleaseIsNamedAsServicesMayBe, which Helm alone does not ask for.
func TestAReleaseIsNamedAsServicesMayBe(t *testing.T) {
	loaded, err := loader.Load(chartDir)
	errtest.None(t, err)
	for _, tc := range []struct {
		release, values string
		taken           bool
	}{
		{"2024shop", "{}", false},
		{"fledge.prod", "{}", false},
		{"12345", "{}", false},
		{"fledge.prod", "fullnameOverride: fledge-prod", true},
		{"12345", "fullnameOverride: fledge-prod", true},
		{"shop", "{}", true},
		{"shop", "nameOverride: 2fa", true},
	} {
		manifests, err := renderAs(loaded, over(t, "monitoring", tc.values), common.ReleaseOptions{Name: tc.release, Namespace: namespace, Revision: 1, IsInstall: true})
		if refused := err != nil && strings.Contains(err.Error(), "set fullnameOverride"); refused == tc.taken || tc.taken != (err == nil) {
			t.Errorf("%s with %s: %v", tc.release, tc.values, err)
		}
		if err == nil {
			parse(t, manifests)
		}
	}
}

// TestTheChartMayBePartOfAnother, on a condition and under a name of its own, beside which alerts still know its pods.
func TestTheChartMayBePartOfAnother(t *testing.T) {
	objects := partOfAnother(t, valuesOf(t, sets["monitoring"]...), map[string]any{})
	services := of[*corev1.Service](objects)
	if web := services["fledge-site-web"]; web == nil || web.Labels["app.kubernetes.io/part-of"] != "fledge" || web.Spec.Selector["app.kubernetes.io/name"] != "site" {
		t.Errorf("of the Services %v, the site's is %v", slices.Collect(maps.Keys(services)), web)
	}
}

// partOfAnother are the objects of a chart that depends on this one as "site", and has these values for all its parts.
func partOfAnother(t *testing.T, values, global map[string]any) []object {
	t.Helper()
	loaded, err := loader.Load(chartDir)
	errtest.None(t, err)
	parent := &chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: "shop", Version: "1.0.0", Dependencies: []*chart.Dependency{
		{Name: "fledge", Version: loaded.Metadata.Version, Alias: "site", Condition: "site.enabled"},
	}}}
	parent.AddDependency(loaded)
	all := map[string]any{"site": loader.MergeMaps(values, map[string]any{"enabled": true}), "global": global}
	errtest.None(t, dependencies.ProcessDependencies(parent, all))
	manifests, err := renderAs(parent, all, common.ReleaseOptions{Name: releaseName, Namespace: namespace, Revision: 1, IsInstall: true})
	errtest.None(t, err)
	return parse(t, manifests)
}

// TestGlobalsAreTaken: the registry and the pull secrets of all parts of another chart, where this one has none of its own.
func TestGlobalsAreTaken(t *testing.T) {
	global := map[string]any{"imageRegistry": "registry.corp/mirror/", "imagePullSecrets": []any{"one", map[string]any{"name": "two"}}}
	for _, tc := range []struct{ values, secrets, web string }{
		{`image: {tag: "1"}`, "[{one} {two}]", "registry.corp/mirror/fledge/fledge/web:1"},
		{`{image: {tag: "1", pullSecrets: [{name: three}]}, services: {web: {image: {repository: elsewhere.corp/web}}}}`, "[{three}]", "elsewhere.corp/web:1"},
	} {
		objects := partOfAnother(t, over(t, "production", tc.values), global)
		for o, pods := range podsOf(objects) {
			if got := fmt.Sprint(pods.Spec.ImagePullSecrets); got != tc.secrets {
				t.Errorf("%s: %s is pulled by %s, not %s", tc.values, o, got, tc.secrets)
			}
			for _, c := range containers(pods) {
				if web := c.Name == "web"; web && c.Image != tc.web || !web && !strings.HasPrefix(c.Image, "registry.corp/mirror/fledge/fledge/") {
					t.Errorf("%s: %s has %s", tc.values, o, c.Image)
				}
			}
		}
	}
}

// TestNothingDependsOnOneVendor: no behaviour depends on an ingress controller's
// annotations, no image comes from a registry that has removed images.
func TestNothingDependsOnOneVendor(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		for _, o := range objects {
			for _, word := range []string{"nginx.ingress.kubernetes.io", "traefik.ingress", "bitnami"} {
				if strings.Contains(strings.ToLower(o.text), word) {
					t.Errorf("%s: %s", o, word)
				}
			}
			if o.kind() == "Ingress" && len(o.ingress().Annotations) > 0 {
				t.Errorf("%s has annotations: %v", o, o.ingress().Annotations)
			}
		}
	})
}

func TestTheNotesNameWhatIsNeeded(t *testing.T) {
	manifests, err := renderValues(valuesOf(t, sets["production"]...), false)
	errtest.None(t, err)
	notes := manifests["fledge/templates/NOTES.txt"]
	if elsewhere, err := renderValues(over(t, "production", "ingress: {type: none}"), false); err != nil || strings.Contains(elsewhere["fledge/templates/NOTES.txt"], "port-forward") {
		t.Errorf("the notes lead to a public site through port-forward: %v", err)
	}
	for _, want := range []string{"https://fledge.example/api/health", "fledge-shared: INTERNAL_TOKEN HOOK_KEY", "fledge-billing: DATABASE_URL", "postgres-ca: ca.crt", "nats-ca: ca.crt", "site-tls: tls.crt tls.key"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q:\n%s", want, notes)
		}
	}
}

func (o object) String() string { return fmt.Sprintf("%s/%s", o.kind(), o.name()) }
