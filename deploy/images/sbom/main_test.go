package main

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// bill is what a reader of a bill of materials looks at.
type bill struct {
	SPDXVersion, DocumentNamespace string
	Packages                       []struct {
		SPDXID, Name, VersionInfo, LicenseDeclared string
		ExternalRefs                               []struct{ ReferenceLocator string }
	}
	Relationships []struct{ RelatedSPDXElement string }
}

func read(t *testing.T, source string) (b bill) {
	t.Helper()
	file, err := write(t.TempDir(), source)
	errtest.None(t, err)
	content, err := os.ReadFile(file)
	errtest.None(t, err)
	errtest.None(t, json.Unmarshal(content, &b))
	if b.SPDXVersion != "SPDX-2.3" || b.DocumentNamespace == "" || len(b.Relationships) != len(b.Packages) {
		t.Errorf("%s in %q, %d relationships of %d packages", b.SPDXVersion, b.DocumentNamespace, len(b.Relationships), len(b.Packages))
	}
	return b
}

func TestAProgramsBillNamesWhatIsLinkedIn(t *testing.T) {
	b := read(t, os.Args[0])
	names := make([]string, len(b.Packages))
	for i, p := range b.Packages {
		names[i] = p.Name
	}
	if !slices.Contains(names, "std") {
		t.Errorf("no standard library in %v", names)
	}
}

func TestABillNamesTheProgramOfAnother(t *testing.T) {
	parts := modules(&debug.BuildInfo{
		GoVersion: "go1.26.0",
		Main:      debug.Module{Path: "github.com/ory/kratos", Version: "v1.3.1"},
		Deps:      []*debug.Module{{Path: "fledge.dev/proto", Version: "v0.0.0"}, {Path: "example.org/fork", Replace: &debug.Module{Path: "example.org/fixed", Version: "v2.0.0"}}},
	})
	urls := make([]string, len(parts))
	for i, p := range parts {
		urls[i] = p.url
	}
	if want := []string{"pkg:golang/std@1.26.0", "pkg:golang/github.com/ory/kratos@v1.3.1", "pkg:golang/example.org/fixed@v2.0.0"}; !slices.Equal(urls, want) {
		t.Errorf("got %v, want %v", urls, want)
	}
}

func TestWhatIsNoProgramHasNoBill(t *testing.T) {
	if _, err := write(t.TempDir(), "main.go"); err == nil {
		t.Error("a source file got a bill")
	}
}
