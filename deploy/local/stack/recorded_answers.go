package stack

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"sync"
)

// answersKept bounds how much of one answer is kept, in bytes; a build of the app is larger.
const answersKept = 1 << 20

// answers keeps what the site's front door said, but for its files, in one file.
type answers struct {
	mu   sync.Mutex
	file *os.File
}

// asReadable has the front door compress only in a form that answers can read.
func asReadable(header http.Header) {
	if header.Get("Accept-Encoding") != "" {
		header.Set("Accept-Encoding", "gzip")
	}
}

// keep is told of each answer; what the client gets is what came.
func (a *answers) keep(resp *http.Response) {
	resp.Body = &kept{ReadCloser: resp.Body, of: resp, to: a}
}

type kept struct {
	io.ReadCloser
	of   *http.Response
	to   *answers
	said bytes.Buffer
	once sync.Once
}

func (k *kept) Read(p []byte) (int, error) {
	n, err := k.ReadCloser.Read(p)
	k.said.Write(p[:min(n, max(0, answersKept-k.said.Len()))])
	return n, err
}

func (k *kept) Close() error {
	k.once.Do(func() { k.to.write(k.of, k.said.Bytes()) })
	return k.ReadCloser.Close()
}

func (a *answers) write(resp *http.Response, body []byte) {
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if zipped, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, _ = io.ReadAll(zipped) // of one that was cut off, what came
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, _ = fmt.Fprintf(a.file, "%s %s %d\n%s\n", resp.Request.Method, resp.Request.URL.Path, resp.StatusCode, withClaims(body))
}

// token is a JWT, of which the first two parts can be read.
var token = regexp.MustCompile(`eyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]+`)

// withClaims puts a token's claims in its place.
func withClaims(body []byte) []byte {
	return token.ReplaceAllFunc(body, func(found []byte) []byte {
		claims, err := base64.RawURLEncoding.DecodeString(string(token.FindSubmatch(found)[1]))
		if err != nil {
			return found
		}
		return claims
	})
}
