package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"fledge.dev/deploy/local/person"
)

// The kinds of writes.
const (
	Join    = "join the waitlist"
	Approve = "approve"
)

// Site is a product as visitors and an admin see it. All that they do may be repeated
// without harm.
type Site struct {
	Origin  string
	Through http.RoundTripper
	Admin   *person.Person

	mu      sync.Mutex
	waiting []string // joined, not approved
}

// Open has an admin sign in.
func Open(ctx context.Context, origin, admin string, through http.RoundTripper) (*Site, error) {
	s := &Site{Origin: origin, Through: through, Admin: person.NewThrough(origin, through)}
	return s, s.Admin.SignIn(ctx, admin)
}

// Visitors is the product's everyday: sign-ups, pages, an admin at work, and approvals
// where they are wanted. Everybody's address begins with mark.
func (s *Site) Visitors(mark string, approvals bool) Mix {
	var deck []Mix
	for _, page := range []string{"/", "/profile", "/", "/closed-beta"} {
		deck = append(deck, s.Join(mark), Read(s.Admin, "/api/get-latest-downloads"), Read(s.Admin, "/api/get-plans"), s.Join(mark),
			Read(s.Admin, "/api/auth/jwks.json"), Read(s.Admin, "/api/get-credit-balance"), Read(s.Admin, "/api/get-waitlist-users?limit=10"),
			Read(s.Admin, "/api/get-support-tickets?limit=10"), Read(s.Admin, "/api/is-admin"), s.Page(page))
	}
	if approvals {
		deck = append(deck, s.Approve(mark))
	}
	return Deck(append(deck, Renew(s.Admin))...) // an access token lives ten minutes
}

// Join is a visitor's sign-up, with an address of its own.
func (s *Site) Join(mark string) Mix {
	return func(n int) Request {
		email := fmt.Sprintf("%s-%d@fledge.test", mark, n)
		return Request{Name: Join, Key: email, Do: func(ctx context.Context) error {
			visitor := person.NewThrough(s.Origin, s.Through)
			err := visitor.Call(ctx, http.MethodPost, "/api/add-waitlist-user", map[string]string{"email": email, "source": "hero_section"}, nil)
			if err == nil {
				s.mu.Lock()
				s.waiting = append(s.waiting, email)
				s.mu.Unlock()
			}
			return err
		}}
	}
}

// Approve lets in who waits longest. While nobody waits, somebody joins.
func (s *Site) Approve(mark string) Mix {
	return func(n int) Request {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.waiting) == 0 {
			return s.Join(mark)(n)
		}
		email := s.waiting[0]
		s.waiting = s.waiting[1:]
		return Request{Name: Approve, Key: email, Do: func(ctx context.Context) error { return s.Admin.Approve(ctx, email) }}
	}
}

// Read asks for a path as somebody does.
func Read(who *person.Person, path string) Mix {
	return func(int) Request {
		return Request{Name: path, Do: func(ctx context.Context) error { return who.Call(ctx, http.MethodGet, path, nil, nil) }}
	}
}

// Renew takes a new access token.
func Renew(who *person.Person) Mix {
	return func(int) Request { return Request{Name: "renew a session", Do: who.Renew} }
}

// aFile is an attribute of a page with the address of a script or a style.
var aFile = regexp.MustCompile(`(?:src|href)="(/_next/static/[^"?]+\.(?:js|css))"`)

// Page opens a page as a browser does that has kept nothing, with its scripts and styles.
func (s *Site) Page(path string) Mix {
	return func(int) Request {
		return Request{Name: path, Do: func(ctx context.Context) error {
			page, err := fetch(ctx, s.Through, s.Origin+path)
			if err != nil {
				return err
			}
			var files []string
			for _, match := range aFile.FindAllSubmatch(page, -1) {
				files = append(files, string(match[1]))
			}
			slices.Sort(files)
			for _, file := range slices.Compact(files) {
				if _, err := fetch(ctx, s.Through, s.Origin+file); err != nil {
					return err
				}
			}
			return nil
		}}
	}
}

// Emails counts the copies of each email in the mail stand-in's box, by recipient and
// Message-ID. A sender that crashes after the mail server's yes sends the same email again
// with the same id, which mail programs show once.
func Emails(ctx context.Context, through http.RoundTripper, mail string) (map[string]map[string]int, error) {
	page, err := fetch(ctx, through, mail+"/messages")
	if err != nil {
		return nil, err
	}
	var list struct {
		Messages []struct {
			ID string   `json:"message_id"`
			To []string `json:"to"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(page, &list); err != nil {
		return nil, err
	}
	copies := map[string]map[string]int{}
	for _, m := range list.Messages {
		for _, to := range m.To {
			if copies[to] == nil {
				copies[to] = map[string]int{}
			}
			copies[to][m.ID]++
		}
	}
	return copies, nil
}

func fetch(ctx context.Context, through http.RoundTripper, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if through == nil {
		through = http.DefaultTransport
	}
	resp, err := through.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, &person.APIError{Status: resp.StatusCode, Message: req.URL.Path}
	}
	return body, nil
}

// ByWayOf is a transport that connects to addr whatever name it is asked for, as a front
// door has many; "" resolves names as usual. It has a connection for each request under way.
func ByWayOf(addr string) http.RoundTripper {
	t := &http.Transport{MaxIdleConnsPerHost: 1000, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true}
	if addr != "" {
		t.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{Timeout: defaultTimeout}).DialContext(ctx, network, addr)
		}
	}
	return t
}
