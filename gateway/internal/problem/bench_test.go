package problem_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/fault"
)

// BenchmarkWrite answers a request that one field spoils.
func BenchmarkWrite(b *testing.B) {
	gin.SetMode(gin.ReleaseMode)
	failure := fault.InvalidField("email", "That is not an address.")
	request := httptest.NewRequest(http.MethodPost, "/api/add-waitlist-user", nil)
	b.ReportAllocs()
	for b.Loop() {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = request
		problem.Write(c, failure)
	}
}
