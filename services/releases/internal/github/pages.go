package github

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	gogithub "github.com/google/go-github/v84/github"

	"fledge.dev/services/releases/internal/mirror"
)

// pages reads the pages in turn; complete is false if there are more. What moved on to the next page while they
// were read is in found once.
func (c *Client) pages(ctx context.Context, api *gogithub.Client) (found []*gogithub.RepositoryRelease, complete bool, err error) {
	opts := &gogithub.ListOptions{PerPage: perPage, Page: 1}
	announced := false
	seen := map[int64]bool{}
	for range maxPages {
		page, resp, err := api.Repositories.ListReleases(ctx, c.repo.Owner, c.repo.Name, opts)
		if err != nil {
			return nil, false, c.classify("list releases", c.repo.String(), err)
		}
		if page == nil {
			return nil, false, errNoList
		}
		if announced && len(page) == 0 {
			return nil, false, errEmptyPage
		}
		for _, r := range page {
			if !seen[r.GetID()] || r.GetID() <= 0 {
				seen[r.GetID()] = true
				found = append(found, r)
			}
		}
		// After a full page there may be more even if the answer does not say so: a proxy may have dropped its Link.
		announced = resp.NextPage > 0
		if complete = !announced && len(page) < perPage; complete {
			break
		}
		opts.Page++
	}
	return found, complete, nil
}

// settled reads the pages, and again when a release that was known is not found: one that is deleted while they are
// read has the next page's first move to a page that was read before. It fails unless two in a row are the same.
func (c *Client) settled(ctx context.Context, api *gogithub.Client, known []mirror.Page) (found []*gogithub.RepositoryRelease, complete bool, err error) {
	found, complete, err = c.pages(ctx, api)
	ids := idsOf(found)
	lost := slices.ContainsFunc(knownIDs(known), func(id int64) bool { return !slices.Contains(ids, id) })
	for reads := 1; err == nil && lost; reads++ {
		if reads == maxReads {
			return nil, false, errShifts
		}
		before := ids
		found, complete, err = c.pages(ctx, api)
		ids = idsOf(found)
		lost = !slices.Equal(ids, before)
	}
	return found, complete, err
}

// maxReads is how often the pages are read in one look at most; those that have not changed cost little.
const maxReads = 3

func idsOf(found []*gogithub.RepositoryRelease) []int64 {
	ids := make([]int64, len(found))
	for i, r := range found {
		ids[i] = r.GetID()
	}
	return ids
}

// knownIDs are those of the releases on the pages; other answers have none.
func knownIDs(known []mirror.Page) (ids []int64) {
	for _, page := range known {
		var releases []*gogithub.RepositoryRelease
		if json.Unmarshal(page.Body, &releases) == nil {
			ids = append(ids, idsOf(releases)...)
		}
	}
	return ids
}

// until is when the last of them was created, by which GitHub orders its list. It is the zero time if
// none was, or they are in another order.
func until(found []*gogithub.RepositoryRelease) (at time.Time) {
	for _, r := range found {
		switch created := r.GetCreatedAt().UTC(); {
		case r.GetDraft(): // not in that order
		case created.IsZero(), !at.IsZero() && created.After(at):
			return time.Time{}
		default:
			at = created
		}
	}
	return at
}
