package account

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/google/renameio/v2"
)

// keptEvents is how many acknowledged events the file keeps.
const keptEvents = 500

func load(path string, into *state) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}

// snapshot is what the file gets.
func (a *Account) snapshot() ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	written := a.state
	written.Events.rows = nil
	for i, event := range a.state.Events.rows {
		if !event.Delivered || i >= len(a.state.Events.rows)-keptEvents {
			written.Events.rows = append(written.Events.rows, event)
		}
	}
	return json.Marshal(written)
}

// saver writes snapshots one after the other. All changes that are made while one is being
// written share the next.
type saver struct {
	path     string
	snapshot func() ([]byte, error)

	mu      sync.Mutex
	waiting []chan error
	wake    chan struct{}
	done    chan struct{}
}

func newSaver(path string, snapshot func() ([]byte, error)) *saver {
	s := &saver{path: path, snapshot: snapshot, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go s.run()
	return s
}

// save returns when all that has changed until now is on the disk.
func (s *saver) save(ctx context.Context) error {
	saved := make(chan error, 1)
	s.mu.Lock()
	s.waiting = append(s.waiting, saved)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	select {
	case err := <-saved:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *saver) run() {
	defer close(s.done)
	for range s.wake {
		s.mu.Lock()
		waiting := s.waiting
		s.waiting = nil
		s.mu.Unlock()
		err := s.write()
		for _, saved := range waiting {
			saved <- err
		}
	}
}

func (s *saver) write() error {
	content, err := s.snapshot()
	if err != nil {
		return err
	}
	return renameio.WriteFile(s.path, content, 0o600)
}

func (s *saver) close() error {
	close(s.wake)
	<-s.done
	return s.write()
}
