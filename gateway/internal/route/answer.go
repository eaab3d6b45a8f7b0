package route

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// OrNull returns nil for the zero value, which is what a service answers for what there is not, such as
// the cursor after the last page.
func OrNull[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}

// Each returns what of makes of each, and never nil, which would be null in JSON.
func Each[T, U any](list []T, of func(T) U) []U {
	all := make([]U, len(list))
	for i, value := range list {
		all[i] = of(value)
	}
	return all
}

// TimeOrNull returns nil for a time that there is not.
func TimeOrNull(at *timestamppb.Timestamp) *time.Time {
	if at == nil {
		return nil
	}
	t := at.AsTime()
	return &t
}
