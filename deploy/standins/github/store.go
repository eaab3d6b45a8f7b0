package github

import (
	"slices"
	"sync"
)

// Ids are GitHub-sized, so that nothing downstream can rely on small numbers.
const (
	firstReleaseID = 171_000_001
	firstAssetID   = 262_000_001
)

// store holds the releases in memory, in the order GitHub lists them: newest first.
type store struct {
	mu        sync.Mutex
	releases  []Release
	releaseID int64
	assetID   int64
}

func newStore(releases []Release) *store {
	s := &store{releaseID: firstReleaseID, assetID: firstAssetID}
	// Oldest first, as GitHub would have numbered them.
	for _, r := range slices.Backward(releases) {
		s.put(r)
	}
	return s
}

func (s *store) put(r Release) Release {
	s.mu.Lock()
	defer s.mu.Unlock()
	r = r.clone()
	if r.ID == 0 {
		r.ID = s.releaseID
		s.releaseID++
	}
	for i := range r.Assets {
		if r.Assets[i].ID == 0 {
			r.Assets[i].ID = s.assetID
			s.assetID++
		}
		if r.Assets[i].State == "" {
			r.Assets[i].State = stateUploaded
		}
	}
	if i := s.index(r.ID); i >= 0 {
		s.releases[i] = r
	} else {
		s.releases = slices.Insert(s.releases, 0, r)
	}
	return r.clone()
}

func (s *store) remove(id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(id)
	if i < 0 {
		return false
	}
	s.releases = slices.Delete(s.releases, i, i+1)
	return true
}

func (s *store) all() []Release {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Release, len(s.releases))
	for i, r := range s.releases {
		out[i] = r.clone()
	}
	return out
}

// take returns the uploaded asset that matches, counting the fetch if asked to.
func (s *store) take(count bool, match func(Release, Asset) bool) (Asset, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.releases {
		for i, a := range r.Assets {
			if a.State == stateUploaded && match(r, a) {
				if count {
					r.Assets[i].Downloads++
				}
				return r.Assets[i], true
			}
		}
	}
	return Asset{}, false
}

func (s *store) index(id int64) int {
	return slices.IndexFunc(s.releases, func(r Release) bool { return r.ID == id })
}

// Releases returns a copy of what the stand-in serves, newest first.
func (s *Server) Releases() []Release { return s.store.all() }

// Put adds a release as the newest, or replaces the one with the same ID. It
// returns the release with its ids filled in.
func (s *Server) Put(r Release) Release { return s.store.put(r) }

// Remove deletes a release and says whether it was there.
func (s *Server) Remove(id int64) bool { return s.store.remove(id) }
