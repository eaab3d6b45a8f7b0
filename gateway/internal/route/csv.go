package route

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/services/platform/csvfile"
)

// CSV sends CSV files.
type CSV struct {
	// Timeout is how long the next rows may take. The file has no end by the clock: while rows come,
	// and the client takes each part within FileBudget, it goes on past the route's own budget.
	Timeout time.Duration
	Log     *slog.Logger
}

// Rows returns the next rows of a file and whether more follow.
type Rows func(ctx context.Context) (next [][]string, more bool, err error)

// Send streams a CSV file. It returns a failure that comes before the first rows. A later
// one aborts the connection, so that the client does not take a part of the file for all of
// it.
func (f CSV) Send(c *gin.Context, filename string, columns []string, read Rows) error {
	next, more, err := f.read(c.Request.Context(), read)
	if err != nil {
		return err
	}
	// That the client is gone is noticed by what is written.
	later := context.WithoutCancel(c.Request.Context())
	line := http.NewResponseController(c.Writer)
	c.Header("Content-Type", csvfile.ContentType)
	c.Header("Content-Disposition", `attachment; filename="`+filename+`"`)
	c.Status(http.StatusOK)
	file, err := csvfile.NewWriter(c.Writer, columns)
	for err == nil {
		_ = line.SetWriteDeadline(time.Now().Add(FileBudget)) // an error means that nothing can be written either
		for _, row := range next {
			if err := file.Write(row); err != nil {
				break // Flush tells why
			}
		}
		if err = file.Flush(); err != nil || !more {
			break
		}
		next, more, err = f.read(later, read)
	}
	if err != nil {
		_ = c.Error(err)
		f.Log.WarnContext(c.Request.Context(), "CSV export failed, the client got an incomplete file", "file", filename, "error", err)
		panic(http.ErrAbortHandler) // which Recover passes on to net/http
	}
	return nil
}

func (f CSV) read(ctx context.Context, read Rows) (next [][]string, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	return read(ctx)
}
