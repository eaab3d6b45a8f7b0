package charttest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSchemas validates everything with a cluster's own schemas: SCHEMAS is a folder of
// JSON schemas by kind and version, as written by kubeconform's openapi2jsonschema. Kinds
// that the cluster does not have are left to the strict types of these tests.
func TestSchemas(t *testing.T) {
	folder := os.Getenv("SCHEMAS")
	if folder == "" {
		t.Skip("SCHEMAS names no folder of JSON schemas")
	}
	eachSet(t, func(t *testing.T, objects []object) {
		var texts []string
		for _, o := range objects {
			texts = append(texts, o.text)
		}
		kubeconform := exec.Command("kubeconform", "-strict", "-ignore-missing-schemas", "-schema-location", folder+"/{{.ResourceKind}}{{.KindSuffix}}.json")
		kubeconform.Stdin = strings.NewReader(strings.Join(texts, "\n---\n"))
		if out, err := kubeconform.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
}
