package text

import (
	"strings"

	"github.com/google/uuid"
)

// UUID reads a UUID in its canonical form; ok is false for others, such as "urn:uuid:…", which are not what
// we gave out.
func UUID(s string) (id uuid.UUID, ok bool) {
	id, err := uuid.Parse(s)
	if err != nil || !strings.EqualFold(id.String(), s) {
		return uuid.Nil, false
	}
	return id, true
}
