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
	// Timeout is how long the next rows may take.
	Timeout time.Duration
	Log     *slog.Logger
}

// Rows returns the next rows of a file and whether more follow.
type Rows func(ctx context.Context) (next [][]string, more bool, err error)

// Send streams a CSV file. It returns a failure that comes before the first rows. A later
// one aborts the connection, so that the client does not take a part of the file for all of
// it.
func (f CSV) Send(c *gin.Context, filename string, columns []string, read Rows) error {
	next, more, err := f.read(c, read)
	if err != nil {
		return err
	}
	c.Header("Content-Type", csvfile.ContentType)
	c.Header("Content-Disposition", `attachment; filename="`+filename+`"`)
	c.Status(http.StatusOK)
	file, err := csvfile.NewWriter(c.Writer, columns)
	for err == nil {
		for _, row := range next {
			if err := file.Write(row); err != nil {
				break // Flush tells why
			}
		}
		if err = file.Flush(); err != nil || !more {
			break
		}
		next, more, err = f.read(c, read)
	}
	if err != nil {
		_ = c.Error(err)
		f.Log.WarnContext(c.Request.Context(), "CSV export failed, the client got an incomplete file", "file", filename, "error", err)
		panic(http.ErrAbortHandler) // which Recover passes on to net/http
	}
	return nil
}

func (f CSV) read(c *gin.Context, read Rows) (next [][]string, more bool, err error) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), f.Timeout)
	defer cancel()
	return read(ctx)
}
