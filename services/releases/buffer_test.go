package releases_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// lockedBuffer collects a log that several goroutines write.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// listening is the address of the gRPC listener once the log has it.
func (b *lockedBuffer) listening() string {
	for line := range strings.Lines(b.String()) {
		var entry struct{ Msg, Addr string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "grpc listening" {
			return entry.Addr
		}
	}
	return ""
}
