package mac

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"

	"fledge.dev/services/platform/brand"
)

// Problem is an answer of the site other than success.
type Problem struct {
	Status int `json:"-"`
	// Message is fit to be shown, Code is stable, RequestID names the request in
	// the site's logs: a bug report needs it.
	Message   string `json:"error"`
	Code      string `json:"code"`
	RequestID string `json:"requestId"`
}

func (p *Problem) Error() string {
	words := readable(p.Message)
	if words == "" {
		words = "the site answers " + http.StatusText(p.Status)
	}
	return fmt.Sprintf("%s (%d %s)", words, p.Status, readable(p.Code))
}

// unauthorised tells whether the site refused the token.
func unauthorised(err error) bool {
	var problem *Problem
	return errors.As(err, &problem) && problem.Status == http.StatusUnauthorized
}

// ErrUnreachable is for a request whose answer did not arrive. The site may or
// may not have acted on it.
var ErrUnreachable = errors.New("the site cannot be reached")

const maxAnswer = 1 << 20 // bytes

// call sends JSON to a fixed path of the site and reads JSON. Any answer but
// success is a *Problem, none is an ErrUnreachable.
func (c *Client) call(ctx context.Context, method, path string, bearer Secret, body, answer any) error {
	var payload io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.site.origin+path, payload)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", brand.Name+" reference client ("+runtime.GOOS+"; "+runtime.GOARCH+")")
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+string(bearer))
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	content, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if resp.StatusCode/100 != 2 {
		problem := &Problem{}
		_ = json.Unmarshal(content, problem) // a proxy's page is no JSON: the status says enough
		problem.Status = resp.StatusCode
		return problem
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(content, answer); err != nil {
		return fmt.Errorf("%w: its answer is no JSON", ErrUnreachable)
	}
	return nil
}
