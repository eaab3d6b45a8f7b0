package api

import (
	"context"
	"time"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/downloads"
)

const (
	statsDays    = 30
	maxStatsDays = 365
)

// GetDownloadStats returns the downloads of some days and of every version.
func (s *Server) GetDownloadStats(ctx context.Context, req *releasesv1.GetDownloadStatsRequest) (*releasesv1.GetDownloadStatsResponse, error) {
	days := int(req.GetDays())
	if days == 0 {
		days = statsDays
	}
	if days < 0 || days > maxStatsDays {
		return nil, fault.InvalidField("days", "The days must be a number from 1 to 365.")
	}
	stats, err := s.read(ctx, days)
	if err != nil {
		return nil, err
	}
	return &releasesv1.GetDownloadStatsResponse{Days: encodeDays(stats.Days), Versions: encodeVersions(stats.Versions)}, nil
}

// GetStats returns this service's part of the Overview.
func (s *Server) GetStats(ctx context.Context, _ *releasesv1.GetStatsRequest) (*releasesv1.GetStatsResponse, error) {
	stats, err := s.read(ctx, statsDays)
	if err != nil {
		return nil, err
	}
	return &releasesv1.GetStatsResponse{Total: stats.Total, Days: encodeDays(stats.Days), Versions: encodeVersions(stats.Versions)}, nil
}

func (s *Server) read(ctx context.Context, days int) (downloads.Stats, error) {
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	return downloads.Read(ctx, s.parts.Store, s.parts.Clock.Now(), days)
}

func encodeDays(days []downloads.Day) []*releasesv1.DayDownloads {
	out := make([]*releasesv1.DayDownloads, len(days))
	for i, d := range days {
		out[i] = &releasesv1.DayDownloads{Day: d.Day.Format(time.DateOnly), Total: d.Total}
	}
	return out
}

func encodeVersions(versions []downloads.Version) []*releasesv1.VersionDownloads {
	out := make([]*releasesv1.VersionDownloads, len(versions))
	for i, v := range versions {
		out[i] = &releasesv1.VersionDownloads{Version: string(v.Version), Total: v.Total, Arm64: v.Arm64, X64: v.X64}
	}
	return out
}
