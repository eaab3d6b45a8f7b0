package github

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"strconv"
	"time"
)

// asset answers with the asset's description, or with its bytes when the client
// accepts application/octet-stream. GitHub may redirect in the second case;
// clients have to take both.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		notFound(w, r)
		return
	}
	if r.Header.Get("Accept") == "application/octet-stream" {
		a, ok := s.store.take(r.Method == http.MethodGet, func(release Release, a Asset) bool {
			return a.ID == id && (!release.Draft || authorised(r))
		})
		if !ok {
			notFound(w, r)
			return
		}
		writeBytes(w, r, a)
		return
	}
	for _, release := range s.store.all() {
		for _, a := range release.Assets {
			if a.ID == id && (!release.Draft || authorised(r)) {
				writeJSON(w, r, s.encodeAsset(release, a))
				return
			}
		}
	}
	notFound(w, r)
}

// download is where browser_download_url points: the file for a browser.
func (s *Server) download(w http.ResponseWriter, r *http.Request) {
	a, ok := s.store.take(r.Method == http.MethodGet, func(release Release, a Asset) bool {
		return !release.Draft && release.Tag == r.PathValue("tag") && a.Name == r.PathValue("name")
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
