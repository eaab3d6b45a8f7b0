package rpc

import (
	"context"

	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"fledge.dev/services/platform/service"
)

// reporter is the standard health service. Its list has the server itself under the empty
// name, and each part that the process checks, such as "database" and "nats". Probes ask
// for the empty name, whose status does not depend on the parts.
type reporter struct {
	*health.Server
	parts *service.Health
}

// List implements grpc.health.v1.Health.
func (r reporter) List(ctx context.Context, req *healthpb.HealthListRequest) (*healthpb.HealthListResponse, error) {
	list, err := r.Server.List(ctx, req)
	if err != nil {
		return nil, err
	}
	for name, failure := range r.parts.Check(ctx).Checks {
		status := healthpb.HealthCheckResponse_SERVING
		if failure != nil {
			status = healthpb.HealthCheckResponse_NOT_SERVING
		}
		list.Statuses[name] = &healthpb.HealthCheckResponse{Status: status}
	}
	return list, nil
}
