package route_test

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/middleware"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/services/platform/errtest"
)

// TestALongFileIsNotCut by the budget of its route, neither in what is read nor in what is written.
func TestALongFileIsNotCut(t *testing.T) {
	const budget = 20 * time.Millisecond
	engine := gin.New()
	engine.Use(middleware.Deadline(func(*gin.Context) time.Duration { return budget }), middleware.WriteTimeout(budget))
	engine.GET("/", func(c *gin.Context) {
		first := true
		err := route.CSV{Timeout: time.Minute, Log: slog.New(slog.DiscardHandler)}.Send(c, "a.csv", []string{"column"}, func(ctx context.Context) ([][]string, bool, error) {
			if first {
				first = false
				return [][]string{{"first"}}, true, nil
			}
			<-c.Request.Context().Done() // the budget is spent
			return [][]string{{"last"}}, false, ctx.Err()
		})
		if err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(engine)
	t.Cleanup(server.Close)
	resp, err := server.Client().Get(server.URL)
	errtest.None(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if want := "\ufeffcolumn\r\nfirst\r\nlast\r\n"; err != nil || string(body) != want {
		t.Errorf("%q, %v; want %q", body, err, want)
	}
}
