package github

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// storagePath is where the bytes of assets are: at GitHub another host, here the same.
const storagePath = "/storage/"

// signedFor is how long GitHub's signature of an address of the storage holds.
const signedFor = 5 * time.Minute

// asset answers with the asset's description or, when the client accepts
// application/octet-stream, with a redirect to the storage, signed for five minutes.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		notFound(w, r)
		return
	}
	for _, release := range s.store.all() {
		for _, a := range release.Assets {
			if a.ID != id || release.Draft && !authorised(r) {
				continue
			}
			if r.Header.Get("Accept") == "application/octet-stream" {
				if s.streams.Load() {
					writeBytes(w, r, a)
					return
				}
				http.Redirect(w, r, s.signed(id, time.Now().Add(signedFor)), http.StatusFound)
				return
			}
			writeJSON(w, r, s.encodeAsset(release, a))
			return
		}
	}
	notFound(w, r)
}

// signed is the address of an asset's bytes until a time.
func (s *Server) signed(id int64, until time.Time) string {
	end := strconv.FormatInt(until.Unix(), 10)
	return s.url + storagePath + strconv.FormatInt(id, 10) + "?se=" + end + "&sig=" + signature(id, end)
}

func signature(id int64, end string) string {
	mac := hmac.New(sha256.New, []byte(Token))
	_, _ = fmt.Fprintf(mac, "%d %s", id, end)
	return hex.EncodeToString(mac.Sum(nil))
}

// stored serves an asset's bytes to whoever has an address that is signed and has not ended.
func (s *Server) stored(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	end := r.URL.Query().Get("se")
	until, endErr := strconv.ParseInt(end, 10, 64)
	if err != nil || endErr != nil || time.Now().Unix() > until || !hmac.Equal([]byte(r.URL.Query().Get("sig")), []byte(signature(id, end))) {
		http.Error(w, "AuthenticationFailed", http.StatusForbidden)
		return
	}
	a, ok := s.store.take(r.Method == http.MethodGet, func(_ Release, a Asset) bool { return a.ID == id })
	if !ok {
		http.NotFound(w, r)
		return
	}
	writeBytes(w, r, a)
}

// download is where browser_download_url points: the file for a browser, which has no token.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	first, now := "/"+Owner+"/"+Repo, "/"+s.owner()+"/"+s.repo()
	switch path := r.URL.EscapedPath(); {
	case !strings.HasPrefix(path, now+"/") && !strings.HasPrefix(path, first+"/"):
		http.NotFound(w, r)
		return
	case !strings.HasPrefix(path, now+"/"):
		http.Redirect(w, r, s.url+now+strings.TrimPrefix(path, first), http.StatusMovedPermanently) //nolint:gosec // G710: the address is this server's own
		return
	}
	a, ok := s.store.take(r.Method == http.MethodGet, func(release Release, a Asset) bool {
		return !s.private.Load() && !release.Draft && release.Tag == r.PathValue("tag") && a.Name == r.PathValue("name")
	})
	if !ok {
		http.NotFound(w, r)
		return
	}
	writeBytes(w, r, a)
}

func writeBytes(w http.ResponseWriter, r *http.Request, a Asset) {
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": a.Name}))
	h.Set("ETag", `"`+a.digest()+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.Content))
}

func contentType(name string) string {
	switch path.Ext(name) {
	case ".dmg":
		return "application/x-apple-diskimage"
	case ".zip":
		return "application/zip"
	case ".yml":
		return "text/yaml"
	default:
		return "application/octet-stream"
	}
}
