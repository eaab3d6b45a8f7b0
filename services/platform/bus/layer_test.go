package bus_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestOnlyTheBusTalksToNATS: code that publishes past the outbox can lose or invent an
// event. Apart from tests, only this package and its kit may use NATS.
func TestOnlyTheBusTalksToNATS(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, module := range []string{root, filepath.Join(root, "..", "gateway")} {
		err := filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, filepath.Join(root, "platform", "bus")) {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			for _, imported := range file.Imports {
				if name, err := strconv.Unquote(imported.Path.Value); err == nil && strings.HasPrefix(name, "github.com/nats-io/nats.go") {
					t.Errorf("%s imports %s", path, name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
