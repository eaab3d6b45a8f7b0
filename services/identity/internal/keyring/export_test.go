package keyring

import (
	"context"

	"fledge.dev/services/platform/service"
)

// Reload is one turn of the unit.
func (r *Ring) Reload(ctx context.Context, rt *service.Runtime) { r.reload(ctx, rt) }
