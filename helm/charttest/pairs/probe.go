package pairs

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// settle is how long a temporary pod waits until its policies are in effect.
const settle = "10s"

// probe runs the probe at the source and returns the addresses that it could open. A
// running pod gets an ephemeral container, which shares its network and stays listed in
// it; for other sources a pod is made and removed.
func (r Release) probe(ctx context.Context, from source, name string) (map[netip.AddrPort]bool, error) {
	addresses := slices.AppendSeq(slices.Collect(maps.Keys(from.own)), maps.Keys(from.targets))
	args := make([]string, len(addresses))
	for i, address := range addresses {
		args[i] = address.String()
	}
	pod := from.pod
	if pod == "" {
		pod = r.Name + "-" + name + "-" + from.Name
		if err := r.make(ctx, from, pod, name, append([]string{"-settle", settle}, args...)); err != nil {
			return nil, err
		}
		defer func() {
			_, _ = r.Kubectl(context.WithoutCancel(ctx), nil, "delete", "pod", "-n", from.Namespace, pod, "--wait=false")
		}()
	} else {
		debug := append([]string{"debug", "-n", from.Namespace, pod, "--image", r.Image, "--image-pull-policy", "IfNotPresent",
			"--profile", "restricted", "-c", name, "--arguments-only", "--"}, args...)
		if _, err := r.Kubectl(ctx, nil, debug...); err != nil {
			return nil, err
		}
	}
	if err := r.ended(ctx, from.Namespace, pod, name); err != nil {
		return nil, fmt.Errorf("probe in %s: %w", pod, err)
	}
	out, err := r.Kubectl(ctx, nil, "logs", "-n", from.Namespace, pod, "-c", name)
	if err != nil {
		return nil, err
	}
	opened, told := map[netip.AddrPort]bool{}, 0
	for line := range strings.Lines(string(out)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		address, _, _ := strings.Cut(rest, " ")
		if parsed, err := netip.ParseAddrPort(address); err == nil {
			opened[parsed] = word == "open"
			told++
		}
	}
	if told != len(addresses) {
		return nil, fmt.Errorf("probe in %s told of %d addresses, asked for %d:\n%s", pod, told, len(addresses), out)
	}
	return opened, nil
}

// make makes a pod with the labels of a source that satisfies Pod Security.
func (r Release) make(ctx context.Context, from source, pod, container string, args []string) error {
	yes, no, uid := true, false, int64(65532)
	made := corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: from.Namespace, Labels: from.Labels},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: &no, EnableServiceLinks: &no,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: &yes, RunAsUser: &uid, SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: container, Image: r.Image, ImagePullPolicy: corev1.PullIfNotPresent, Args: args,
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes,
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}
	manifest, err := json.Marshal(made)
	if err != nil {
		return err
	}
	_, err = r.Kubectl(ctx, manifest, "apply", "-f", "-")
	return err
}

// ended waits until a container has exited.
func (r Release) ended(ctx context.Context, namespace, pod, container string) error {
	for {
		var now corev1.Pod
		if err := r.get(ctx, &now, "pod", "-n", namespace, pod); err != nil {
			return err
		}
		for _, status := range slices.Concat(now.Status.ContainerStatuses, now.Status.EphemeralContainerStatuses) {
			if status.Name != container {
				continue
			}
			if end := status.State.Terminated; end != nil && end.ExitCode != 0 {
				return fmt.Errorf("ended with %d (%s)", end.ExitCode, end.Reason)
			} else if end != nil {
				return nil
			}
			if wait := status.State.Waiting; wait != nil && strings.Contains(wait.Reason, "Image") {
				return fmt.Errorf("%s: %s", wait.Reason, wait.Message)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}
