package traffic

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"fledge.dev/deploy/local/person"
)

// request is one of the mix. All of them may be repeated without harm.
type request struct {
	name string
	run  func(ctx context.Context, s *sender) error
	// page is the path of a page that is opened instead.
	page string
}

// mix deals requests in a fixed order, so that every second is like the other.
type mix struct {
	deck  []request
	dealt int
	joins int
	opts  Options
}

func newMix(opts Options) *mix {
	m := &mix{opts: opts}
	for _, path := range []string{"/", "/profile", "/", "/closed-beta"} {
		m.deck = append(m.deck,
			request{name: "join"},
			read("releases", "/api/get-latest-downloads"), read("plans", "/api/get-plans"),
			request{name: "join"},
			read("keys", "/api/auth/jwks.json"), read("balance", "/api/get-credit-balance"),
			read("waitlist", "/api/get-waitlist-users?limit=10"), read("tickets", "/api/get-support-tickets?limit=10"),
			read("admin", "/api/is-admin"), request{name: "page", page: path},
		)
	}
	if opts.Mail != "" {
		m.deck = append(m.deck, request{name: "approve"})
	}
	return m
}

func (m *mix) next(ledger *ledger) request {
	r := m.deck[m.dealt%len(m.deck)]
	m.dealt++
	if r.name == "approve" {
		if email := ledger.toApprove(); email != "" {
			return approve(email)
		}
		r.name = "join" // nobody is left to approve
	}
	if r.name == "join" {
		m.joins++
		return join(fmt.Sprintf("%s-%d@fledge.test", m.opts.Mark, m.joins))
	}
	return r
}

// read asks with the admin's token.
func read(name, path string) request {
	return request{name: name, run: func(ctx context.Context, s *sender) error {
		return s.admin.Call(ctx, http.MethodGet, path, nil, nil)
	}}
}

func join(email string) request {
	return request{name: "join", run: func(ctx context.Context, s *sender) error {
		visitor := person.NewThrough(s.opts.Site, s.opts.Transport)
		if err := visitor.Call(ctx, http.MethodPost, "/api/add-waitlist-user", map[string]string{"email": email, "source": "hero_section"}, nil); err != nil {
			return err
		}
		s.ledger.joined(email)
		return nil
	}}
}

func approve(email string) request {
	return request{name: "approve", run: func(ctx context.Context, s *sender) error {
		err := s.admin.Approve(ctx, email)
		if err == nil {
			s.ledger.approved(email)
		}
		return err
	}}
}

// load opens a page as a browser does that has kept nothing, with its scripts and styles:
// each of these is a request of its own.
func (s *sender) load(ctx context.Context, path string) {
	var files []string
	s.do(ctx, request{name: "page", run: func(ctx context.Context, s *sender) error {
		text, err := s.file(ctx, path)
		files = filesOf(text)
		return err
	}})
	for _, name := range files {
		s.do(ctx, request{name: "script", run: func(ctx context.Context, s *sender) error {
			_, err := s.file(ctx, name)
			return err
		}})
	}
}

func (s *sender) file(ctx context.Context, path string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(s.opts.Site, "/")+path, nil)
	if err != nil {
		return "", err
	}
	body, err := send(s.opts.Transport, req)
	if err != nil {
		return "", fmt.Errorf("%s %w", path, err)
	}
	return string(body), nil
}

// aFile is an attribute of a page with the address of a script or a style.
var aFile = regexp.MustCompile(`(?:src|href)="(/_next/static/[^"?]+\.(?:js|css))"`)

// filesOf are the scripts and styles of a page, each once.
func filesOf(page string) (paths []string) {
	for _, match := range aFile.FindAllStringSubmatch(page, -1) {
		if !slices.Contains(paths, match[1]) {
			paths = append(paths, match[1])
		}
	}
	return paths
}
