// Package readme renders the chart's README.md: a text, the Secrets of the services, and a table of
// the values in values.yaml with their comments that begin with "-- ".
//
// The comments are those of helm-docs, which would have a row for each value of each
// workload, where this describes them once, and would bring a second Helm, of version 3.
package readme

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed README.md.tmpl
var text string

// maxShown is the longest default in the table, in bytes.
const maxShown = 100

// Render returns the README of the chart in chartDir.
func Render(chartDir string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(chartDir, "values.yaml"))
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, fmt.Errorf("values.yaml: %w", err)
	}
	var table bytes.Buffer
	if err := rows(&table, "", document.Content[0]); err != nil {
		return nil, err
	}
	parsed, err := template.New("README.md").Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	services, asked, err := secrets(document.Content[0])
	if err != nil {
		return nil, err
	}
	err = parsed.Execute(&out, map[string]any{"Values": table.String(), "Services": services, "Asked": asked})
	return out.Bytes(), err
}

// service is one with a database, and the settings in its Secret that the README's script does not make up for each.
type service struct {
	Name     string
	Settings []string
}

// secrets returns the services in the order of the values, and those of their settings that only an operator knows.
func secrets(values *yaml.Node) (services []service, asked []string, err error) {
	var document struct{ Services yaml.Node }
	if err := values.Decode(&document); err != nil {
		return nil, nil, err
	}
	workloads := document.Services.Content
	for i := 0; i+1 < len(workloads); i += 2 {
		var workload struct {
			Database   bool
			SecretKeys []string `yaml:"secretKeys"`
		}
		if err := workloads[i+1].Decode(&workload); err != nil {
			return nil, nil, fmt.Errorf("services.%s: %w", workloads[i].Value, err)
		}
		if !workload.Database {
			continue
		}
		s := service{Name: workloads[i].Value}
		for _, key := range workload.SecretKeys {
			if key == "DATABASE_URL" || key == "NATS_PASSWORD" {
				continue
			}
			s.Settings = append(s.Settings, key)
			if key != "KEY_ENCRYPTION_KEY" && !slices.Contains(asked, key) {
				asked = append(asked, key)
			}
		}
		services = append(services, s)
	}
	return services, asked, nil
}

// rows writes a row for each value. Of services it describes only the first: the others
// have the same keys.
func rows(out *bytes.Buffer, path string, mapping *yaml.Node) error {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		name := strings.TrimPrefix(path+"."+key.Value, ".")
		if strings.HasPrefix(name, "services.") {
			if i > 0 && path == "services" {
				return nil
			}
			name = strings.Replace(name, "services.gateway", "services.*", 1)
		}
		about := description(key.HeadComment)
		if value.Kind == yaml.MappingNode && value.Style != yaml.FlowStyle {
			if about != "" {
				fmt.Fprintf(out, "| `%s` | | %s |\n", name, about)
			}
			if err := rows(out, name, value); err != nil {
				return err
			}
			continue
		}
		var plain any
		if err := value.Decode(&plain); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		shown, err := json.Marshal(plain)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if len(shown) > maxShown {
			shown = []byte("…")
		}
		fmt.Fprintf(out, "| `%s` | `%s` | %s |\n", name, shown, about)
	}
	return nil
}

// description is the part of a comment that belongs in the table.
func description(comment string) string {
	_, about, found := strings.Cut(comment, "# -- ")
	if !found {
		return ""
	}
	return strings.ReplaceAll(strings.ReplaceAll(about, "\n# ", " "), "|", `\|`)
}
