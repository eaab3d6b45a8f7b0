package state

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/google/renameio/v2"
)

// Hex returns a generator of n characters of [0-9a-f].
func Hex(n int) func() string {
	return func() string { return hex.EncodeToString(random((n + 1) / 2))[:n] }
}

// Base64 returns a generator of n bytes in standard base64.
func Base64(n int) func() string {
	return func() string { return base64.StdEncoding.EncodeToString(random(n)) }
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process instead
	return b
}

// Secret returns the path and value of a secret, which is generated the first
// time and the same from then on. Only the owner may read the file.
func (d Dir) Secret(name string, generate func() string) (path, value string, err error) {
	path = d.Path("secrets", name)
	content, err := os.ReadFile(path)
	if err == nil && len(content) > 0 {
		return path, strings.TrimSpace(string(content)), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", "", fmt.Errorf("state: %w", err)
	}
	value = generate()
	if err := renameio.WriteFile(path, []byte(value+"\n"), 0o600); err != nil {
		return "", "", fmt.Errorf("state: secret %s: %w", name, err)
	}
	return path, value, nil
}
