package api

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/docs"
)

// describe prepares the two forms in which the interface describes itself. The
// document comes with the build and is validated by the tests.
func (a *API) describe(document []byte) error {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return fmt.Errorf("api: %w", err)
	}
	if a.document, err = json.Marshal(doc); err != nil {
		return fmt.Errorf("api: %w", err)
	}
	a.docs, err = docs.Render(doc)
	return err
}

func (a *API) getOpenAPI(c *gin.Context) error {
	c.Data(http.StatusOK, "application/json; charset=utf-8", a.document)
	return nil
}

func (a *API) getDocs(c *gin.Context) error {
	c.Header("Content-Security-Policy", a.docs.CSP)
	c.Data(http.StatusOK, "text/html; charset=utf-8", a.docs.HTML)
	return nil
}
