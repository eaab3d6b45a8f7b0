package caddy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fledge.dev/deploy/local/caddy"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// proxiedDoor is a front door behind a proxy that tells of the clients, with a gateway that takes everything.
type proxiedDoor struct {
	address, ops string
}

func newProxiedDoor(t *testing.T, settings ...string) proxiedDoor {
	t.Helper()
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(gateway.Close)
	var c proxiedDoor
	origin := door(t, strings.TrimPrefix(gateway.URL, "http://"), func(o *caddy.Options) {
		o.Settings = append(o.Settings, append(settings, "FLEDGE_TRUSTED_PROXIES=127.0.0.0/8")...)
		c.ops = fmt.Sprintf("http://127.0.0.1:%d/metrics", o.OpsPort)
	})
	c.address = "127.0.0.1:" + origin[strings.LastIndex(origin, ":")+1:]
	return c
}

// send sends what is there of a body that was announced as longer or not.
func (c proxiedDoor) send(client string, announced int, body string) (net.Conn, error) {
	conn, err := net.Dial("tcp", c.address)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(waittest.Timeout))
	// Who is refused may not be read to the end: the answer counts.
	_, _ = fmt.Fprintf(conn, "POST /api/join-waitlist HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", client, announced, body)
	return conn, nil
}

// post is send, and reads the answer.
func (c proxiedDoor) post(client string, announced int, body string) (status int, retryAfter string, err error) {
	conn, err := c.send(client, announced, body)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = conn.Close() }()
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, "", err
	}
	_ = answer.Body.Close()
	return answer.StatusCode, answer.Header.Get("Retry-After"), nil
}

func (c proxiedDoor) metric(t *testing.T, name string) float64 {
	t.Helper()
	all := get(t, http.MethodGet, c.ops, http.Header{"Host": {"10.244.0.9:9090"}})
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(all.text)
	if found == nil {
		t.Fatalf("there is no metric %s", name)
	}
	value, err := strconv.ParseFloat(found[1], 64)
	errtest.None(t, err)
	return value
}

// TestAThousandSlowBodiesFillNoMemory, and keep no request of the ordinary size out. Nearly
// all of each body is there, from forty addresses.
func TestAThousandSlowBodiesFillNoMemory(t *testing.T) {
	c := newProxiedDoor(t, "FLEDGE_BODY_MEMORY=4MiB")
	const announced = 64 << 10
	most := strings.Repeat("x", announced-1)
	statuses := make(chan int, 1000)
	before := c.metric(t, "go_memstats_heap_inuse_bytes")
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			// A connection that is reset because nobody reads the rest says nothing.
			status, _, _ := c.post(fmt.Sprintf("192.0.2.%d", i%40), announced, most)
			statuses <- status
		})
	}
	waittest.Eventually(t, "bodies are refused", func() bool { return c.metric(t, `fledge_door_bodies_refused_total{of="all"}`) > 0 })
	for i := range 20 {
		if status, _, err := c.post(fmt.Sprintf("198.51.100.%d", i), 2, "{}"); status != http.StatusAccepted {
			t.Errorf("an ordinary request: %d, %v", status, err)
		}
	}
	peak := c.metric(t, "go_memstats_heap_inuse_bytes")
	wg.Wait()
	close(statuses)
	count := map[int]int{}
	for s := range statuses {
		count[s]++
	}
	t.Logf("answers %v; heap %.1f MiB before, %.1f MiB with them", count, before/(1<<20), peak/(1<<20))
	if grown := peak - before; grown > 48<<20 {
		t.Errorf("the heap grew by %.1f MiB", grown/(1<<20))
	}
	// Everything was given back.
	if status, _, err := c.post("192.0.2.1", announced, most+"x"); status != http.StatusAccepted {
		t.Errorf("a long body afterwards: %d, %v", status, err)
	}
}

// TestOneAddressGetsAPartOfThePlaces: the refusal is its own, and no outage.
func TestOneAddressGetsAPartOfThePlaces(t *testing.T) {
	c := newProxiedDoor(t, "FLEDGE_BODIES=1280")
	type answer struct {
		status int
		retry  string
	}
	answers := make(chan answer, 60)
	for i := range cap(answers) {
		go func() {
			// All of them are in one /64.
			status, retry, _ := c.post(fmt.Sprintf("2001:db8::%x", i), 100, "{")
			answers <- answer{status, retry}
		}()
	}
	refused, slow := answer{http.StatusTooManyRequests, "1"}, answer{status: http.StatusRequestTimeout}
	count, received := map[answer]int{}, 0
	receive := func() {
		count[<-answers]++
		received++
	}
	for count[refused] == 0 {
		receive()
	}
	for _, other := range []string{"2001:db8:0:1::1", "192.0.2.1"} {
		if status, _, err := c.post(other, 2, "{}"); status != http.StatusAccepted {
			t.Errorf("%s: %d, %v", other, status, err)
		}
	}
	for received < cap(answers) {
		receive()
	}
	if count[refused]+count[slow] != cap(answers) || count[slow] < 20 {
		t.Errorf("answered %v", count)
	}
	if n := c.metric(t, `fledge_door_bodies_refused_total{of="client"}`); n != float64(count[refused]) {
		t.Errorf("counted %v of %v", n, count)
	}
}

// TestTheDoorCapsTheGatewaysClient: not whom a client names before itself, and no translator with all that it translates.
func TestTheDoorCapsTheGatewaysClient(t *testing.T) {
	c := newProxiedDoor(t)
	for name, tc := range map[string]struct{ slow, other string }{
		"IPv6 in brackets":           {"198.51.100.%d, [2001:db8::7]:53211", "[2001:db8:0:1::7]:53211"},
		"a proxy's IPv4 inside IPv6": {"198.51.100.%d, 203.0.113.7, ::ffff:127.0.0.1", "203.0.113.8, ::ffff:127.0.0.1"},
		"IPv4 translated to IPv6":    {"198.51.100.%d, 64:ff9b::c000:201", "64:ff9b::c000:202"},
	} {
		t.Run(name, func(t *testing.T) {
			statuses := make(chan int, 60)
			for i := range cap(statuses) {
				go func() {
					status, _, _ := c.post(fmt.Sprintf(tc.slow, i), 100, "{")
					statuses <- status
				}()
			}
			received, refused := 0, false
			for received < cap(statuses) && !refused {
				refused = <-statuses == http.StatusTooManyRequests
				received++
			}
			if !refused {
				t.Error("all of a client's slow bodies were let in")
			}
			if status, _, err := c.post(tc.other, 2, "{}"); status != http.StatusAccepted {
				t.Errorf("somebody else: %d, %v", status, err)
			}
			for ; received < cap(statuses); received++ {
				<-statuses
			}
		})
	}
}

// TestAFewAddressesDoNotFillAllPlaces, nor does a home's line of IPv6, though either sends a slow body for each place.
func TestAFewAddressesDoNotFillAllPlaces(t *testing.T) {
	c := newProxiedDoor(t)
	for of, few := range map[string]struct {
		clients, bodies int
		address         string
	}{
		"12 addresses":        {12, 171, "192.0.2.%d"},
		"8 networks of a /56": {8, 256, "2001:db8:0:%d::1"},
	} {
		refused := func() float64 { return c.metric(t, `fledge_door_bodies_refused_total{of="client"}`) }
		before := refused()
		var slow []net.Conn
		for i := range few.clients * few.bodies {
			conn, err := c.send(fmt.Sprintf(few.address, i%few.clients), 100, "{")
			errtest.None(t, err)
			slow = append(slow, conn)
		}
		waittest.Eventually(t, "some of "+of+" are refused", func() bool { return refused() > before })
		for i := range 20 {
			if status, _, err := c.post(fmt.Sprintf("198.51.100.%d", i), 2, "{}"); status != http.StatusAccepted {
				t.Errorf("%s: an ordinary request beside them: %d, %v", of, status, err)
			}
		}
		for _, conn := range slow {
			_ = conn.Close()
		}
	}
	if n := c.metric(t, `fledge_door_bodies_refused_total{of="all"}`); n > 0 {
		t.Errorf("%v were refused because all places were taken", n)
	}
}

// TestAnAudienceBehindOneAddressIsLetIn: a body that is there at once needs a place for no time.
func TestAnAudienceBehindOneAddressIsLetIn(t *testing.T) {
	c := newProxiedDoor(t)
	var wg sync.WaitGroup
	for range 80 {
		wg.Go(func() {
			if status, _, err := c.post("192.0.2.1", 2, "{}"); status != http.StatusAccepted {
				t.Errorf("%d, %v", status, err)
			}
		})
	}
	wg.Wait()
}
