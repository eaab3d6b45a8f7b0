package subprocess

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"
)

// ParentEnv names the process that this program lives and dies with.
const ParentEnv = "FLEDGE_PARENT"

const parentPoll = 500 * time.Millisecond

// Parent is what ParentEnv should say after this program has replaced itself:
// under `go run`, that is the go command, which does not stop its child when it
// is killed.
func Parent() string {
	if program, err := os.Executable(); err != nil || !strings.Contains(program, "go-build") {
		return ""
	}
	return strconv.Itoa(os.Getppid())
}

// WithParent returns a context that ends when the process named by ParentEnv is
// no longer this one's parent.
func WithParent(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	parent, err := strconv.Atoi(os.Getenv(ParentEnv))
	if err != nil {
		return ctx, cancel
	}
	go func() {
		ticker := time.NewTicker(parentPoll)
		defer ticker.Stop()
		for os.Getppid() == parent {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
		cancel()
	}()
	return ctx, cancel
}
