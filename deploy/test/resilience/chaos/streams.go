package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"fledge.dev/services"
	"fledge.dev/services/platform/bus"
)

// answered ends the types of the events that keep the id of an erased account.
const answered = ".user.erased"

// notInStreams: no stream has an event with a word of somebody who left.
func notInStreams(ctx context.Context, r *Run, all []*leaver) (figure string, problems []string, err error) {
	gone := left(r, all)
	words := make([]string, 0, 2*len(gone))
	for _, l := range gone {
		words = append(words, l.email, l.ID())
	}
	read, answers := 0, 0
	err = until(ctx, "who left is in no stream", func() (bool, error) {
		problems, read, answers = nil, 0, 0
		for _, service := range services.Names() {
			err := eachEvent(ctx, r, service, func(event storedEvent) {
				read++
				for _, word := range words {
					switch {
					case !event.has(word):
					case strings.HasSuffix(event.Subject, answered) && !strings.Contains(word, "@"):
						answers++
					default:
						problems = append(problems, fmt.Sprintf("%s has %s in event %d, a %s", bus.StreamOf(service), word, event.Seq, event.Subject))
					}
				}
			})
			if err != nil {
				return false, err
			}
		}
		return len(problems) == 0, nil
	})
	if len(problems) > 0 {
		err = nil // They say it.
	}
	if err == nil && answers == 0 {
		problems = append(problems, "not even the answers to erasures were found, so that the search proves nothing")
	}
	return fmt.Sprintf("%d events", read), problems, err
}

// storedEvent is a message of a stream, as JetStream's API returns it.
type storedEvent struct {
	Subject string `json:"subject"`
	Seq     uint64 `json:"seq"`
	Headers []byte `json:"hdrs"`
	Data    []byte `json:"data"`
}

// has tells whether a word stands in the event; case does not matter.
func (e storedEvent) has(word string) bool {
	return strings.Contains(strings.ToLower(string(e.Headers)+"\n"+string(e.Data)), word)
}

// eachEvent calls see for every event of a service's stream. It reads as the service, which alone may look into its stream.
func eachEvent(ctx context.Context, r *Run, service string, see func(storedEvent)) error {
	nc, err := r.connectAs(service)
	if err != nil {
		return fmt.Errorf("chaos: NATS as %s: %w", service, err)
	}
	defer nc.Close()
	for seq := uint64(1); ; {
		asking, cancel := context.WithTimeout(ctx, 5*time.Second)
		msg, err := nc.RequestWithContext(asking, "$JS.API.STREAM.MSG.GET."+bus.StreamOf(service), fmt.Appendf(nil, `{"seq": %d, "next_by_subj": ">"}`, seq))
		cancel()
		if err != nil {
			return fmt.Errorf("chaos: %s from %d: %w", bus.StreamOf(service), seq, err)
		}
		var found struct {
			Message storedEvent         `json:"message"`
			Error   *jetstream.APIError `json:"error"`
		}
		if err := json.Unmarshal(msg.Data, &found); err != nil {
			return err
		}
		if found.Error != nil {
			if found.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound {
				return nil
			}
			return fmt.Errorf("chaos: %s from %d: %w", bus.StreamOf(service), seq, found.Error)
		}
		see(found.Message)
		seq = found.Message.Seq + 1
	}
}

// connectAs connects to NATS with a service's own settings.
func (r *Run) connectAs(service string) (*nats.Conn, error) {
	lines, err := r.product.Settings(service)
	if err != nil {
		return nil, err
	}
	settings := map[string]string{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		settings[name] = value
	}
	password, err := os.ReadFile(settings["NATS_PASSWORD_FILE"])
	if err != nil {
		return nil, err
	}
	return nats.Connect(settings["NATS_URL"], nats.Name(ourName), nats.UserInfo(settings["NATS_USER"], strings.TrimSpace(string(password))),
		nats.RootCAs(settings["NATS_CA_FILE"]), nats.ClientCert(settings["NATS_CERT_FILE"], settings["NATS_KEY_FILE"]),
		nats.CustomInboxPrefix(bus.InboxOf(service)))
}
