package stack

import (
	"context"
	"errors"

	"fledge.dev/deploy/local/link"
)

// edge is the link from one part to another.
type edge struct {
	from, to string
	*link.Link
}

// via is where an instance finds a part that listens at addr: there, or with Linked at
// the end of a link.
func (s *Stack) via(from, to, addr string) string {
	if !s.opts.Linked {
		return addr
	}
	return s.link(from, to, addr)
}

// balanced is one address for several: the address itself when it is the only one.
func (s *Stack) balanced(from, to string, addresses ...string) string {
	if len(addresses) == 1 {
		return s.via(from, to, addresses[0])
	}
	return s.link(from, to, addresses...)
}

// link makes a link, the first time that it is asked for.
func (s *Stack) link(from, to string, targets ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := from + ">" + to + ">" + targets[0]
	if l, made := s.links[key]; made {
		return l.Addr()
	}
	l, err := link.NewLink(context.Background(), "127.0.0.1:0", targets...)
	if err != nil {
		s.fail(err)
		return targets[0]
	}
	s.links[key] = edge{from, to, l}
	return l.Addr()
}

// Links are those between two parts, which only a stack that is Linked has. A part is an
// instance ("billing-2"), a service ("billing", which means all of its instances), "nats",
// "postgres", "kratos", "github", "stripe" or "mail"; "" is any.
func (s *Stack) Links(from, to string) (found link.Links) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(part, wanted string) bool { return wanted == "" || part == wanted || serviceOf(part) == wanted }
	for _, l := range s.links {
		if is(l.from, from) && is(l.to, to) {
			found = append(found, l.Link)
		}
	}
	return found
}

func (s *Stack) closeLinks() error {
	var errs []error
	for _, l := range s.links {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}
