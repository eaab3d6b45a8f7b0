package smtp

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/uuid"
)

const extension = ".eml"

// envelope is the SMTP envelope: sender and recipients.
type envelope struct {
	From string
	To   []string
}

// mailbox holds all messages, oldest first, and a file for each.
type mailbox struct {
	dir string

	mu       sync.RWMutex
	messages []*Message
	byID     map[string]*Message
}

// openMailbox loads the messages that an earlier run kept in dir. File names
// are time-ordered UUIDs, so the directory's order is the order of arrival.
func openMailbox(dir string) (*mailbox, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	box := &mailbox{dir: dir, byID: make(map[string]*Message)}
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), extension)
		if _, err := uuid.Parse(id); !ok || err != nil {
			continue
		}
		source, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		box.insert(parse(id, source))
	}
	return box, nil
}

// add keeps a message. When it returns nil the message survives a crash.
func (b *mailbox) add(env envelope, body []byte) error {
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	// Trace headers as a final delivery writes them (RFC 5321 section 4.4).
	var source bytes.Buffer
	fmt.Fprintf(&source, "Return-Path: <%s>\r\n", env.From)
	for _, to := range env.To {
		fmt.Fprintf(&source, "Delivered-To: %s\r\n", to)
	}
	source.Write(body)
	message := parse(id.String(), source.Bytes())
	if err := b.write(message); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.insert(message)
	return nil
}

func (b *mailbox) insert(m *Message) {
	b.messages = append(b.messages, m)
	b.byID[m.ID] = m
}

// write is atomic: the file appears whole or not at all.
func (b *mailbox) write(m *Message) error {
	path := filepath.Join(b.dir, m.ID+extension)
	file, err := os.CreateTemp(b.dir, "incoming-*")
	if err != nil {
		return err
	}
	_, err = file.Write(m.source)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncDir(b.dir)
}

func syncDir(dir string) error {
	handle, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(handle.Sync(), handle.Close())
}

// list returns the messages for a recipient, or all for "", newest first.
func (b *mailbox) list(to string) []*Message {
	b.mu.RLock()
	defer b.mu.RUnlock()
	found := make([]*Message, 0, len(b.messages))
	for i := len(b.messages) - 1; i >= 0; i-- {
		if to == "" || b.messages[i].isFor(to) {
			found = append(found, b.messages[i])
		}
	}
	return found
}

// get returns one message, or nil.
func (b *mailbox) get(id string) *Message {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.byID[id]
}
