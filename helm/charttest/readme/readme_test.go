package readme_test

import (
	"bytes"
	"os"
	"testing"

	"fledge.dev/helm/charttest/readme"
	"fledge.dev/services/platform/errtest"
)

func TestTheReadmeIsInStepWithTheValues(t *testing.T) {
	want, err := readme.Render("../../fledge")
	errtest.None(t, err)
	got, err := os.ReadFile("../../fledge/README.md")
	errtest.None(t, err)
	if !bytes.Equal(got, want) {
		t.Error("helm/fledge/README.md is out of step with values.yaml: run `make generate`")
	}
}
