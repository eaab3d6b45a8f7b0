package identity_test

import (
	"net/http"
	"strings"
)

// session answers a session by its id.
func (k *kratosStandIn) session(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, body := range k.sessions {
		if strings.Contains(body, `"id":"`+r.PathValue("id")+`"`) {
			k.answer(w, http.StatusOK, body)
			return
		}
	}
	k.answer(w, http.StatusNotFound, `{"error":{"code":404,"message":"Unable to locate the resource"}}`)
}
