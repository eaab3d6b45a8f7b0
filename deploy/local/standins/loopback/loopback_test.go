package loopback_test

import (
	"testing"

	"fledge.dev/deploy/local/standins/loopback"
)

func TestOnlyThisMachineIsAccepted(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "127.8.8.8:1", "[::1]:80", "localhost:8081"} {
		if err := loopback.Require(addr); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.168.1.2:80", "10.0.0.1:1", "example.com:80", "localhost.example.com:80", "127.0.0.1", ""} {
		if err := loopback.Require(addr); err == nil {
			t.Errorf("%q was accepted", addr)
		}
	}
}
