package keyring

import (
	"context"

	"fledge.dev/services/platform/service"
)

// Open opens one key.
func (s *Sealer) Open(k Key) ([]byte, error) { return s.open(k.Sealed, k.ID, k.Purpose) }

// Reload is one turn of the unit.
func (r *Ring) Reload(ctx context.Context, rt *service.Runtime) { r.reload(ctx, rt) }
