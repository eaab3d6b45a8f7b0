package releases

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/mod/semver"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/rollout"
	"fledge.dev/services/platform/ttlcache"
)

const (
	// offersAge is how old the cached offers may be. The service's own answer is at most
	// 0.4 s old, too, and changes by staff must show within one.
	offersAge = 400 * time.Millisecond
	// offersTimeout is how long a load may take. No older offers are served meanwhile.
	offersTimeout = 2 * time.Second
)

// offers caches what is on offer, encoded as it is sent.
type offers struct {
	downloads *ttlcache.Value[*entity]
	feeds     map[releasesv1.Channel]*ttlcache.Value[[]feed]
}

// feed is the update feed of the apps whose rollout number is below reach.
type feed struct {
	*entity
	reach  int64
	update *releasesv1.Update // nil for none
	notes  []*releasesv1.ReleaseNotes
}

func newOffers(releases releasesv1.ReleasesServiceClient, clk clock.Clock) *offers {
	o := &offers{
		feeds: map[releasesv1.Channel]*ttlcache.Value[[]feed]{},
		downloads: ttlcache.New(clk, offersAge, func(ctx context.Context) (*entity, error) {
			ctx, cancel := context.WithTimeout(ctx, offersTimeout)
			defer cancel()
			resp, err := releases.GetLatestDownloads(ctx, &releasesv1.GetLatestDownloadsRequest{})
			if err != nil {
				return nil, err
			}
			body, err := json.Marshal(downloadsOf(resp.GetDownloads()))
			return newEntity("application/json; charset=utf-8", body), err
		}),
	}
	for _, channel := range []releasesv1.Channel{releasesv1.Channel_CHANNEL_STABLE, releasesv1.Channel_CHANNEL_BETA, releasesv1.Channel_CHANNEL_ALPHA} {
		o.feeds[channel] = ttlcache.New(clk, offersAge, func(ctx context.Context) ([]feed, error) {
			ctx, cancel := context.WithTimeout(ctx, offersTimeout)
			defer cancel()
			resp, err := releases.ListUpdates(ctx, &releasesv1.ListUpdatesRequest{Channel: channel})
			if err != nil {
				return nil, err
			}
			var feeds []feed
			for _, u := range append(resp.GetUpdates(), &releasesv1.ReachingUpdate{Reach: rollout.Everybody}) {
				feeds = append(feeds, feed{feedEntity(u.GetUpdate(), nil), u.GetReach(), u.GetUpdate(), resp.GetNotes()})
			}
			return feeds, nil
		})
	}
	return o
}

// changed makes a change through this replica show here at once.
func (o *offers) changed() {
	o.downloads.Drop()
	for _, feeds := range o.feeds {
		feeds.Drop()
	}
}

// feedFor is the feed of an app by its staging id, with the notes since the version that it
// says it has, if it says any.
func feedFor(feeds []feed, stagingID, installed string) *entity {
	for _, f := range feeds {
		if rollout.Reaches(f.reach, stagingID) {
			return f.since(installed)
		}
	}
	return nil // never: the last one is everybody's
}

func (f feed) since(installed string) *entity {
	if !semver.IsValid("v" + installed) {
		return f.entity
	}
	var missed []*releasesv1.ReleaseNotes
	for _, n := range f.notes {
		if version := "v" + n.GetVersion(); semver.Compare(version, "v"+f.update.GetVersion()) <= 0 && semver.Compare(version, "v"+installed) > 0 {
			missed = append(missed, n)
		}
	}
	if len(missed) == 0 {
		return f.entity
	}
	return feedEntity(f.update, missed)
}

func feedEntity(u *releasesv1.Update, missed []*releasesv1.ReleaseNotes) *entity {
	return newEntity("application/yaml", []byte(feedOf(u, missed)))
}

// entity is an encoded answer and its ETag.
type entity struct {
	contentType string
	body        []byte
	tag         string
}

func newEntity(contentType string, body []byte) *entity {
	sum := sha256.Sum256(body)
	return &entity{contentType, body, `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`}
}

// send answers the entity, or 304 to a client that has it. Clients may store it, and must
// revalidate it each time.
func (e *entity) send(c *gin.Context) {
	c.Header("Cache-Control", "no-cache")
	c.Header("ETag", e.tag)
	if e.isAmong(c.Request.Header.Values("If-None-Match")) {
		c.Status(http.StatusNotModified)
		return
	}
	c.Data(http.StatusOK, e.contentType, e.body)
}

// isAmong compares weakly (RFC 9110 section 13.1.2). Our tags hold no comma, so that a
// foreign tag with one cannot match.
func (e *entity) isAmong(lines []string) bool {
	for _, line := range lines {
		for tag := range strings.SplitSeq(line, ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == e.tag {
				return true
			}
		}
	}
	return false
}
