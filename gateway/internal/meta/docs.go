package meta

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/docs"
)

func (h *handlers) getOpenAPI(c *gin.Context) error {
	c.Data(http.StatusOK, "application/json; charset=utf-8", docs.Document)
	return nil
}

// getDocs serves the only HTML page of the interface, with the headers of the site's pages.
func (h *handlers) getDocs(c *gin.Context) error {
	c.Header("Content-Security-Policy", h.docsPolicy)
	c.Header("Cross-Origin-Opener-Policy", "same-origin")
	c.Header("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()")
	c.Data(http.StatusOK, "text/html; charset=utf-8", docs.Page)
	return nil
}
