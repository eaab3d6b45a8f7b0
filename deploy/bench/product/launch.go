package product

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
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
	// The script is all that runs: k6 would look for other builds of itself.
	env := []string{"SETTINGS=" + string(settings), "K6_AUTO_EXTENSION_RESOLUTION=false"}
	_, err = b.opts.run(ctx, env, b.k6, "run", "--quiet", "--no-usage-report", "--address=", "launch.js")
	// A threshold that was crossed is a result: the table tells.
	const crossed = 99
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != crossed) {
		return "", err
	}
	text, err := os.ReadFile(table)
	return string(text), err
}
