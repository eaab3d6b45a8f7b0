package api_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"fledge.dev/gateway/internal/apitest"
)

// After all of the tests, every answer that the description promises was given.
func TestMain(m *testing.M) {
	flag.Parse()
	status := m.Run()
	if whole := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && flag.Lookup("test.list").Value.String() == ""; whole && status == 0 {
		described, err := apitest.LoadOnce()
		if err != nil {
			panic(err)
		}
		for _, answer := range described.Unanswered() {
			fmt.Println("openapi.yaml promises, and no test has seen:", answer)
			status = 1
		}
	}
	os.Exit(status)
}
