package charttest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// unscored are kube-score's tests that we do not follow, with the reason.
var unscored = map[string]string{
	"container-image-pull-policy":          "a version never moves, so pulling it again at each start only makes the registry a part of every start",
	"statefulset-has-host-podantiaffinity": "what is in the cluster on one's own machine has one replica, or one node",
}

// TestKubeScore runs kube-score over all forms: nothing that it calls critical. `make
// test-chart` builds it.
func TestKubeScore(t *testing.T) {
	program, err := exec.LookPath("kube-score")
	if err != nil {
		t.Skip("kube-score is not installed")
	}
	args := []string{"score", "--output-format", "ci", "--kubernetes-version", "v1.30",
		// A limit of CPU makes every request slow when one is; requests share it fairly.
		"--ignore-container-cpu-limit"}
	for test := range unscored {
		args = append(args, "--ignore-test", test)
	}
	eachSet(t, func(t *testing.T, objects []object) {
		var texts []string
		for _, o := range objects {
			texts = append(texts, o.text)
		}
		score := exec.Command(program, append(args, "-")...)
		score.Stdin = strings.NewReader(strings.Join(texts, "\n---\n"))
		score.Env = os.Environ()
		out, err := score.Output()
		critical := 0
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "[CRITICAL]") {
				critical++
				t.Error(strings.TrimSpace(line))
			}
		}
		if err != nil && critical == 0 {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
