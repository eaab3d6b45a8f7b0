// Package contract checks answers against the OpenAPI description, for tests: an answer
// that the description does not allow is a bug in one of the two.
package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

// Contract is a loaded description.
type Contract struct {
	doc    *openapi3.T
	router routers.Router

	mu       sync.Mutex
	answered map[answer]bool
}

// answer is one that the description lists; status is a code or "default".
type answer struct{ method, path, status string }

// Load reads an OpenAPI document, YAML or JSON.
func Load(document []byte) (*Contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	doc.Servers = nil // paths are complete; tests run on any host
	router, err := legacy.NewRouter(doc, openapi3.IsOpenAPI31OrLater())
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	return &Contract{doc: doc, router: router, answered: map[answer]bool{}}, nil
}

// Operations lists "METHOD path" for every operation.
func (c *Contract) Operations() []string {
	var all []string
	for path, item := range c.doc.Paths.Map() {
		for method := range item.Operations() {
			all = append(all, method+" "+path)
		}
	}
	return all
}

// Check reports how the answer to req, whose body has been read, violates the description.
// HEAD is described by GET, unless it has an operation of its own. Requests that no operation
// takes must have failed with the Error schema.
func (c *Contract) Check(req *http.Request, resp *http.Response, body []byte) error {
	route, params, err := c.router.FindRoute(req)
	if _, unknown := errors.AsType[*routers.RouteError](err); unknown && req.Method == http.MethodHead && resp.StatusCode != http.StatusMethodNotAllowed {
		get := req.Clone(req.Context())
		get.Method = http.MethodGet
		route, params, err = c.router.FindRoute(get)
	}
	if _, unknown := errors.AsType[*routers.RouteError](err); unknown {
		return c.checkFailure(req, resp, body)
	}
	if err != nil {
		return fmt.Errorf("contract: %w", err)
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 resp.StatusCode,
		Header:                 resp.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: !isJSON(req, resp)},
	}
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		return fmt.Errorf("contract: %s %s answers %d: %w", req.Method, route.Path, resp.StatusCode, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	status := strconv.Itoa(resp.StatusCode)
	if route.Operation.Responses.Value(status) == nil {
		status = "default"
	}
	c.answered[answer{req.Method, route.Path, status}] = true
	return nil
}

// Unanswered lists the answers "METHOD path status" that the description promises
// and that no call of Check has seen, sorted.
func (c *Contract) Unanswered() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var never []string
	for path, item := range c.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				if !c.answered[answer{method, path, status}] {
					never = append(never, method+" "+path+" "+status)
				}
			}
		}
	}
	slices.Sort(never)
	return never
}

func (c *Contract) checkFailure(req *http.Request, resp *http.Response, body []byte) error {
	if resp.StatusCode < http.StatusBadRequest {
		return fmt.Errorf("contract: %s %s is not described and answers %d", req.Method, req.URL.Path, resp.StatusCode)
	}
	if req.Method == http.MethodHead {
		return nil
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return fmt.Errorf("contract: %s %s: %w", req.Method, req.URL.Path, err)
	}
	if err := c.doc.Components.Schemas["Error"].Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
		return fmt.Errorf("contract: %s %s: %w", req.Method, req.URL.Path, err)
	}
	return nil
}

// isJSON reports whether there is a body to check against a schema.
func isJSON(req *http.Request, resp *http.Response) bool {
	mediaType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return req.Method != http.MethodHead && mediaType == "application/json"
}
