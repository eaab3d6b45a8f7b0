package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/docs"
)

func (a *API) getOpenAPI(c *gin.Context) error {
	c.Data(http.StatusOK, "application/json; charset=utf-8", docs.Document)
	return nil
}

func (a *API) getDocs(c *gin.Context) error {
	c.Header("Content-Security-Policy", a.docsPolicy)
	c.Data(http.StatusOK, "text/html; charset=utf-8", docs.Page)
	return nil
}
