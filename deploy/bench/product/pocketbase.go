package product

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"time"

	"fledge.dev/deploy/local/child"
	"fledge.dev/deploy/local/ports"
	"fledge.dev/deploy/local/prepare"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/state"
)

// The groups that PocketBase is in, and what of ours has a goal beside it.
const (
	lists            = "Lists"
	besidePocketBase = "Sign-up beside PocketBase"
	besideDurable    = "Sign-up beside PocketBase that waits for the disk"
	listWithTotal    = "GET /api/get-waitlist-users, and get-admin-stats for the total"
)

// listed is how many people both lists have, warming how long loads run before they are
// measured.
const (
	listed  = 100_000
	warming = 2 * time.Second
)

// PocketBase's own choice is not to wait for the disk.
const (
	asPocketBaseShips = "NORMAL"
	durable           = "FULL"
)

const (
	ourPage  = "/api/get-waitlist-users?limit=50"
	ourTotal = "/api/get-admin-stats"
)

// lists are pages of the newest 50 with their total.
func (b *bench) lists(ctx context.Context) (Group, error) {
	theirs, err := b.fillLists(ctx)
	if err != nil {
		return Group{}, err
	}
	ours := b.ourPage()
	ours.Also = ourTotal
	return b.warm(ctx, Group{Name: lists, Loads: []Load{
		b.wrk.load("PocketBase: 50 records with their total", request{Method: http.MethodGet, URL: theirs}),
		b.wrk.load(listWithTotal, ours),
	}})
}

// pages are the same without the total.
func (b *bench) pages(ctx context.Context) (Group, error) {
	theirs, err := b.fillLists(ctx)
	if err != nil {
		return Group{}, err
	}
	return b.warm(ctx, Group{Name: lists + ", without a total", Loads: []Load{
		b.wrk.load("PocketBase: 50 records, skipTotal", request{Method: http.MethodGet, URL: theirs + "&skipTotal=1"}),
		b.wrk.load("GET /api/get-waitlist-users", b.ourPage()),
	}})
}

func (b *bench) ourPage() request {
	return request{Method: http.MethodGet, URL: b.product.GatewayURL() + ourPage, Tokens: []string{bearer(b.product.admin)}}
}

// warm does each load once, so that no side opens its connections to its database
// while it is measured.
func (b *bench) warm(ctx context.Context, g Group) (Group, error) {
	for _, load := range g.Loads {
		if _, err := load.run(ctx, warming, func() map[string]time.Duration { return nil }); err != nil {
			return g, err
		}
	}
	return g, nil
}

// fillLists gives both sides as many people and returns where PocketBase lists them.
func (b *bench) fillLists(ctx context.Context) (theirs string, err error) {
	records, err := b.startPocketBase(ctx, asPocketBaseShips)
	if err != nil {
		return "", err
	}
	// Delete the rows of other groups.
	if err := errors.Join(b.drained(ctx), b.product.execute(ctx, "TRUNCATE waitlist_users")); err != nil {
		return "", err
	}
	if err := errors.Join(b.grow(ctx, listed), b.product.admin.Renew(ctx)); err != nil {
		return "", err
	}
	theirs = records + "?page=1&perPage=50&sort=-created"
	return theirs, b.sameLists(ctx, theirs)
}

// sameLists fails unless both sides answer what the comparison is about.
func (b *bench) sameLists(ctx context.Context, theirs string) error {
	content, err := fetch(ctx, theirs)
	if err != nil {
		return err
	}
	items, of, err := readRecords(content)
	if err != nil {
		return err
	}
	var list struct{ Data []json.RawMessage }
	var figures struct{ Waitlist struct{ Total int } }
	err = errors.Join(b.product.admin.Call(ctx, http.MethodGet, ourPage, nil, &list), b.product.admin.Call(ctx, http.MethodGet, ourTotal, nil, &figures))
	if err == nil && (items != len(list.Data) || of != listed || figures.Waitlist.Total != listed) {
		err = fmt.Errorf("PocketBase lists %d of %d, the product %d of %d", items, of, len(list.Data), figures.Waitlist.Total)
	}
	return err
}

// readRecords counts the records of a page of PocketBase's, and reads how many there are.
func readRecords(content []byte) (items, total int, err error) {
	var page struct {
		Items      []json.RawMessage
		TotalItems int
	}
	err = json.Unmarshal(content, &page)
	return len(page.Items), page.TotalItems, err
}

func (b *bench) besidePocketBase(ctx context.Context) (Group, error) {
	return b.signUpBeside(ctx, besidePocketBase, asPocketBaseShips)
}

func (b *bench) besideDurable(ctx context.Context) (Group, error) {
	return b.signUpBeside(ctx, besideDurable, durable)
}

// signUpBeside is the sign-up beside a PocketBase that people are added to.
func (b *bench) signUpBeside(ctx context.Context, name, synchronous string) (Group, error) {
	records, err := b.startPocketBase(ctx, synchronous)
	if err != nil {
		return Group{}, err
	}
	if err := b.grow(ctx, listed); err != nil {
		return Group{}, err
	}
	ours := b.wrk.load(signUpRoute, b.signUpRequest(clients))
	ours.After = b.drained // PocketBase has the machine to itself, too
	return b.warm(ctx, Group{Name: name, Loads: []Load{
		b.wrk.load("PocketBase: create, synchronous="+synchronous, request{
			Method: http.MethodPost, URL: records, Body: `{"email":"%s@bench.test","source":"hero_section","status":"pending"}`,
		}),
		ours,
	}})
}

// startPocketBase builds it, starts it with a list of its own, as long as ours, and
// returns where its records are.
func (b *bench) startPocketBase(ctx context.Context, synchronous string) (string, error) {
	shared, err := state.Open(filepath.Join(b.opts.Product.Root, ".local"))
	if err != nil {
		return "", err
	}
	program, err := prepare.New(b.opts.Product.Root, shared, b.opts.Product.Progress).PocketBase(ctx)
	if err != nil {
		return "", err
	}
	port, err := b.ports.Port()
	if err != nil {
		return "", err
	}
	dir, address := filepath.Join(b.opts.Scratch, fmt.Sprintf("pocketbase-%d", len(b.peers))), ports.Loopback(port)
	process, err := child.Start(child.Spec{
		Name: "pocketbase", Path: program, Args: []string{dir, address, synchronous, strconv.Itoa(listed)}, LogFile: dir + ".log",
	})
	if err != nil {
		return "", err
	}
	b.peers = append(b.peers, process)
	b.product.peers[process.PID()] = "pocketbase"
	return "http://" + address + "/api/collections/waitlist_users/records",
		ready.HTTP(ctx, "http://"+address+"/api/health", http.StatusOK, process.Done(), time.Minute)
}

func (b *bench) stopPeers(ctx context.Context) (err error) {
	for _, peer := range b.peers {
		err = errors.Join(err, peer.Stop(context.WithoutCancel(ctx)))
	}
	return err
}
