package charttest

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// object is one rendered object, decoded into its type.
type object struct {
	meta  metav1.TypeMeta
	typed metav1.Object
	text  string
}

func (o object) kind() string { return o.meta.Kind }
func (o object) name() string { return o.typed.GetName() }

// component is the part of the product that the object is for.
func (o object) component() string { return o.typed.GetLabels()["app.kubernetes.io/component"] }

func (o object) ingress() *networkingv1.Ingress { return o.typed.(*networkingv1.Ingress) }

// empty returns a value of the object's declared type, nil for an unknown one.
func empty(meta metav1.TypeMeta) metav1.Object {
	switch meta.APIVersion + "/" + meta.Kind {
	case "v1/ConfigMap":
		return &corev1.ConfigMap{}
	case "v1/Secret":
		return &corev1.Secret{}
	case "v1/Service":
		return &corev1.Service{}
	case "v1/ServiceAccount":
		return &corev1.ServiceAccount{}
	case "apps/v1/Deployment":
		return &appsv1.Deployment{}
	case "apps/v1/StatefulSet":
		return &appsv1.StatefulSet{}
	case "batch/v1/Job":
		return &batchv1.Job{}
	case "batch/v1/CronJob":
		return &batchv1.CronJob{}
	case "autoscaling/v2/HorizontalPodAutoscaler":
		return &autoscalingv2.HorizontalPodAutoscaler{}
	case "policy/v1/PodDisruptionBudget":
		return &policyv1.PodDisruptionBudget{}
	case "networking.k8s.io/v1/Ingress":
		return &networkingv1.Ingress{}
	case "networking.k8s.io/v1/NetworkPolicy":
		return &networkingv1.NetworkPolicy{}
	case "gateway.networking.k8s.io/v1/HTTPRoute":
		return &httpRoute{}
	case "cert-manager.io/v1/Certificate":
		return &certificate{}
	case "monitoring.coreos.com/v1/ServiceMonitor":
		return &serviceMonitor{}
	case "monitoring.coreos.com/v1/PrometheusRule":
		return &prometheusRule{}
	}
	return nil
}

// parse decodes strictly: unknown fields and duplicate keys are failures, where the API
// server would drop them silently.
func parse(t *testing.T, manifests map[string]string) []object {
	t.Helper()
	var objects []object
	seen := map[string]bool{}
	for _, template := range slices.Sorted(maps.Keys(manifests)) {
		if !strings.HasSuffix(template, ".yaml") {
			continue
		}
		for text := range strings.SplitSeq("\n"+manifests[template], "\n---") {
			if strings.TrimSpace(text) == "" {
				continue
			}
			o := object{text: text}
			if err := yaml.Unmarshal([]byte(text), &o.meta); err != nil {
				t.Fatalf("%s: %v\n%s", template, err, text)
			}
			if o.typed = empty(o.meta); o.typed == nil {
				t.Fatalf("%s: nobody knows %s %s:\n%s", template, o.meta.APIVersion, o.meta.Kind, text)
			}
			if err := yaml.UnmarshalStrict([]byte(text), o.typed); err != nil {
				t.Errorf("%s: %s %s: %v", template, o.kind(), o.name(), err)
			}
			if seen[o.String()] {
				t.Errorf("%s is there twice", o)
			}
			seen[o.String()] = true
			objects = append(objects, o)
		}
	}
	return objects
}

// pods is the template of the pods that an object makes, nil if it makes none.
func (o object) pods() *corev1.PodTemplateSpec {
	switch typed := o.typed.(type) {
	case *appsv1.Deployment:
		return &typed.Spec.Template
	case *appsv1.StatefulSet:
		return &typed.Spec.Template
	case *batchv1.Job:
		return &typed.Spec.Template
	case *batchv1.CronJob:
		return &typed.Spec.JobTemplate.Spec.Template
	}
	return nil
}

// podsOf are the objects that make pods, with the template of these.
func podsOf(objects []object) iter.Seq2[object, *corev1.PodTemplateSpec] {
	return func(yield func(object, *corev1.PodTemplateSpec) bool) {
		for _, o := range objects {
			if pods := o.pods(); pods != nil && !yield(o, pods) {
				return
			}
		}
	}
}

// of returns the typed objects of one kind, by name.
func of[T metav1.Object](objects []object) map[string]T {
	found := map[string]T{}
	for _, o := range objects {
		if typed, ok := o.typed.(T); ok {
			found[o.name()] = typed
		}
	}
	return found
}

func TestEveryObjectBelongsToTheRelease(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		for _, o := range objects {
			labels := o.typed.GetLabels()
			if o.typed.GetNamespace() != namespace || !strings.HasPrefix(o.name(), releaseName) ||
				labels["app.kubernetes.io/name"] != "fledge" || labels["app.kubernetes.io/instance"] != releaseName || o.component() == "" {
				t.Errorf("%s in %q with %v", o, o.typed.GetNamespace(), labels)
			}
		}
	})
}
