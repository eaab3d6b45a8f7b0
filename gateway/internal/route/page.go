package route

import (
	"github.com/gin-gonic/gin"
)

const (
	maxSearch = 254
	maxCursor = 512
	// PageSize is the most rows of a list's page, and the default.
	PageSize = 100
)

// Page are the parameters that lists have in common.
type Page struct {
	Search, Cursor string
	Limit          int32
}

// PageOf reads the parameters search, cursor and limit.
func PageOf(c *gin.Context) (Page, error) {
	var page Page
	var err error
	if page.Search, err = Search(c); err != nil {
		return Page{}, err
	}
	if page.Cursor, err = Cursor(c); err != nil {
		return Page{}, err
	}
	page.Limit, err = Int(c, "limit", PageSize, PageSize)
	return page, err
}

// Search reads the parameter search.
func Search(c *gin.Context) (string, error) {
	search := Query(c).Get("search")
	return search, MaxLength("search", search, maxSearch)
}

// Cursor reads the parameter cursor.
func Cursor(c *gin.Context) (string, error) {
	cursor := Query(c).Get("cursor")
	return cursor, MaxLength("cursor", cursor, maxCursor)
}
