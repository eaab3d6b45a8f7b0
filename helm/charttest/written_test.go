package charttest

import (
	"fmt"
	"maps"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"
	helmyaml "sigs.k8s.io/yaml"

	"fledge.dev/services/platform/errtest"
)

// TestAValueMayBeWrittenAsItsCommentHasIt, without quotes, also where YAML takes `off` for false and `0` for a number: it
// is the same as with them.
func TestAValueMayBeWrittenAsItsCommentHasIt(t *testing.T) {
	var document yaml.Node
	errtest.None(t, yaml.Unmarshal([]byte(contentOf(t, chartDir+"/values.yaml")), &document))
	literals, tried := regexp.MustCompile("`([^`]+)`"), 0
	rendered := func(values string) map[string]string {
		manifests, err := renderValues(over(t, "production", values), false)
		if err != nil {
			t.Errorf("%s: %v", values, err)
		}
		return manifests
	}
	var walk func(section *yaml.Node, around string)
	walk = func(section *yaml.Node, around string) {
		for i := 0; i+1 < len(section.Content); i += 2 {
			key, value := section.Content[i], section.Content[i+1]
			values := fmt.Sprintf(around, key.Value+": %s")
			if value.Kind == yaml.MappingNode {
				walk(value, fmt.Sprintf(values, "{%s}"))
			}
			if value.Tag != "!!str" {
				continue
			}
			for _, literal := range literals.FindAllStringSubmatch(key.HeadComment, -1) {
				if !isBare(literal[1]) {
					continue
				}
				tried++
				if bare := fmt.Sprintf(values, literal[1]); !maps.Equal(rendered(bare), rendered(fmt.Sprintf(values, `"`+literal[1]+`"`))) {
					t.Errorf("%s is another value than with quotes", bare)
				}
			}
		}
	}
	walk(document.Content[0], "%s")
	if tried < 9 {
		t.Errorf("%d were tried", tried)
	}
}

// isBare reports whether helm takes a text without quotes for something else.
func isBare(text string) bool {
	var value any
	if err := helmyaml.Unmarshal([]byte(text), &value); err != nil {
		return false
	}
	switch value.(type) {
	case bool, float64:
		return true
	}
	return false
}
