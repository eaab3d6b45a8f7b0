// Package errtest ends a test where its preparation fails.
package errtest

import "testing"

// None ends the test at an error that it is not about.
func None(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
