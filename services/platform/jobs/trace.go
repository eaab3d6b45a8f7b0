package jobs

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"fledge.dev/services/platform/obs"
)

// metadataKey holds the W3C trace context in which a job was queued.
const metadataKey = "traceparent"

// Traced is the middleware that has jobs worked in the trace in which they were
// queued. It is empty where provider records nothing.
func Traced(provider trace.TracerProvider) []rivertype.Middleware {
	if !obs.Records(provider) {
		return nil
	}
	return []rivertype.Middleware{&traced{tracer: provider.Tracer("fledge.dev/services/platform/jobs")}}
}

type traced struct {
	river.MiddlewareDefaults
	tracer trace.Tracer
}

// InsertMany writes the trace into the jobs' metadata.
func (t *traced) InsertMany(ctx context.Context, jobs []*rivertype.JobInsertParams, next func(context.Context) ([]*rivertype.JobInsertResult, error)) ([]*rivertype.JobInsertResult, error) {
	written := obs.Traceparent(ctx)
	if written == "" {
		return next(ctx)
	}
	for _, job := range jobs {
		metadata := map[string]json.RawMessage{}
		if len(job.Metadata) > 0 {
			if err := json.Unmarshal(job.Metadata, &metadata); err != nil {
				return nil, fmt.Errorf("jobs: metadata of %s: %w", job.Kind, err)
			}
		}
		metadata[metadataKey] = fmt.Appendf(nil, "%q", written)
		encoded, err := json.Marshal(metadata)
		if err != nil {
			return nil, fmt.Errorf("jobs: metadata of %s: %w", job.Kind, err)
		}
		job.Metadata = encoded
	}
	return next(ctx)
}

// Work continues the trace.
func (t *traced) Work(ctx context.Context, job *rivertype.JobRow, next func(context.Context) error) error {
	var metadata struct {
		Traceparent string `json:"traceparent"`
	}
	// Metadata that cannot be read has no trace; the job itself is well.
	_ = json.Unmarshal(job.Metadata, &metadata)
	ctx, span := t.tracer.Start(obs.WithTraceparent(ctx, metadata.Traceparent), "job "+job.Kind, trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attribute.Int("fledge.job.attempt", job.Attempt)))
	defer span.End()
	err := next(ctx)
	if err != nil {
		span.SetStatus(codes.Error, "job failed")
	}
	return err
}
