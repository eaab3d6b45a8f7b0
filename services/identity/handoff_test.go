package identity_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

const callback = "http://127.0.0.1:49152/auth/callback"

func pkce() (verifier, challenge string) {
	verifier = rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	return verifier, base64.RawURLEncoding.EncodeToString(sum[:])
}

// grant mints a code in a browser and returns what an app needs to trade it.
func (r *rig) grant(browser *identityv1.Session) *identityv1.ExchangeHandOffCodeRequest {
	r.t.Helper()
	verifier, challenge := pkce()
	resp, err := r.CreateHandOffCode(r.as(browser), &identityv1.CreateHandOffCodeRequest{Callback: callback, CodeChallenge: challenge})
	errtest.None(r.t, err)
	if resp.GetExpiresIn() != 60 || len(resp.GetCode()) != 43 {
		r.t.Errorf("a code of %d characters for %d s", len(resp.GetCode()), resp.GetExpiresIn())
	}
	return &identityv1.ExchangeHandOffCodeRequest{
		Code: resp.GetCode(), CodeVerifier: verifier, Callback: callback,
		Device: &identityv1.Device{Name: "Ann's MacBook", UserAgent: "Fledge/1.0", IpAddress: "192.0.2.1"},
	}
}

func (r *rig) mac(browser *identityv1.Session) *identityv1.Session {
	r.t.Helper()
	resp, err := r.ExchangeHandOffCode(r.t.Context(), r.grant(browser))
	errtest.None(r.t, err)
	return resp.GetSession()
}

func TestFromBrowserToMacAndBack(t *testing.T) {
	r := newRig(t)
	cookie := r.kratos.signIn("ann@example.com", true)
	browser := r.session(cookie)
	grant := r.grant(browser)
	resp, err := r.ExchangeHandOffCode(t.Context(), grant)
	errtest.None(t, err)
	mac := resp.GetSession()
	if _, err := r.CreateHandOffCode(r.as(mac), &identityv1.CreateHandOffCodeRequest{Callback: callback, CodeChallenge: strings.Repeat("A", 43)}); !errors.Is(err, fault.Forbidden) {
		t.Errorf("a Mac mints codes: %v", err)
	}
	list, err := r.ListDevices(r.as(mac), &identityv1.ListDevicesRequest{})
	if err != nil || len(list.GetDevices()) != 2 {
		t.Fatalf("devices %v, %v", list, err)
	}
	i := slices.IndexFunc(list.GetDevices(), func(d *identityv1.SignedInDevice) bool { return d.GetKind() == identityv1.DeviceKind_DEVICE_KIND_MAC })
	if i < 0 {
		t.Fatalf("no Mac in %v", list)
	}
	d, other := list.GetDevices()[i], list.GetDevices()[1-i]
	if !d.GetCurrent() || d.GetDevice().GetName() != "Ann's MacBook" || d.GetDevice().GetIpAddress() != "192.0.2.1" || d.GetId() != r.principal(mac).SessionID ||
		d.GetCreatedAt().AsTime().IsZero() || d.GetLastActiveAt().AsTime().Second() != 0 {
		t.Errorf("the Mac is listed as %v", d)
	}
	if other.GetCurrent() || other.GetKind() != identityv1.DeviceKind_DEVICE_KIND_BROWSER || other.GetDevice().GetUserAgent() != "test" {
		t.Errorf("the browser is listed as %v", other)
	}
	for id, kind := range map[string]fault.Kind{uuid.NewString(): fault.NotFound, "": fault.Invalid, "x' OR 1=1": fault.Invalid, "urn:uuid:" + d.GetId(): fault.Invalid} {
		if _, err := r.RevokeDevice(r.as(mac), &identityv1.RevokeDeviceRequest{DeviceId: id}); !errors.Is(err, kind) {
			t.Errorf("revoking %q: %v", id, err)
		}
	}
	if _, err := r.RevokeDevice(r.as(mac), &identityv1.RevokeDeviceRequest{DeviceId: other.GetId()}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.CreateSession(t.Context(), &identityv1.CreateSessionRequest{Cookie: cookie}); !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("the revoked browser: %v", err)
	}
	if _, err := r.ExchangeHandOffCode(t.Context(), grant); fault.Of(err).Reason != "invalid_grant" || fault.Of(err).Kind != fault.Invalid {
		t.Errorf("the code again: %v", err)
	}
	if _, err := r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: mac.GetRefreshToken()}); !errors.Is(err, fault.Unauthenticated) {
		t.Errorf("the device of a code used twice: %v", err)
	}
}

func TestSignOutEverywhere(t *testing.T) {
	r := newRig(t)
	first, second := r.kratos.signIn("ann@example.com", true), r.kratos.signIn("ann@example.com", true)
	laptop, desk := r.session(first), r.session(second)
	mac := r.mac(desk)
	if _, err := r.SignOut(r.as(mac), &identityv1.SignOutRequest{Everywhere: true}); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*identityv1.Session{"laptop": laptop, "desk": desk, "Mac": mac} {
		if _, err := r.RefreshSession(t.Context(), &identityv1.RefreshSessionRequest{RefreshToken: s.GetRefreshToken()}); !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("%s lives on: %v", name, err)
		}
		if _, err := r.ListDevices(r.as(s), &identityv1.ListDevicesRequest{}); !errors.Is(err, fault.Unauthenticated) {
			t.Errorf("%s lists devices: %v", name, err)
		}
	}
	if n := len(r.kratos.sessions); n != 0 {
		t.Errorf("%d Kratos sessions live on", n)
	}
	r.session(r.kratos.signIn("ann@example.com", true))
}

func TestDevicesWithoutAChallengeAreTheOperatorsChoice(t *testing.T) {
	for setting, want := range map[string]fault.Kind{"HAND_OFF_TOKENS=true": "", "": fault.Forbidden} {
		t.Run(setting, func(t *testing.T) {
			r := newRig(t, setting)
			browser := r.session(r.kratos.signIn("ann@example.com", true))
			resp, err := r.CreateDeviceSession(r.as(browser), &identityv1.CreateDeviceSessionRequest{Device: &identityv1.Device{Name: "Ann's\n\x00 MacBook  " + strings.Repeat("é", 100)}})
			if want != "" {
				if !errors.Is(err, want) || fault.Of(err).Reason != "token_hand_off_disabled" {
					t.Errorf("got %v", err)
				}
				return
			}
			errtest.None(t, err)
			list, err := r.ListDevices(r.as(resp.GetSession()), &identityv1.ListDevicesRequest{})
			errtest.None(t, err)
			for _, d := range list.GetDevices() {
				if d.GetCurrent() && d.GetDevice().GetName() != "Ann's MacBook "+strings.Repeat("é", 50) {
					t.Errorf("the device is called %q", d.GetDevice().GetName())
				}
			}
		})
	}
}

func TestOnlyTheGatewayTradesCodes(t *testing.T) {
	r := newRig(t)
	grant := r.grant(r.session(r.kratos.signIn("ann@example.com", true)))
	if _, err := r.outsider().ExchangeHandOffCode(context.Background(), grant); !errors.Is(err, fault.NotFound) {
		t.Errorf("an outsider: %v", err)
	}
	if _, err := r.ExchangeHandOffCode(t.Context(), grant); err != nil {
		t.Errorf("the gateway: %v", err)
	}
}
