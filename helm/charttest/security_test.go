package charttest

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"fledge.dev/services/platform/errtest"
)

// TestPodsAreRestricted asks the evaluator that the API server itself uses.
func TestPodsAreRestricted(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	errtest.None(t, err)
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	eachSet(t, func(t *testing.T, objects []object) {
		for o, pods := range podsOf(objects) {
			for _, result := range evaluator.EvaluatePod(restricted, &pods.ObjectMeta, &pods.Spec) {
				if !result.Allowed {
					t.Errorf("%s: %s: %s", o, result.ForbiddenReason, result.ForbiddenDetail)
				}
			}
		}
	})
}

// TestPodsHaveNothingToSpare checks what "restricted" does not require.
func TestPodsHaveNothingToSpare(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		for o, pods := range podsOf(objects) {
			if token := pods.Spec.AutomountServiceAccountToken; token == nil || *token {
				t.Errorf("%s has a token of the API server", o)
			}
			if security := pods.Spec.SecurityContext; security.RunAsUser == nil || *security.RunAsUser == 0 || security.RunAsGroup == nil || *security.RunAsGroup == 0 {
				t.Errorf("%s: user and group are left to the image", o)
			}
			for _, c := range containers(pods) {
				if readOnly := c.SecurityContext.ReadOnlyRootFilesystem; readOnly == nil || !*readOnly {
					t.Errorf("%s: %s can write its own files", o, c.Name)
				}
				if c.Resources.Requests.Cpu().IsZero() || c.Resources.Requests.Memory().IsZero() || c.Resources.Limits.Memory().IsZero() {
					t.Errorf("%s: %s has no requests or no limit of memory", o, c.Name)
				}
				if !versioned.MatchString(c.Image) {
					t.Errorf("%s: image %s names no version", o, c.Image)
				}
			}
		}
	})
}

var versioned = regexp.MustCompile(`^[a-z0-9./-]+(:v?[0-9][\w.-]*|:dev|@sha256:[0-9a-f]{64})$`)

func containers(pods *corev1.PodTemplateSpec) []corev1.Container {
	return append(append([]corev1.Container{}, pods.Spec.InitContainers...), pods.Spec.Containers...)
}

// TestASecretIsNowhereButInASecret: the values of a local installation's Secrets are
// known here, so all other objects are searched for them.
func TestASecretIsNowhereButInASecret(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		var secrets []string
		for _, secret := range of[*corev1.Secret](objects) {
			for _, value := range secret.Data {
				if !strings.ContainsAny(string(value), "\n") {
					secrets = append(secrets, string(value))
				}
			}
		}
		for _, o := range objects {
			if o.kind() == "Secret" {
				continue
			}
			for _, secret := range secrets {
				if strings.Contains(o.text, secret) {
					t.Errorf("%s shows a secret", o)
				}
			}
			pods := o.pods()
			if pods == nil {
				continue
			}
			for _, c := range containers(pods) {
				for _, env := range c.Env {
					if secretName.MatchString(env.Name) && env.Name != "STRIPE_PUBLISHABLE_KEY" && env.Value != "" {
						t.Errorf("%s: %s has %s as a plain value", o, c.Name, env.Name)
					}
				}
			}
		}
	})
}

var secretName = regexp.MustCompile(`(PASSWORD|SECRETS?|TOKEN|KEY|DATABASE_URL)$`)

// TestProductionBringsNoSecret: the operator provides them, and the pods use the names
// that the notes list.
func TestProductionBringsNoSecret(t *testing.T) {
	for _, set := range []string{"production", "gateway", "monitoring"} {
		if secrets := of[*corev1.Secret](render(t, set)); len(secrets) > 0 {
			t.Errorf("%s: %d Secrets", set, len(secrets))
		}
	}
}

// TestSiteSettingsAreJSON: the pages read them.
func TestSiteSettingsAreJSON(t *testing.T) {
	eachSet(t, func(t *testing.T, objects []object) {
		settings := of[*corev1.ConfigMap](objects)["fledge-web"].Data["config.json"]
		var parsed struct {
			HandOff struct {
				Tokens *bool    `json:"tokens"`
				Links  []string `json:"links"`
			} `json:"handOff"`
			DeletionGrace string `json:"deletionGrace"`
		}
		if err := json.Unmarshal([]byte(settings), &parsed); err != nil || parsed.HandOff.Tokens == nil || parsed.DeletionGrace == "" {
			t.Errorf("%v: %s", err, settings)
		}
	})
}
