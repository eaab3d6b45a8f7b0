package route

import (
	"github.com/gin-gonic/gin"
)

// PageSize is how many rows a list's page has.
const PageSize = 100

// Page are the parameters that lists have in common.
type Page struct {
	Search, Cursor string
	Limit          int32
}

// PageOf reads the parameters search, cursor and limit.
func PageOf(c *gin.Context) (Page, error) {
	limit, err := Int(c, "limit", PageSize)
	return Page{Search: Query(c).Get("search"), Cursor: Query(c).Get("cursor"), Limit: limit}, err
}
