package api

import (
	"context"
	"time"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/usage"
)

const (
	maxChecks = 1000
	maxCount  = 1_000_000
)

// CountUpdateChecks counts what apps said of themselves, for the day on which it is told.
func (s *Server) CountUpdateChecks(ctx context.Context, req *releasesv1.CountUpdateChecksRequest) (*releasesv1.CountUpdateChecksResponse, error) {
	if n := len(req.GetChecks()); n == 0 || n > maxChecks {
		return nil, fault.InvalidField("checks", "The checks must be 1 to 1,000.")
	}
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	counts := map[usage.Check]int64{}
	for _, c := range req.GetChecks() {
		channel := release.Channel(enum.Name(c.GetChannel()))
		if channel == "" || c.GetCount() < 1 || c.GetCount() > maxCount {
			return nil, fault.InvalidField("checks", "Each check must have a channel, and a count from 1 to 1,000,000.")
		}
		counts[usage.Known(usage.Said{Channel: channel, Version: c.GetVersion(), Arch: c.GetArch(), MacOS: c.GetMacosVersion()}, releases)] += c.GetCount()
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	day := s.parts.Clock.Now().UTC().Truncate(24 * time.Hour)
	if err := s.parts.Store.AddUpdateChecks(ctx, day, counts); err != nil {
		return nil, err
	}
	return &releasesv1.CountUpdateChecksResponse{}, nil
}

// GetUsage returns the versions in use.
func (s *Server) GetUsage(ctx context.Context, req *releasesv1.GetUsageRequest) (*releasesv1.GetUsageResponse, error) {
	days := int(req.GetDays())
	if days == 0 {
		days = statsDays
	}
	if days < 0 || days > usage.MaxDays {
		return nil, fault.InvalidField("days", "The days must be a number from 1 to 90.")
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	u, err := usage.Read(ctx, s.parts.Store, s.parts.Clock.Now(), days)
	if err != nil {
		return nil, err
	}
	resp := &releasesv1.GetUsageResponse{Archs: encodeShares(u.Archs), Systems: encodeShares(u.Systems), Channels: encodeShares(u.Channels)}
	for _, d := range u.Days {
		resp.Days = append(resp.Days, &releasesv1.UsageDay{Day: d.Day.Format(time.DateOnly), Versions: encodeShares(d.Versions)})
	}
	return resp, nil
}

func encodeShares(shares []usage.Share) []*releasesv1.Share {
	out := make([]*releasesv1.Share, len(shares))
	for i, s := range shares {
		out[i] = &releasesv1.Share{Name: s.Name, Total: s.Total}
	}
	return out
}
