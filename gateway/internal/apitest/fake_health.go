package apitest

import (
	"context"
	"errors"
	"sync"

	"fledge.dev/services/platform/service"
)

// parts are what a fake service says about what it depends on.
type parts struct {
	mu   sync.Mutex
	down map[string]bool
}

func (p *parts) Set(part string, up bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down[part] = !up
}

func (p *parts) addTo(h *service.Health) {
	for _, part := range []string{"database", "nats"} {
		h.Inform(part, func(context.Context) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.down[part] {
				return errors.New("down")
			}
			return nil
		})
	}
}
