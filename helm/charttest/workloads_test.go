package charttest

import (
	"reflect"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"fledge.dev/services/platform/errtest"
)

// TestAnUpgradeLosesNothing: what each workload needs so that its pods may be replaced
// one by one at any time.
func TestAnUpgradeLosesNothing(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		for name, d := range of[*appsv1.Deployment](objects) {
			spec, pod := d.Spec, d.Spec.Template.Spec
			rolling := spec.Strategy.RollingUpdate
			if rolling == nil || rolling.MaxUnavailable.IntValue() != 0 || rolling.MaxSurge.IntValue() < 1 || spec.MinReadySeconds < 1 {
				t.Errorf("%s: an upgrade takes pods away before others are there", name)
			}
			if len(pod.TopologySpreadConstraints) == 0 {
				t.Errorf("%s: all pods may be on one node", name)
			}
			for _, spread := range pod.TopologySpreadConstraints {
				if spread.WhenUnsatisfiable != corev1.ScheduleAnyway || !reflect.DeepEqual(spread.LabelSelector, spec.Selector) {
					t.Errorf("%s: spreads %v", name, spread)
				}
			}
			c := pod.Containers[0]
			probes := []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe}
			for _, probe := range probes {
				if probe == nil || probe.HTTPGet == nil {
					t.Fatalf("%s: has not all three probes", name)
				}
			}
			if c.ReadinessProbe.HTTPGet.Path == c.LivenessProbe.HTTPGet.Path {
				t.Errorf("%s: what makes it not ready would restart it", name)
			}
			if drain := drainSeconds(t, c); *pod.TerminationGracePeriodSeconds < drain+20 || drain < 5 {
				t.Errorf("%s: drains for %d s of %d s", name, drain, *pod.TerminationGracePeriodSeconds)
			}
		}
	})
}

// drainSeconds is how long a terminating pod keeps accepting work: by itself, or delayed
// by its preStop.
func drainSeconds(t *testing.T, c corev1.Container) int64 {
	t.Helper()
	if c.Lifecycle != nil && c.Lifecycle.PreStop != nil && c.Lifecycle.PreStop.Sleep != nil {
		return c.Lifecycle.PreStop.Sleep.Seconds
	}
	for _, env := range c.Env {
		if env.Name == "DRAIN_DELAY" {
			var seconds metav1.Duration
			errtest.None(t, seconds.UnmarshalJSON([]byte(`"`+env.Value+`"`)))
			return int64(seconds.Seconds())
		}
	}
	return 0
}

func TestProductionRunsTwoOfEverything(t *testing.T) {
	for _, set := range []string{"production", "gateway", "monitoring"} {
		objects := render(t, set)
		scalers, budgets := of[*autoscalingv2.HorizontalPodAutoscaler](objects), of[*policyv1.PodDisruptionBudget](objects)
		for name, d := range of[*appsv1.Deployment](objects) {
			scaler, budget := scalers[name], budgets[name]
			if scaler == nil || budget == nil {
				t.Errorf("%s: %s has no autoscaler or no budget", set, name)
				continue
			}
			if d.Spec.Replicas != nil {
				t.Errorf("%s: each upgrade of %s would undo its autoscaler", set, name)
			}
			if scaler.Spec.ScaleTargetRef.Name != name || *scaler.Spec.MinReplicas < 2 || scaler.Spec.MaxReplicas <= *scaler.Spec.MinReplicas {
				t.Errorf("%s: %s scales %v", set, name, scaler.Spec)
			}
			if !reflect.DeepEqual(budget.Spec.Selector, d.Spec.Selector) || budget.Spec.MaxUnavailable.IntValue() != 1 {
				t.Errorf("%s: %s has the budget %v", set, name, budget.Spec)
			}
		}
	}
}

// TestAnUpgradeChangesNothingImmutable renders the chart as its next version with other
// images: the API server refuses changes to immutable fields.
func TestAnUpgradeChangesNothingImmutable(t *testing.T) {
	for name, files := range sets {
		before := immutable(t, valuesOf(t, files...), "0.1.0")
		after := immutable(t, over(t, name, `{image: {tag: 9.9.9}, logLevel: debug}`), "9.9.9")
		if len(before) < 8 || !reflect.DeepEqual(before, after) {
			t.Errorf("%s: %v became %v", name, before, after)
		}
	}
}

func immutable(t *testing.T, values map[string]any, version string) map[string]any {
	t.Helper()
	loaded, err := loader.Load(chartDir)
	errtest.None(t, err)
	loaded.Metadata.Version, loaded.Metadata.AppVersion = version, version
	manifests, err := renderChart(loaded, values, true)
	errtest.None(t, err)
	fields := map[string]any{}
	for _, o := range parse(t, manifests) {
		switch typed := o.typed.(type) {
		case *appsv1.Deployment:
			fields[o.String()] = typed.Spec.Selector
		case *appsv1.StatefulSet:
			fields[o.String()] = []any{typed.Spec.Selector, typed.Spec.ServiceName, typed.Spec.VolumeClaimTemplates, typed.Spec.PodManagementPolicy}
		case *corev1.Service:
			fields[o.String()] = typed.Spec.ClusterIP
		}
	}
	return fields
}

// TestMigrationsRunAlone: one pod at a time, before the new version, and never in the
// replicas.
func TestMigrationsRunAlone(t *testing.T) {
	for _, o := range render(t, "production") {
		if o.kind() != "Job" {
			continue
		}
		if hook := o.typed.GetAnnotations()["helm.sh/hook"]; hook != "pre-install,pre-upgrade" {
			t.Errorf("%s runs at %q", o, hook)
		}
		if !strings.Contains(o.text, "parallelism: 1") || !strings.Contains(o.text, "restartPolicy: Never") {
			t.Errorf("%s may run more than one pod", o)
		}
	}
	for name, d := range of[*appsv1.Deployment](render(t, "production")) {
		for _, env := range d.Spec.Template.Spec.Containers[0].Env {
			if env.Name == "MIGRATE_ON_START" && env.Value != "false" {
				t.Errorf("%s migrates at its start", name)
			}
		}
	}
}
