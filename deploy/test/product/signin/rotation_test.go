package signin

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"fledge.dev/deploy/local/link"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/gateway"
	"fledge.dev/services/identity"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

const (
	newInternalToken = "fedcba98765432100123456789abcdef"
	newHookKey       = "0123456789abcdeffedcba9876543210"
	newEncryptionKey = "Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA="
)

// TestSecretsAreReplacedWithoutOneRefusal: two replicas of identity and of the gateway are
// restarted one after the other with each of the three values that the operations guide
// names for a list, while people are served. In the end the old values open nothing.
func TestSecretsAreReplacedWithoutOneRefusal(t *testing.T) {
	if testing.Short() {
		t.Skip("restarts four replicas three times, which takes minutes: `make test-long`")
	}
	r := newReplicated(t)
	ann := r.signedIn("ann@example.test")
	token := ann.session().AccessToken

	for step, value := range []func(old, next string) string{
		func(old, next string) string { return old + "," + next },
		func(old, next string) string { return next + "," + old },
		func(_, next string) string { return next },
	} {
		r.shared["INTERNAL_TOKEN"] = value(internalToken, newInternalToken)
		r.identitySettings["HOOK_KEY"] = value(hookKey, newHookKey)
		r.identitySettings["KEY_ENCRYPTION_KEY"] = value(encryptionKey, newEncryptionKey)
		r.whileServing(ann, token, func(served func()) {
			for i := range r.identities {
				r.restartIdentity(i)
				served()
				r.restartGateway(i)
				served()
			}
		})
		// Kratos has one replica here, so nobody is served while it restarts.
		r.kratosConfig.HookKey = hookKey
		if step > 0 {
			r.kratosConfig.HookKey = newHookKey
		}
		r.restartKratos()
		ben := r.signedIn(fmt.Sprintf("ben%d@example.test", step))
		if got := ben.session().User.Email; got != fmt.Sprintf("ben%d@example.test", step) {
			t.Errorf("after step %d: signed in as %q", step+1, got)
		}
	}

	for _, key := range []string{hookKey, newHookKey} {
		hook := request{method: http.MethodPost, url: "http://" + r.hookAddrs[0] + "/hooks/kratos/guard", header: http.Header{"X-Hook-Key": {key}}}
		if p := ann.send(hook); (p.status == http.StatusUnauthorized) != (key == hookKey) {
			t.Errorf("the hook answers the key %q with %d %s", key, p.status, p.body)
		}
	}
	r.shared["INTERNAL_TOKEN"] = internalToken
	r.restartGateway(0)
	r.restartGateway(1)
	ann.api(http.MethodGet, "/api/auth/session", "").is(t, http.StatusNotFound, "a session with the old INTERNAL_TOKEN")
}

// replicated is a world with two replicas of identity and of the gateway.
type replicated struct {
	*world
	identityAddrs, hookAddrs, gatewayAddrs [2]string
	identities, gateways                   [2]func() // each stops one
	site, hookLink                         *link.Link
}

func newReplicated(t *testing.T) *replicated {
	t.Helper()
	r := &replicated{world: emptyWorld(t)}
	for i := range 2 {
		r.identityAddrs[i], r.hookAddrs[i], r.gatewayAddrs[i] = r.addr(), r.addr(), r.addr()
	}
	r.site, r.hookLink = r.balance(r.gatewayAddrs[:]), r.balance(r.hookAddrs[:])
	r.lead(r.site.Addr(), r.hookLink.Addr())
	// A process that was asked to end goes on taking what was on its way to it.
	r.shared["DRAIN_DELAY"] = "200ms"
	for _, setting := range stacktest.NoLimits() {
		name, value, _ := strings.Cut(setting, "=")
		r.gatewaySettings[name] = value
	}
	for i := range 2 {
		r.startIdentity(i)
	}
	r.startKratos()
	for i := range 2 {
		r.startGateway(i)
	}
	return r
}

// balance returns a link that leads to the targets in turn.
func (r *replicated) balance(targets []string) *link.Link {
	r.t.Helper()
	l, err := link.NewLink(r.t.Context(), r.addr(), targets...)
	errtest.None(r.t, err)
	r.t.Cleanup(func() { _ = l.Close() })
	return l
}

func (r *replicated) startIdentity(i int) {
	r.t.Helper()
	_, r.identities[i] = launch(r.t, "identity", identity.New, r.shared, r.identitySettings,
		map[string]string{"GRPC_ADDR": r.identityAddrs[i], "HOOK_ADDR": r.hookAddrs[i]})
}

func (r *replicated) startGateway(i int) {
	r.t.Helper()
	_, r.gateways[i] = launch(r.t, "gateway", gateway.New, r.shared, r.gatewaySettings,
		map[string]string{"HTTP_ADDR": r.gatewayAddrs[i], "IDENTITY_ADDR": strings.Join(r.identityAddrs[:], ",")})
}

// Whoever leads to a replica learns that it will end before it does.

func (r *replicated) restartIdentity(i int) {
	r.t.Helper()
	r.hookLink.Spare(r.hookAddrs[i])
	r.identities[i]()
	r.startIdentity(i)
	r.hookLink.Use(r.hookAddrs[i])
}

func (r *replicated) restartGateway(i int) {
	r.t.Helper()
	r.site.Spare(r.gatewayAddrs[i])
	r.gateways[i]()
	r.startGateway(i)
	r.site.Use(r.gatewayAddrs[i])
}

func (r *replicated) restartKratos() {
	r.t.Helper()
	errtest.None(r.t, r.kratos.Stop(context.Background()))
	r.kratos = r.start()
}

func (r *replicated) signedIn(email string) *browser {
	r.t.Helper()
	b := r.browser(r.t)
	if p := b.signIn("google", email); !p.isBack() {
		r.t.Fatalf("the sign-in of %s ended at %s", email, p.url)
	}
	return b
}

// whileServing does what it is told while a browser asks for its session, a page for its account,
// a Mac refreshes its tokens, and people sign in, again and again. None may be refused. served
// waits until each of them has had what they want once more.
func (r *replicated) whileServing(b *browser, token string, do func(served func())) {
	r.t.Helper()
	mac := b.mac()
	newcomers := 0
	actions := map[string]func(t testing.TB) string{
		"session": func(t testing.TB) string {
			return strconv.Itoa(r.as(t, b).api(http.MethodGet, "/api/auth/session", "").status)
		},
		"account": func(t testing.TB) string {
			return strconv.Itoa(r.alone(t).api(http.MethodGet, "/api/auth/user", "", "Authorization", "Bearer "+token).status)
		},
		"refresh": func(t testing.TB) string { return strconv.Itoa(r.alone(t).refresh(&mac)) },
		"sign-in": func(t testing.TB) string {
			newcomer, email := r.alone(t), fmt.Sprintf("newcomer%d@example.test", newcomers%10)
			newcomers++
			if p := newcomer.signIn("google", email); !p.isBack() {
				return p.url.String()
			}
			if got := newcomer.session().User.Email; got != email {
				return "signed in as " + got
			}
			return "200"
		},
	}
	var mu sync.Mutex
	answers := map[string]int{}
	count := func(answer string) int {
		mu.Lock()
		defer mu.Unlock()
		return answers[answer]
	}
	done := make(chan struct{})
	var serving sync.WaitGroup
	for name, act := range actions {
		serving.Go(func() {
			for {
				answer := name + " " + attempt(r.t, act)
				mu.Lock()
				answers[answer]++
				mu.Unlock()
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	func() {
		defer serving.Wait()
		defer close(done)
		do(func() {
			for name := range actions {
				before := count(name + " 200")
				// The first may have begun before.
				waittest.Eventually(r.t, name+" succeeds", func() bool { return count(name+" 200") >= before+2 })
			}
		})
	}()
	r.t.Logf("answers during the restarts: %v", answers)
	if len(answers) != len(actions) {
		r.t.Errorf("answers during the restarts: %v", answers)
	}
}

// attempt returns the answer of what is done outside of the test's own goroutine, where nothing may
// end the test: what would is the answer.
func attempt(t *testing.T, act func(t testing.TB) string) (answer string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer = act(&outside{T: t, ended: func(why string) { answer = why }})
	}()
	<-done
	return answer
}

// outside is the test for another goroutine.
type outside struct {
	*testing.T
	ended func(why string)
}

func (o *outside) Fatal(args ...any) {
	o.ended(fmt.Sprint(args...))
	runtime.Goexit()
}

func (o *outside) Fatalf(format string, args ...any) {
	o.ended(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// alone is a browser that keeps no connection.
func (r *replicated) alone(t testing.TB) *browser {
	t.Helper()
	b := r.browser(t)
	b.alone = true
	return b
}

// as is b without its connections.
func (r *replicated) as(t testing.TB, b *browser) *browser {
	t.Helper()
	return &browser{t: t, w: b.w, jar: b.jar, alone: true}
}
