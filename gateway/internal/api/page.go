package api

import (
	"strconv"

	"github.com/gin-gonic/gin"
)

const (
	maxSearch = 254
	maxCursor = 512
	pageSize  = 100
)

// pageParams are the parameters that all lists have in common.
type pageParams struct {
	search, cursor string
	limit          int32
}

func pageOf(c *gin.Context) (pageParams, error) {
	q := query(c)
	page := pageParams{search: q.Get("search"), cursor: q.Get("cursor"), limit: pageSize}
	if err := maxLength("search", page.search, maxSearch); err != nil {
		return pageParams{}, err
	}
	if err := maxLength("cursor", page.cursor, maxCursor); err != nil {
		return pageParams{}, err
	}
	if q.Has("limit") {
		n, err := strconv.ParseInt(q.Get("limit"), 10, 32)
		if err != nil || n < 1 || n > pageSize {
			return pageParams{}, invalid("limit", "is not a number from 1 to 100")
		}
		page.limit = int32(n)
	}
	return page, nil
}

// orNull returns nil for "", which is what the service answers for the cursor after the
// last page.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
