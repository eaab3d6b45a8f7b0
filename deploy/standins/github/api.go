package github

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Page sizes of GitHub's lists.
const (
	defaultPerPage = 30
	maxPerPage     = 100
)

// repositoryID is the repository's id, which stays when it is renamed, and byIDPath where the API
// has the repository by it.
const (
	repositoryID = 171_000_000
	byIDPath     = "/repositories/"
)

// requireRepo hides other repositories and, from whoever has no token, a private one. It redirects
// from the name that the repository had, and serves by id what next serves by name.
func (s *Server) requireRepo(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "/repos/" + s.owner() + "/" + s.repo()
		byID := byIDPath + strconv.Itoa(repositoryID)
		rest, named := below(r.URL.Path, name)
		former, renamed := below(r.URL.Path, "/repos/"+Owner+"/"+Repo)
		numbered, hasID := below(r.URL.Path, byID)
		switch {
		case !named && !renamed && !hasID, s.private.Load() && !authorised(r):
			notFound(w, r)
		case named, hasID:
			r = r.Clone(r.Context())
			r.URL.Path = name + rest + numbered
			next.ServeHTTP(w, r)
		default:
			movedTo(w, s.api+(&url.URL{Path: byID + former, RawQuery: r.URL.RawQuery}).String())
		}
	})
}

// movedTo redirects as GitHub's API does
// (https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects).
func movedTo(w http.ResponseWriter, target string) {
	w.Header().Set("Location", target)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusMovedPermanently)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": "Moved Permanently", "url": target}) // the client went away
}

// below is what follows in the path of a repository, if it is one.
func below(path, repository string) (rest string, ok bool) {
	rest, ok = cutPrefixFold(path, repository)
	return rest, ok && (rest == "" || rest[0] == '/')
}

func cutPrefixFold(path, prefix string) (rest string, ok bool) {
	if len(path) < len(prefix) || !strings.EqualFold(path[:len(prefix)], prefix) {
		return "", false
	}
	return path[len(prefix):], true
}

// repository has the fields of GitHub's schema that say what the repository is
// (https://docs.github.com/rest/repos/repos#get-a-repository).
func (s *Server) repository(w http.ResponseWriter, r *http.Request) {
	private, visibility := s.private.Load(), "public"
	if private {
		visibility = "private"
	}
	writeJSON(w, r, map[string]any{
		"id": repositoryID, "name": s.repo(), "full_name": s.owner() + "/" + s.repo(), "private": private, "visibility": visibility,
		"html_url": s.url + "/" + s.owner() + "/" + s.repo(), "url": s.api + "/repos/" + s.owner() + "/" + s.repo(), "archived": false, "disabled": false,
	})
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	perPage := number(r, "per_page", defaultPerPage, maxPerPage)
	page := number(r, "page", 1, 1<<20)
	var visible, drafts []Release
	for _, release := range s.store.all() {
		if release.Draft {
			drafts = append(drafts, release)
		} else {
			visible = append(visible, release)
		}
	}
	slices.SortStableFunc(visible, func(a, b Release) int { return b.created().Compare(a.created()) })
	if authorised(r) {
		visible = append(drafts, visible...)
	}
	last := max(1, (len(visible)+perPage-1)/perPage)
	from := min((page-1)*perPage, len(visible))
	to := min(from+perPage, len(visible))
	if link := linkHeader(s.api+r.URL.Path, r.URL.Query(), page, last); link != "" {
		w.Header().Set("Link", link)
	}
	out := []releaseJSON{}
	for _, release := range visible[from:to] {
		out = append(out, s.encodeRelease(release))
	}
	writeJSON(w, r, out)
}

// number reads a positive query parameter; GitHub ignores what it cannot use.
func number(r *http.Request, name string, fallback, most int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 1 {
		return fallback
	}
	return min(n, most)
}

// linkHeader is RFC 8288 as GitHub writes it: empty when all fits on one page.
func linkHeader(base string, query url.Values, page, last int) string {
	at := func(n int, rel string) string {
		query.Set("page", strconv.Itoa(n))
		return fmt.Sprintf(`<%s?%s>; rel=%q`, base, query.Encode(), rel)
	}
	var links []string
	if page > 1 {
		links = append(links, at(page-1, "prev"))
	}
	if page < last {
		links = append(links, at(page+1, "next"), at(last, "last"))
	}
	if page > 1 {
		links = append(links, at(1, "first"))
	}
	return strings.Join(links, ", ")
}

// writeJSON answers with an ETag, or 304 when the client has these very bytes.
func writeJSON(w http.ResponseWriter, r *http.Request, v any) {
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(v); err != nil {
		writeError(w, http.StatusInternalServerError, err.Error())
		return
	}
	sum := sha256.Sum256(body.Bytes())
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	h := w.Header()
	h.Set("ETag", etag)
	h.Set("Cache-Control", "public, max-age=60, s-maxage=60")
	h.Set("Vary", "Accept, Authorization, Cookie, Accept-Encoding")
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	_, _ = body.WriteTo(w) // the client went away
}

func notFound(w http.ResponseWriter, _ *http.Request) {
	writeError(w, http.StatusNotFound, "Not Found")
}

func writeError(w http.ResponseWriter, status int, message string) {
	writeErrorOf(w, status, message, "https://docs.github.com/rest")
}

func writeErrorOf(w http.ResponseWriter, status int, message, documentation string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{ // the client went away
		"message":           message,
		"documentation_url": documentation,
		"status":            strconv.Itoa(status),
	})
}
