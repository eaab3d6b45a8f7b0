package product

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/state"
)

func (b *bench) buildK6(ctx context.Context) error {
	shared, err := state.Open(filepath.Join(b.opts.Product.Root, ".local"))
	if err == nil {
		b.k6, err = prepare.New(b.opts.Product.Root, shared, b.opts.Product.Progress).K6(ctx)
	}
	return err
}

// launch sends sign-ups and reads at a fixed rate, without waiting for answers. launch.js
// says how many, and which goals there are, and writes the table.
func (b *bench) launch(ctx context.Context) (string, error) {
	if err := b.signIn(ctx, clients); err != nil {
		return "", err
	}
	table := filepath.Join(b.opts.Scratch, "launch.md")
	settings, err := json.Marshal(map[string]any{"gateway": b.GatewayURL(), "tokens": b.tokens(clients), "table": table})
	if err != nil {
		return "", err
	}
	if err := b.runK6(ctx, settings, "launch.js"); err != nil {
		return "", err
	}
	text, err := os.ReadFile(table)
	return string(text), err
}
