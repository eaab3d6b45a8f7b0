package hook

import (
	"net/http"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/platform/fault"
)

func changeOfApp(app, _ bool) account.SecondFactorChange {
	if app {
		return account.SecondFactorAdded
	}
	return account.SecondFactorRemoved
}

// changeOfCodes is "" for codes that are gone: they go with the app.
func changeOfCodes(_, codes bool) account.SecondFactorChange {
	if codes {
		return account.RecoveryCodesCreated
	}
	return ""
}

// secondFactor asks Kratos what there is now, from which change makes what was done.
func (h *handler) secondFactor(change func(app, codes bool) account.SecondFactorChange) func(http.ResponseWriter, *http.Request, report) {
	return func(w http.ResponseWriter, r *http.Request, in report) {
		id, idErr := uuid.Parse(in.Identity.ID)
		flow, flowErr := uuid.Parse(in.FlowID)
		if idErr != nil || flowErr != nil || id == uuid.Nil {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		app, codes, err := h.kratos.SecondFactor(r.Context(), id)
		if done := change(app, codes); err == nil && done != "" {
			err = h.recorder.SecondFactorChanged(r.Context(), id, flow, done, h.clock.Now())
		}
		if err != nil {
			h.log.ErrorContext(r.Context(), "change of a second factor not recorded", "error", err)
			w.WriteHeader(fault.Of(err).Kind.HTTPStatus())
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}
