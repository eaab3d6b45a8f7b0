package charttest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// unscored are findings of kube-score that we accept: a part of the line that it prints,
// and the reason.
var unscored = map[string]string{
	"ImagePullPolicy is not set to Always":                        "a version never moves, so pulling it at each start only makes the registry a part of every start",
	"StatefulSet: (postgres) The container running with a low gr": "the official image's own user; for one's own machine only",
	"StatefulSet: (postgres) The container is running with a low": "the same",
}

// TestKubeScore runs kube-score over all forms and expects no critical finding. `make
// test-chart` builds it.
func TestKubeScore(t *testing.T) {
	program, err := exec.LookPath("kube-score")
	if err != nil {
		t.Skip("kube-score is not installed")
	}
	args := []string{"score", "--output-format", "ci", "--kubernetes-version", "v1.30",
		// A CPU limit makes all requests slow when one is; CPU requests share it fairly.
		"--ignore-container-cpu-limit"}
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
			if !strings.HasPrefix(line, "[CRITICAL]") {
				continue
			}
			critical++
			if !isUnscored(line) {
				t.Error(strings.TrimSpace(line))
			}
		}
		if err != nil && critical == 0 {
			t.Errorf("%v\n%s", err, out)
		}
	})
}

func isUnscored(line string) bool {
	for criticism := range unscored {
		if strings.Contains(line, criticism) {
			return true
		}
	}
	return false
}
