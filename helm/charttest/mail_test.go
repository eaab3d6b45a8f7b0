package charttest

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// TestAServiceGetsTheInstallationsWords: its own files and the layout, and it restarts when they change.
func TestAServiceGetsTheInstallationsWords(t *testing.T) {
	rendered := func(words string) []object {
		values := valuesOf(t, sets["production"]...)
		values["mail"].(map[string]any)["templates"] = map[string]any{
			"layout": map[string]any{"layout.txt": "around"}, "waitlist": map[string]any{"approved.txt": words},
		}
		return objectsOf(t, values)
	}
	objects := rendered("Subject: Welcome\n\n{{.Brand}}")
	maps, deployments := of[*corev1.ConfigMap](objects), of[*appsv1.Deployment](objects)
	if words := maps["fledge-waitlist-mail"].Data; len(words) != 2 || words["approved.txt"] != "Subject: Welcome\n\n{{.Brand}}" || words["layout.txt"] != "around" {
		t.Errorf("waitlist gets %q", words)
	}
	for _, name := range []string{"identity", "billing", "support"} {
		if words := maps["fledge-"+name+"-mail"].Data; len(words) != 1 || words["layout.txt"] != "around" {
			t.Errorf("%s gets %q", name, words)
		}
	}
	for _, name := range []string{"gateway", "releases"} {
		if maps["fledge-"+name+"-mail"] != nil || strings.Contains(podEnv(deployments["fledge-"+name]), "MAIL_TEMPLATES_DIR") {
			t.Errorf("%s sends no emails", name)
		}
	}
	waitlist := deployments["fledge-waitlist"].Spec.Template
	if !strings.Contains(podEnv(deployments["fledge-waitlist"]), "MAIL_TEMPLATES_DIR=/etc/fledge/mail") ||
		!slices.ContainsFunc(waitlist.Spec.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/etc/fledge/mail" && m.ReadOnly }) {
		t.Errorf("waitlist does not see its words: %v", waitlist.Spec.Containers[0])
	}
	const checksum = "checksum/mail-templates"
	changed := of[*appsv1.Deployment](rendered("Subject: Hello"))["fledge-waitlist"].Spec.Template
	if waitlist.Annotations[checksum] == "" || waitlist.Annotations[checksum] == changed.Annotations[checksum] {
		t.Error("other words restart nothing")
	}
}

func podEnv(d *appsv1.Deployment) string {
	var env strings.Builder
	for _, e := range d.Spec.Template.Spec.Containers[0].Env {
		env.WriteString(e.Name + "=" + e.Value + "\n")
	}
	return env.String()
}

// TestATrialSendsApprovalsAtOnce: the browser tests wait half a minute for the email.
func TestATrialSendsApprovalsAtOnce(t *testing.T) {
	for set, want := range map[string]string{"local": "0", "kind": "0", "production": "1m"} {
		container := of[*appsv1.Deployment](render(t, set))["fledge-waitlist"].Spec.Template.Spec.Containers[0]
		if env := environ(container, ""); !slices.Contains(env, "APPROVAL_UNDO="+want) {
			t.Errorf("%s: no APPROVAL_UNDO=%s in %v", set, want, env)
		}
	}
}
