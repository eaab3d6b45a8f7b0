package readme_test

import (
	"bytes"
	"os"
	"testing"

	"fledge.dev/helm/charttest/readme"
)

func TestTheReadmeIsInStepWithTheValues(t *testing.T) {
	want, err := readme.Render("../../fledge")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../fledge/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("helm/fledge/README.md is out of step with values.yaml: run `make generate`")
	}
}
