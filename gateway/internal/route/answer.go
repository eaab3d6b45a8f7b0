package route

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// OrNull returns nil for "", which is what a service answers for what there is not, such as
// the cursor after the last page.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// TimeOrNull returns nil for a time that there is not.
func TimeOrNull(at *timestamppb.Timestamp) *time.Time {
	if at == nil {
		return nil
	}
	t := at.AsTime()
	return &t
}
