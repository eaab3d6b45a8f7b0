// Package logtest keeps what a program logs, for a test that reads it meanwhile.
package logtest

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"fledge.dev/services/platform/waittest"
)

// Log is where a program logs to. Safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is all that was logged.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Addr waits for a line with the message, such as "grpc listening", and returns its address.
func (l *Log) Addr(t testing.TB, message string) (addr string) {
	t.Helper()
	waittest.Seen(t, message, func() (bool, string) {
		logged := l.String()
		for line := range strings.Lines(logged) {
			var entry struct{ Msg, Addr string }
			if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == message {
				addr = entry.Addr
			}
		}
		return addr != "", logged
	})
	return addr
}
