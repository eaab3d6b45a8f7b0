package loopback_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"fledge.dev/deploy/standins/loopback"
)

const (
	itself  = net.FlagUp | net.FlagRunning | net.FlagLoopback
	network = net.FlagUp | net.FlagRunning | net.FlagBroadcast
)

func TestAloneIsWhatNothingLeaves(t *testing.T) {
	for name, test := range map[string]struct {
		flags []net.Flags
		err   error
		want  bool
	}{
		"loopback":                     {[]net.Flags{itself}, nil, true},
		"loopback that is down":        {[]net.Flags{net.FlagLoopback}, nil, true},
		"an interface that is down":    {[]net.Flags{itself, net.FlagBroadcast}, nil, true},
		"a network":                    {[]net.Flags{itself, network}, nil, false},
		"a network alone":              {[]net.Flags{network}, nil, false},
		"a link to one other":          {[]net.Flags{itself, net.FlagUp | net.FlagPointToPoint}, nil, false},
		"interfaces that nobody knows": {nil, errors.New("not allowed"), false},
	} {
		loopback.Among(t, test.err, test.flags...)
		if got := loopback.Alone(); got != test.want {
			t.Errorf("%s: alone is %t", name, got)
		}
	}
}

func TestAStandInThatIsAloneMayHaveAPublicName(t *testing.T) {
	loopback.Among(t, nil, itself)
	own := "https://accounts.example.com"
	if got, err := loopback.URL(own, nil); err != nil || got != own {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := loopback.URL(own+"/x", nil); err == nil {
		t.Error("what is no origin is one")
	}
	if _, err := loopback.Listen(t.Context(), "0.0.0.0:0", false); err == nil {
		t.Error("it listens for others")
	}
	request := httptest.NewRequest(http.MethodGet, own, nil)
	answer := httptest.NewRecorder()
	loopback.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		t.Errorf("its name is turned away: %d", answer.Code)
	}
}
