package hostname_test

import (
	"testing"

	"fledge.dev/services/platform/hostname"
)

func TestNamesThatStayInTheHouse(t *testing.T) {
	for _, tc := range []struct {
		host                    string
		loopback, test, cluster bool
	}{
		{"localhost", true, true, false},
		{"LOCALHOST", true, true, false},
		{"127.0.0.1", true, true, false},
		{"127.8.8.8", true, true, false},
		{"::1", true, true, false},
		{"accounts.localhost", false, true, false},
		{"fledge.test", false, true, false},
		{"a.Fledge.TEST", false, true, false},
		{"standins", false, false, true},
		{"standins.fledge.svc", false, false, true},
		{"standins.fledge.svc.cluster.local", false, false, true},
		{"", false, false, false},
		{"test", false, false, true},
		{".test", false, false, false},
		{"..test", false, false, false},
		{"fledge.test.", false, false, false},
		{"fledge.tests", false, false, false},
		{"localhost.fledge.dev", false, false, false},
		{"fledge.test.example.com", false, false, false},
		{"svc.example.com", false, false, false},
		{"cluster.local", false, false, false},
		{"fledge.dev", false, false, false},
		{"0.0.0.0", false, false, false},
		{"10.0.0.1", false, false, false},
		{"fe80::1", false, false, false},
		{"2130706433", false, false, false}, // 127.0.0.1, to some
	} {
		if got := hostname.IsLoopback(tc.host); got != tc.loopback {
			t.Errorf("IsLoopback(%q) = %t", tc.host, got)
		}
		if got := hostname.IsTest(tc.host); got != tc.test {
			t.Errorf("IsTest(%q) = %t", tc.host, got)
		}
		if got := hostname.IsCluster(tc.host); got != tc.cluster {
			t.Errorf("IsCluster(%q) = %t", tc.host, got)
		}
	}
}
