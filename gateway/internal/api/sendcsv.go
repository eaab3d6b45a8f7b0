package api

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/csvfile"
)

// rows returns the next rows of a file and whether more follow.
type rows func(ctx context.Context) (next [][]string, more bool, err error)

// sendCSV streams a CSV file. It returns a failure that comes before the first rows. A
// later one aborts the connection, so that the client does not take a part of the file for
// all of it.
func (a *API) sendCSV(c *gin.Context, filename string, columns []string, read rows) error {
	next, more, err := a.read(c, read)
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
		next, more, err = a.read(c, read)
	}
	if err != nil {
		_ = c.Error(err)
		a.log.WarnContext(c.Request.Context(), "a file broke off", "file", filename, "error", err)
		panic(http.ErrAbortHandler) // which Recover passes on to net/http
	}
	return nil
}

// read returns the next rows, within the time of any other request.
func (a *API) read(c *gin.Context, read rows) (next [][]string, more bool, err error) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), a.cfg.RequestTimeout)
	defer cancel()
	return read(ctx)
}
