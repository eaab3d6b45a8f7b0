package repo_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// TestEveryServiceRecordsItsStaff: a service with methods for admins has a test
// that calls each of them and looks for the audit record.
func TestEveryServiceRecordsItsStaff(t *testing.T) {
	forAdmins, tested := map[string]bool{}, map[string]bool{}
	base := root(t) + "/services/"
	for _, path := range goFiles(t) {
		rest, ok := strings.CutPrefix(path, base)
		if !ok || strings.HasPrefix(rest, "platform/") {
			continue
		}
		content, err := os.ReadFile(path)
		errtest.None(t, err)
		service, _, _ := strings.Cut(rest, "/")
		if strings.HasSuffix(path, "_test.go") {
			tested[service] = tested[service] || strings.Contains(string(content), "audittest.Methods(")
		} else if strings.Contains(string(content), "_FullMethodName") {
			forAdmins[service] = forAdmins[service] || strings.Contains(string(content), "authn.Staff,") || strings.Contains(string(content), "authn.Admin,") || strings.Contains(string(content), "authn.FreshAdmin,")
		}
	}
	if !forAdmins["identity"] || !forAdmins["waitlist"] {
		t.Errorf("found methods for admins in %v only", forAdmins)
	}
	for service, has := range forAdmins {
		if has && !tested[service] {
			t.Errorf("%s has methods for admins, and no test runs audittest.Methods over its policy", service)
		}
	}
}

// TestTheAuditLogCanBeFilteredByEveryAction that a service records: openapi.yaml, from which
// the site has its list, and identity, which refuses others, name the same ones.
func TestTheAuditLogCanBeFilteredByEveryAction(t *testing.T) {
	named := regexp.MustCompile(`\bName\s*= "([a-z_]+\.[a-z_]+)"`)
	var recorded []string
	for _, path := range goFiles(t) {
		if strings.HasPrefix(path, root(t)+"/services/") && !strings.HasSuffix(path, "_test.go") && (!strings.Contains(path, "/platform/") || strings.Contains(path, "/platform/audit/")) {
			for _, m := range named.FindAllStringSubmatch(contentOf(t, path), -1) {
				recorded = append(recorded, m[1])
			}
		}
	}
	list := regexp.MustCompile(`(?s)` + "`all`" + ` and an empty value list every action\..*?enum:\n(.*?)\n +default:`).FindStringSubmatch(contentOf(t, root(t)+"/gateway/openapi.yaml"))
	if list == nil || len(recorded) < 5 {
		t.Fatalf("found no list, or only %v", recorded)
	}
	slices.Sort(recorded)
	recorded = slices.Compact(recorded) // the package's own example has one of them
	_, taken, _ := strings.Cut(contentOf(t, root(t)+"/services/identity/internal/auditlog/auditlog.go"), "func Actions() []string {\n\treturn")
	taken, _, _ = strings.Cut(taken, "\n}")
	for who, text := range map[string]string{"openapi.yaml": list[1], "identity": taken} {
		listed := regexp.MustCompile(`[a-z_]+\.[a-z_]+`).FindAllString(text, -1)
		slices.Sort(listed)
		if !slices.Equal(recorded, listed) {
			t.Errorf("%s lists %v, the services record %v", who, listed, recorded)
		}
	}
}

// TestEveryServiceHasItsMatrix: a service that is served has a test that calls
// each of its methods as every kind of caller.
func TestEveryServiceHasItsMatrix(t *testing.T) {
	registered := regexp.MustCompile(`server\.Register\(&\w+\.(\w+_ServiceDesc)`)
	tried := regexp.MustCompile(`authntest\.Matrix\(t, &\w+\.(\w+_ServiceDesc)`)
	served, tested := map[string]string{}, map[string]bool{}
	base := root(t) + "/services/"
	for _, path := range goFiles(t) {
		if !strings.HasPrefix(path, base) {
			continue
		}
		content, err := os.ReadFile(path)
		errtest.None(t, err)
		for _, found := range tried.FindAllSubmatch(content, -1) {
			tested[string(found[1])] = true
		}
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, base+"platform/") {
			continue
		}
		for _, found := range registered.FindAllSubmatch(content, -1) {
			served[string(found[1])] = path
		}
	}
	if len(served) < 3 {
		t.Errorf("only %d services are served: %v", len(served), served)
	}
	for desc, path := range served {
		if !tested[desc] {
			t.Errorf("%s serves %s, and no test runs authntest.Matrix over it", path, desc)
		}
	}
}
